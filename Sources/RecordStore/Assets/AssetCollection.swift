internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

extension EnvironmentStore {
  /// The contents of this environment's assets.
  public var assets: AssetFiles { AssetFiles(folder: file.assetsPath, patience.interruption) }

  /// Every asset that a record of the environment has, once each.
  public func heldAssets() throws(StoreError) -> [Asset] {
    var assets: [String: Asset] = [:]
    for type in try types() {
      guard let table = try table(type) else { continue }
      for column in table.columns where column.schema.type.base == .asset {
        let names = column.parts.map(\.name).joined(separator: ", ")
        let rows = try connection.query(
          "SELECT DISTINCT \(names) FROM \(table.table) WHERE \(column.parts[0].name) NOT NULL")
        while try rows.next() {
          for asset in column.value(in: rows, at: 0)?.assets ?? [] {
            assets[asset.sha256] = asset
          }
        }
      }
    }
    return assets.values.sorted { utf8Precedes($0.sha256, $1.sha256) }
  }

  /// Removes contents that no record has, and drafts older than an hour. Call it within a write
  /// transaction, so that no save adds contents meanwhile.
  public func collectAssets(now: Timestamp) throws(StoreError) -> (count: Int, bytes: Int64) {
    let lock = try database.lockAssets()
    defer { lock.unlock() }
    try connection.perform("DELETE FROM _asset WHERE uses = 0")
    let held = try heldAssets()
    // A record that a damaged page hides still has its contents.
    try requireWholePages()
    return try assets.collect(
      keeping: Set(held.map(\.sha256)),
      draftsSince: now.milliseconds / 1000 - Self.draftSeconds)
  }

  private static let draftSeconds: Int64 = 3600
}
