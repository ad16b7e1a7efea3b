internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// The version of a record that a remote and this store had in common.
public struct RemoteBase: Sendable {
  /// The record's name.
  public let name: RecordName
  let type: Int64
  /// The change tag there; empty if they never had a version in common.
  public var tag: String
  /// The sequence number of the record here.
  public var sequence: Int64
  /// The sum of the record's contents.
  public var sum: ContentSum
  /// The number of the feed or query that met it last.
  public var round: Int64
  /// The tag of a version there that was not taken over; empty for its deletion there; nil for
  /// none.
  public var newer: String?
}

/// Sums over the contents of a record, without its versions, dates and users.
public struct ContentSum: Sendable, Equatable {
  /// Over all values and the parent.
  public var all: UInt64
  /// Over the assets.
  public var assets: UInt64

  /// That of no record. A record without values has zeros.
  public static let none = ContentSum(all: .max, assets: .max)
}

extension TypeTable {
  /// The sums over a record's contents.
  public func contents(of record: Record) -> ContentSum {
    var sum = ContentSum(all: checksum(record.fields), assets: 0)
    if let parent = record.parent {
      var hash = Checksum64(seed: Self.parentSeed)
      hash.add(parent.text)
      sum.all &+= hash.finish()
    }
    if hasAssets {
      let assets = Set(assetFields)
      sum.assets = checksum(
        RecordFields(sorted: record.fields.entries.filter { assets.contains($0.name) }))
    }
    return sum
  }

  /// The sums over the contents that a push can send: without encrypted values.
  public func plainContents(of record: Record) -> ContentSum {
    guard schema.fields.contains(where: \.type.isEncrypted) else { return contents(of: record) }
    var plain = record
    for field in schema.fields where field.type.isEncrypted { plain.fields[field.name] = nil }
    return contents(of: plain)
  }

  private static var parentSeed: UInt64 { 3 }
}

extension RemoteBase {
  fileprivate init(_ row: Row) {
    (name, type, tag, sequence) = (row["name"], row["type"], row["tag"], row["sequence"])
    sum = ContentSum(all: row["checksum"], assets: row["assets"])
    (round, newer) = (row["round"], row["newer"])
  }

  static let selection = EnvironmentTables.remoteRecord.selection()
}

extension EnvironmentStore {
  /// The version of a record in common; nil for none.
  public func base(
    of name: RecordName, in zone: StoredRemoteZone
  ) throws(StoreError) -> RemoteBase? {
    let statement = try connection.prepared(Self.baseOfName)
    statement.bind(zone.number, 1)
    statement.bind(name.text, 2)
    guard try statement.next() else { return nil }
    defer { statement.reset() }
    return RemoteBase(try Row(EnvironmentTables.remoteRecord, in: statement))
  }

  // Each record of a page needs these: the texts are made once.
  private static let baseOfName =
    "SELECT \(RemoteBase.selection) FROM _remote_record WHERE zone = ? AND name = ?"
  private static let replacingBase = EnvironmentTables.remoteRecord.insertion(.replace)

  private func bases(
    _ condition: String, _ values: [any StoredValue]
  ) throws(StoreError) -> [RemoteBase] {
    try database.all(
      "SELECT \(RemoteBase.selection) FROM _remote_record WHERE \(condition)", values
    ) { (statement) throws(StoreError) in
      RemoteBase(try Row(EnvironmentTables.remoteRecord, in: statement))
    }
  }

  /// Notes that a record here has the same contents as a version there.
  public func setBase(
    of record: StoredRecord, tag: String, _ sum: ContentSum, round: Int64,
    in zone: StoredRemoteZone
  ) throws(StoreError) {
    try set(
      RemoteBase(
        name: record.record.name, type: record.type, tag: tag, sequence: record.sequence, sum: sum,
        round: round, newer: nil), in: zone)
  }

  /// Notes that a record that was just written has the same contents as a version there.
  public func setBase(
    of name: RecordName, _ table: TypeTable, sequence: Int64, tag: String, _ sum: ContentSum,
    round: Int64, in zone: StoredRemoteZone
  ) throws(StoreError) {
    try set(
      RemoteBase(
        name: name, type: table.number, tag: tag, sequence: sequence, sum: sum, round: round,
        newer: nil), in: zone)
  }

  /// Notes that a version there was not taken over, of a record that never had a version in common.
  public func noteUntaken(
    _ name: RecordName, newer: String, round: Int64, in zone: StoredRemoteZone
  ) throws(StoreError) {
    try set(
      RemoteBase(
        name: name, type: 0, tag: "", sequence: 0, sum: .none, round: round, newer: newer),
      in: zone)
  }

