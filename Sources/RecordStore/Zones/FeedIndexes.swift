internal import CloudModel
internal import SQLite
public import StoreFiles

/// The indexes that find a page of a zone's changes without reading the whole zone: of records by
/// their change tags, and of tombstones. The first page that needs them makes them, as queries do.
public struct FeedIndexes: Sendable {
  /// The types whose records must be indexed.
  var types: [RecordType] = []
  /// Whether the tombstones must be.
  var hasTombstones = false

  /// None.
  public init() {}

  /// Whether there is nothing to make.
  public var isEmpty: Bool { types.isEmpty && !hasTombstones }

  /// The index of tombstones, and the statement that makes it.
  static let tombstones = PhysicalIndex.prefix + "_tombstone._sequence"
  static let tombstoneCreation = """
    CREATE INDEX IF NOT EXISTS "\(tombstones)" ON _tombstone(zone, sequence)
    """
}

extension EnvironmentStore {
  /// The indexes that the feed of a zone needs and does not have.
  public func missingFeedIndexes(of zone: StoredZone) throws(StoreError) -> FeedIndexes {
    var missing = FeedIndexes()
    if zone.zone.recordCount >= fewChanges {
      for type in try types() {
        guard let table = try table(type), try feedIndex(of: table) == nil else { continue }
        if try hasMany(table.table) { missing.types.append(type) }
      }
    }
    if try !hasTombstoneIndex() { missing.hasTombstones = try hasMany("_tombstone") }
    return missing
  }

  private func hasMany(_ table: String) throws(StoreError) -> Bool {
    try connection.number(
      "SELECT EXISTS(SELECT 1 FROM \(table) LIMIT 1 OFFSET \(max(fewChanges, 1) - 1))") == 1
  }

  private func hasTombstoneIndex() throws(StoreError) -> Bool {
    try catalog.hasIndex(FeedIndexes.tombstones)
  }

  /// The index of a type's records by their change tags; nil if there is none.
  func feedIndex(of table: TypeTable) throws(StoreError) -> PhysicalIndex? {
    let index = table.index(of: SystemKey.changeTag.rawValue)
    let names = try catalog.indexNames(of: table)
    return index.flatMap { names.contains($0.name) ? $0 : nil }
  }

  /// Makes indexes, in a write transaction.
  public func build(_ indexes: FeedIndexes) throws(StoreError) {
    for type in indexes.types {
      guard let table = try table(type), let index = table.index(of: SystemKey.changeTag.rawValue)
      else { continue }
      try build([index], of: table)
    }
    guard indexes.hasTombstones else { return }
    try connection.perform(FeedIndexes.tombstoneCreation)
    try catalog.changed()
    catalog.indexNames = nil
  }
}
