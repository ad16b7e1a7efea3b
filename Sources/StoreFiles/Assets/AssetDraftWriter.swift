internal import Basics
internal import CloudModel

/// Writes contents that arrive piece by piece to a temporary file, and hashes them. An unfinished
/// file is removed with the last reference.
public final class AssetDraftWriter {
  private let assets: AssetFiles
  private let file: FileHandle
  private let path: String
  private var hash = SHA256()
  private var isFinished = false
  /// How many bytes were written.
  public private(set) var size: Int64 = 0

  /// Begins contents in a folder of assets.
  public init(_ assets: AssetFiles) throws(StoreError) {
    self.assets = assets
    let path = assets.temporaryPath()
    self.path = path
    file = try onDisk { () throws(SystemError) in try FileHandle(create: path) }
  }

  deinit {
    if !isFinished { try? FileSystem.remove(path) }
  }

  /// Writes the next bytes.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    hash.update(bytes)
    size += Int64(bytes.count)
    try onDisk { () throws(SystemError) in try file.write(all: bytes) }
  }

  /// Completes the contents and synchronizes them. Call it once.
  public func finish() throws(StoreError) -> AssetFiles.Draft {
    try onDisk { () throws(SystemError) in try file.synchronize() }
    isFinished = true
    return AssetFiles.Draft(
      asset: Asset(hash: hash.finish(), size: size), isSynchronized: true, path: path)
  }
}
