internal import Basics
internal import CloudModel
internal import CloudServices

/// Downloads the contents of assets, several at a time and each once.
///
/// A file is complete under its name in the folder of downloads before its record comes into the
/// store: a pull that ends in between finds it there.
final class AssetDownloads {
  private let client: RemoteClient
  private let copy: RemoteCopy
  private let isRehearsal: Bool
  private(set) var count = 0
  private var isPrepared = false

  init(_ client: RemoteClient, _ copy: RemoteCopy, isRehearsal: Bool) {
    (self.client, self.copy, self.isRehearsal) = (client, copy, isRehearsal)
  }

  /// The contents of the assets of records. A rehearsal downloads nothing: it uses a made-up asset
  /// for each file that is not here.
  func contents(of records: [RemoteRecord]) throws -> [RemoteFile: PulledAsset] {
    let files = Set(records.flatMap { $0.assets.flatMap(\.files) })
    if files.isEmpty { return [:] }
    var contents = try copy.contents(of: files).mapValues { PulledAsset.stored($0) }
    let missing = files.filter { contents[$0] == nil }
    if missing.isEmpty { return contents }
    if isRehearsal {
      for file in missing { contents[file] = file.standIn.map { .stored($0) } }
      return contents
    }
    try prepareFolder()
    var wanted: [(file: RemoteFile, path: String)] = []
    for file in missing.sorted(by: { utf8Precedes($0.checksum, $1.checksum) }) {
      let path = path(of: file)
      contents[file] = .file(path)
      if !FileSystem.exists(path), !wanted.contains(where: { $0.path == path }) {
        wanted.append((file, path))
      }
    }
    let failed = try download(wanted)
    return contents.filter { contents in
      if case .file(let path) = contents.value { !failed.contains(path) } else { true }
    }
  }

  private static let partMark = ".part-"

  /// Makes the folder, and removes what processes left in it that ended during a download.
  private func prepareFolder() throws {
    if isPrepared { return }
    isPrepared = true
    try FileSystem.makeDirectories(copy.downloads)
    for name in try FileSystem.list(copy.downloads) {
      // After the hash and the mark.
      guard let process = Int32(name.dropFirst(64 + Self.partMark.count)),
        !Platform.isRunning(process)
      else { continue }
      try FileSystem.remove("\(copy.downloads)/\(name)")
    }
  }

  /// Removes the files that a page took.
  func forget(_ page: PulledPage) {
    for case .file(let path) in page.assets.values { _ = try? FileSystem.remove(path) }
  }

  /// Removes the folder, if nothing is left in it.
  func finish() {
    guard (try? FileSystem.list(copy.downloads))?.isEmpty == true else { return }
    _ = try? FileSystem.remove(copy.downloads)
  }

  private func path(of file: RemoteFile) -> String {
    let name = SHA256.hash(Array("\(client.settings.url) \(file.checksum) \(file.size)".utf8))
    return "\(copy.downloads)/\(name.hexadecimal)"
  }

  /// Downloads files; returns the paths of those that the server does not give. Their records are
  /// left out, and tried again with a new address.
  private func download(_ files: [(file: RemoteFile, path: String)]) throws -> Set<String> {
    if files.isEmpty { return [] }
    let failed = Locked<Set<String>>([])
    try inParallel(files.count) { [client] place in
      let (file, path) = files[place]
      do { try Self.download(file, to: path, client) } catch is RemoteError {
        failed.withLock { _ = $0.insert(path) }
      }
    }
    let paths = failed.withLock { $0 }
    count += files.count - paths.count
    return paths
  }

  private static func download(_ file: RemoteFile, to path: String, _ client: RemoteClient) throws {
    guard let url = file.url else {
      throw RemoteError(status: 404, "the answer has no address for an asset")
    }
    let part = "\(path)\(partMark)\(Platform.processNumber)"
    try client.repeating {
      _ = try? FileSystem.remove(part)
      let response = try client.transport.download(
        url.replacingUTF8("${f}", with: "file"), to: part)
      guard response.status == 200 else {
        throw RemoteError(status: response.status, "the server does not give an asset")
      }
      let size = FileSystem.size(of: part) ?? 0
      guard file.size == 0 || size == file.size else {
        throw RemoteFailure(.unknown, "an asset has \(size) bytes, not \(file.size)")
      }
    }
    try FileSystem.synchronize(part)
    try FileSystem.rename(part, to: path)
  }
}

extension RemoteFile {
  /// An asset that has this file's size, and another hash than any contents.
  var standIn: Asset? {
    let hash = SHA256.hash(Array("remote \(checksum)".utf8)).hexadecimal
    return Asset(sha256: hash, size: size)
  }
}
