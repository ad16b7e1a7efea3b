public import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Contents that arrive piece by piece, before a save keeps them. Needs no connection; one thread
/// at a time.
public final class AssetUpload {
  private let writer: AssetDraftWriter

  fileprivate init(_ writer: AssetDraftWriter) { self.writer = writer }

  /// How many bytes arrived.
  public var size: Int64 { writer.size }

  /// Adds the next bytes.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(CloudError) {
    try serving { try writer.write(bytes) }
  }

  /// Ends the contents. Call it once.
  public func finish() throws(CloudError) -> StagedAsset {
    try serving { StagedAsset(draft: try writer.finish()) }
  }
}

extension CloudEnvironment {
  /// Begins contents that arrive piece by piece.
  public func beginUpload() throws(CloudError) -> AssetUpload {
    try serving { AssetUpload(try AssetDraftWriter(store.assets)) }
  }

  /// The same contents for one more save, which keeps or discards only its own. Throws
  /// `assetFileNotFound` if they are gone.
  public func stage(again staged: StagedAsset) throws(CloudError) -> StagedAsset {
    do { return StagedAsset(draft: try store.assets.draft(again: staged.draft)) } catch {
      throw CloudError(.assetFileNotFound, "the uploaded contents are gone: upload them again")
    }
  }

  /// Opens the contents of an asset, to read any part of them; they can be read even if they are
  /// removed meanwhile. Throws `assetNotAvailable` when they are missing.
  public func open(_ asset: Asset) throws(CloudError) -> FileHandle {
    guard try has(asset) else { throw .damagedContents(asset, isMissing: true) }
    return try serving {
      try store.assets.requireFolders(of: asset)
      return try FileHandle(openOwn: store.assets.path(of: asset), O_RDONLY)
    }
  }
}
