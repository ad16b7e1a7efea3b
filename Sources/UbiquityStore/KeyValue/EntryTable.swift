internal import Basics
public import CloudModel
internal import FieldCodecs
internal import SQLite
public import StoreFiles

// The keys of each device's copy. One that was removed there has a row as long as iCloud does not
// know of it.
extension UbiquityStore {
  private static let columns = """
    key, value, at, writer, isPending, \(UbiquityTables.entry.fits())
    """

  private static let entryInCopy =
    "SELECT \(columns) FROM _entry WHERE device = ?1 AND key = ?2"

  /// A key of a copy; nil for one that it does not know.
  public func entry(
    _ key: String, in copy: DeviceCopy
  ) throws(StoreError) -> (entry: KeyValueEntry, isPending: Bool)? {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(Self.entryInCopy)
      row.bind(copy.number, 1)
      row.bind(key, 2)
      guard try row.step() else { return nil }
      defer { row.reset() }
      return try entry(in: row)
    }
  }

  /// The keys of a copy that have a value, in byte order.
  public func entries(
    of copy: DeviceCopy
  ) throws(StoreError) -> [(entry: KeyValueEntry, isPending: Bool)] {
    try entries(of: copy, where: "value IS NOT NULL")
  }

  /// The keys of a copy that iCloud does not know of yet, removed ones, too.
  public func pendingEntries(of copy: DeviceCopy) throws(StoreError) -> [KeyValueEntry] {
    try entries(of: copy, where: "isPending").map(\.entry)
  }

  private func entries(
    of copy: DeviceCopy, where condition: String
  ) throws(StoreError) -> [(entry: KeyValueEntry, isPending: Bool)] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        "SELECT \(Self.columns) FROM _entry WHERE device = ? AND \(condition) ORDER BY key")
      row.bind(copy.number, 1)
      var found: [(entry: KeyValueEntry, isPending: Bool)] = []
      while try row.step() { found.append(try entry(in: row)) }
      return found
    }
  }

  private func entry(
    in row: Statement
  ) throws(SQLiteError) -> (entry: KeyValueEntry, isPending: Bool) {
    try UbiquityTables.entry.require(row, 5)
    let entry = KeyValueEntry(
      row.text(0), try Self.value(in: row, 1), at: Timestamp(milliseconds: row.int64(2)),
      device: Device(stored: row.text(3)))
    return (entry, row.int64(4) != 0)
  }

  /// How many keys of a copy have a value, and how many bytes these count.
  public func usage(of copy: DeviceCopy) throws(StoreError) -> (keys: Int, bytes: Int) {
    try usage("_entry WHERE device = ?") { $0.bind(copy.number, 1) }
  }

  /// The same of the rows that a condition names.
  func usage(
    _ rows: String, _ bind: (Statement) -> Void
  ) throws(StoreError) -> (keys: Int, bytes: Int) {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        "SELECT count(*), ifnull(sum(size), 0) FROM \(rows) AND value IS NOT NULL")
      bind(row)
      defer { row.reset() }
      return try row.step() ? (Int(row.int64(0)), Int(row.int64(1))) : (0, 0)
    }
  }

  /// Sets a key of a copy; `isPending` where iCloud does not know of it.
  public func put(
    _ entry: KeyValueEntry, isPending: Bool, in copy: DeviceCopy
  ) throws(StoreError) {
    if !isPending, entry.value == nil { return try remove(entry.key, from: copy) }
    noteChange()
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        INSERT INTO _entry(device, key, value, size, at, writer, isPending, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ckdb_seal(?1, ?2, ?3, ?4, ?5, ?6, ?7))
        ON CONFLICT(device, key) DO UPDATE SET value = excluded.value, size = excluded.size,
          at = excluded.at, writer = excluded.writer, isPending = excluded.isPending,
          seal = excluded.seal
        """)
      statement.bind(copy.number, 1)
      statement.bind(entry.key, 2)
      Self.bind(entry.value, to: statement, 3)
      statement.bind(entry.at.milliseconds, 5)
      statement.bind(entry.device.name, 6)
      statement.bind(Int64(isPending ? 1 : 0), 7)
      try statement.run()
    }
  }

  /// Whether iCloud does not know of some keys of a copy yet.
  public func hasPending(in copy: DeviceCopy) throws(StoreError) -> Bool {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        "SELECT 1 FROM _entry WHERE device = ? AND isPending LIMIT 1")
      row.bind(copy.number, 1)
      defer { row.reset() }
      return try row.step()
    }
  }

  /// Forgets a key of a copy.
  public func remove(_ key: String, from copy: DeviceCopy) throws(StoreError) {
    noteChange()
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement("DELETE FROM _entry WHERE device = ? AND key = ?")
      statement.bind(copy.number, 1)
      statement.bind(key, 2)
      try statement.run()
    }
  }

  // MARK: Values

  /// Binds a value, and its size at the place after it.
  static func bind(_ value: PropertyListValue?, to statement: Statement, _ place: Int) {
    if let value {
      statement.bind(value.tagged.text, place)
    } else {
      statement.bindNull(place)
    }
    statement.bind(Int64(value?.size ?? 0), place + 1)
  }

  static func value(
    in row: Statement, _ column: Int
  ) throws(SQLiteError) -> PropertyListValue? {
    if row.isNull(column) { return nil }
    let text = row.text(column)
    guard let json = try? JSONParser.parse(text), let value = try? PropertyListValue(tagged: json)
    else {
      row.reset()
      throw SQLiteError(code: 11, message: "a value of the key-value store is damaged")
    }
    return value
  }
}
