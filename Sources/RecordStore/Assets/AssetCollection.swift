internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

extension EnvironmentStore {
  /// Every asset that a record of the environment holds, once each. Throws `StoreError`.
  public func heldAssets() throws(StoreError) -> [Asset] {
    var assets: [String: Asset] = [:]
    for type in try types() {
      guard let table = try table(type) else { continue }
      for column in table.columns where column.schema.type.base == .asset {
        try sql { () throws(SQLiteError) in
          let names = column.parts.map(\.name).joined(separator: ", ")
          let rows = try connection.transientStatement(
            "SELECT DISTINCT \(names) FROM \(table.table) WHERE \(column.parts[0].name) NOT NULL")
          while try rows.step() {
            for asset in column.value(in: rows, at: 0)?.assets ?? [] {
              assets[asset.sha256] = asset
            }
          }
        }
      }
    }
    return assets.values.sorted { utf8Precedes($0.sha256, $1.sha256) }
  }

  /// Removes contents that no record holds, and drafts that were left for an hour; within
  /// a write transaction, so that no save brings contents along meanwhile. Throws `StoreError`.
  public func collectAssets(now: Timestamp) throws(StoreError) -> (count: Int, bytes: Int64) {
    let lock = try WriterLock(path: file.assetsLockPath)
    try lock.lock(waitMilliseconds: waitMilliseconds)
    defer { lock.unlock() }
    try sql { () throws(SQLiteError) in
      try connection.execute("DELETE FROM _asset WHERE uses = 0")
    }
    return try assets.collect(
      keeping: Set(heldAssets().map(\.sha256)),
      draftsSince: now.milliseconds / 1000 - Self.draftSeconds)
  }

  private static let draftSeconds: Int64 = 3600
}

extension AssetFiles {
  /// Gives the hash of each file of contents to `body`, with its path. Throws `StoreError`.
  func forEach(_ body: (String, String) throws(StoreError) -> Void) throws(StoreError) {
    for first in try entries(of: root) where first != "tmp" {
      for second in try entries(of: "\(root)/\(first)") {
        let folder = "\(root)/\(first)/\(second)"
        for name in try entries(of: folder) { try body(name, "\(folder)/\(name)") }
      }
    }
  }

  private func entries(of folder: String) throws(StoreError) -> [String] {
    try onDisk { () throws(SystemError) in try FileSystem.list(folder) }
  }

  /// How many contents there are, and their bytes. Throws `StoreError`.
  public func total() throws(StoreError) -> (count: Int64, bytes: Int64) {
    var (count, bytes): (Int64, Int64) = (0, 0)
    try forEach { (_, path) throws(StoreError) in
      count += 1
      bytes += FileSystem.size(of: path) ?? 0
    }
    return (count, bytes)
  }

  /// Removes all contents but those of some hashes, and drafts that have not been written to
  /// since a moment, in seconds. Throws `StoreError`.
  func collect(
    keeping hashes: Set<String>, draftsSince moment: Int64
  ) throws(StoreError) -> (count: Int, bytes: Int64) {
    var (count, bytes): (Int, Int64) = (0, 0)
    func remove(_ path: String) throws(StoreError) {
      let size = FileSystem.size(of: path) ?? 0
      try onDisk { () throws(SystemError) in try FileSystem.remove(path) }
      count += 1
      bytes += size
    }
    try forEach { (hash, path) throws(StoreError) in
      if !hashes.contains(hash) { try remove(path) }
    }
    for name in try entries(of: "\(root)/tmp") {
      let path = "\(root)/tmp/\(name)"
      guard let time = FileSystem.modificationSeconds(of: path), time < moment else { continue }
      try remove(path)
    }
    return (count, bytes)
  }

  /// Whether the contents of an asset are there, with their hash. Throws `StoreError`.
  public func isIntact(_ asset: Asset) throws(StoreError) -> Bool {
    guard contains(asset) else { return false }
    return try hash(of: asset) == asset.sha256
  }
}