  /// Sets the version in common.
  public func set(_ base: RemoteBase, in zone: StoredRemoteZone) throws(StoreError) {
    let statement = try connection.prepared(Self.replacingBase)
    statement.bind(zone.number, 1)
    statement.bind(base.name.text, 2)
    statement.bind(base.type, 3)
    statement.bind(base.tag, 4)
    statement.bind(base.sequence, 5)
    statement.bind(Int64(bitPattern: base.sum.all), 6)
    statement.bind(Int64(bitPattern: base.sum.assets), 7)
    statement.bind(base.round, 8)
    base.newer.bind(to: statement, 9)
    try statement.perform()
  }

  /// Forgets the version in common.
  public func removeBase(
    of name: RecordName, in zone: StoredRemoteZone
  ) throws(StoreError) {
    try database.delete(
      from: EnvironmentTables.remoteRecord, "zone = ? AND name = ?", [zone.number, name])
  }

  /// The records that the current round of a feed, or of a query for a type, has not met.
  public func unmet(
    by round: Int64, of table: TypeTable?, in zone: StoredRemoteZone
  ) throws(StoreError) -> [RemoteBase] {
    guard let table else {
      return try bases("zone = ? AND round < ? ORDER BY name", [zone.number, round])
    }
    return try bases(
      "zone = ? AND round < ? AND type = ? ORDER BY name", [zone.number, round, table.number])
  }

  /// The records whose version there was not taken over.
  public func outrun(in zone: StoredRemoteZone) throws(StoreError) -> [RemoteBase] {
    try bases("zone = ? AND newer IS NOT NULL ORDER BY name", [zone.number])
  }

  /// The records that a remote has, as far as is known, and this store has not: deleted here.
  /// `stored` is the zone here; nil if it is deleted.
  public func deletedHere(
    in zone: StoredRemoteZone, _ stored: StoredZone?
  ) throws(StoreError) -> [RemoteBase] {
    guard let stored else {
      return try bases("zone = ? AND tag <> '' ORDER BY name", [zone.number])
    }
    return try bases(
      """
      zone = ? AND tag <> '' AND NOT EXISTS (SELECT 1 FROM _record r WHERE r.zone = ?
        AND r.name = _remote_record.name) ORDER BY name
      """, [zone.number, stored.number])
  }

  /// How many records of each type a remote has in a zone, as far as is known.
  public func baseCounts(
    in zone: StoredRemoteZone
  ) throws(StoreError) -> [(type: RecordType?, count: Int)] {
    let counts = try database.all(
      """
      SELECT type, count(*) FROM _remote_record WHERE zone = ? AND tag <> '' GROUP BY type
      """, [zone.number]
    ) { row -> (Int64, Int) in
      var cells = Cells(row)
      return (cells.next(), cells.next())
    }
    var found: [(type: RecordType?, count: Int)] = []
    for (number, count) in counts {
      found.append((try catalog.table(number: number)?.schema.name, count))
    }
    return found
  }

  /// The type of a record in common; nil if it was dropped.
  public func type(of base: RemoteBase) throws(StoreError) -> RecordType? {
    try catalog.table(number: base.type)?.schema.name
  }

  /// Forgets what the store and a remote had in common of records that are not here.
  public func removeBasesWithoutRecords(
    in zone: StoredRemoteZone, _ stored: StoredZone?
  ) throws(StoreError) {
    try database.delete(
      from: EnvironmentTables.remoteRecord,
      "zone = ? AND NOT EXISTS (SELECT 1 FROM _record r WHERE r.zone = ? AND r.name = "
        + "_remote_record.name)", [zone.number, stored?.number ?? 0])
  }

  /// The numbers of a type's records in a zone whose versions here are not those in common, oldest
  /// first.
  public func changedSinceBase(
    _ table: TypeTable, in stored: StoredZone, _ zone: StoredRemoteZone?
  ) throws(StoreError) -> [Int64] {
    try database.values(
      """
      SELECT t._id FROM \(table.table) t LEFT JOIN _remote_record b
      ON b.zone = ? AND b.name = t._name
      WHERE t._zone = ? AND (b.sequence IS NULL OR b.sequence <> t._sequence) ORDER BY t._id
      """, [zone?.number ?? 0, stored.number])
  }

  /// The record of a type with a number.
  public func stored(
    numbered number: Int64, _ table: TypeTable, in zone: StoredZone
  ) throws(StoreError) -> StoredRecord {
    try stored(numbered: number, type: table.number, in: zone)
  }

  /// Whether a zone has no records.
  public func isEmpty(_ zone: StoredZone) throws(StoreError) -> Bool {
    try !database.hasRow("SELECT 1 FROM _record WHERE zone = ? LIMIT 1", [zone.number])
  }

  /// The folder of downloaded files that no record has yet.
  public var downloads: String { file.downloads }

  /// The current incarnation of the file.
  public func currentIncarnation() throws(StoreError) -> Int64 {
    try incarnations()[0].identity
  }
}
