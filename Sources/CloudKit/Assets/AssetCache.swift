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

  /// Copies the contents of a record's asset to a file of its own. Throws `assetNotAvailable`, and
  /// the errors of injected faults.
  func copy(
    _ asset: Asset, of record: Record, from environment: CloudEnvironment
  ) throws(CloudError) -> CKAsset {
    let path = "\(folder)/\(UUID().uuidString)"
    do {
      try environment.copy(asset, of: record, to: FileHandle(create: path))
    } catch let error as CloudError { throw error } catch {
      throw CloudError(.assetNotAvailable, "\(error)")
    }
    return CKAsset(URL(fileURLWithPath: path), known: asset, in: self)
  }
}
