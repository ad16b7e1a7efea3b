internal import Basics
internal import CloudModel
internal import CloudServices
internal import Fixtures
internal import Foundation

/// The files that fetched assets name: copies, so that what an app does to them never reaches the
/// store. They are removed at the end of the process, or by the next one.
final class AssetCache: Sendable {
  private let folder: String
  private let owned: TemporaryStore?

  /// Creates the cache in the folder of a temporary store, or in a temporary folder of its own.
  init(beside temporary: TemporaryStore?) throws(CloudError) {
    do {
      owned =
        temporary == nil
        ? try TemporaryStore(in: FileManager.default.temporaryDirectory.path) : nil
      folder = (temporary ?? owned).map { $0.path + "/assets" } ?? ""
      try FileSystem.makeDirectories(folder)
    } catch {
      throw CloudError(.internalError, "cannot make a folder for assets: \(error)")
    }
  }

  /// Copies the contents of a record's asset to a file, the same for equal contents. Throws
  /// `assetNotAvailable`, and the errors of injected faults.
  func copy(
    _ asset: Asset, of record: Record, from environment: CloudEnvironment
  ) throws(CloudError) -> CKAsset {
    let path = "\(folder)/\(asset.sha256)"
    let isThere = FileSystem.status(of: path).map { Int64($0.st_size) == asset.size } ?? false
    if isThere {
      try environment.requireAssets(of: record)
    } else {
      let draft = "\(folder)/\(UUID().uuidString)"
      do {
        try environment.copy(asset, of: record, to: Basics.FileHandle(create: draft))
        try FileSystem.rename(draft, to: path)
      } catch {
        try? FileSystem.remove(draft)
        throw (error as? CloudError) ?? CloudError(.assetNotAvailable, "\(error)")
      }
    }
    return CKAsset(URL(fileURLWithPath: path), known: asset, in: self)
  }
}
