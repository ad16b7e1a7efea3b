internal import Basics
public import CloudModel
internal import FieldCodecs
internal import SQLite
public import StoreFiles

/// A key in a copy, with its row.
struct StoredEntry: StoredRow {
  static let table = UbiquityTables.entry

  let copy: Int64
  let value: StoredKeyValue
  let at: Timestamp
  let writer: Device
  let isPending: Bool
  let key: String

  init(_ entry: KeyValueEntry, isPending: Bool, in copy: DeviceCopy) {
    (self.copy, key, at, writer) = (copy.number, entry.key, entry.at, entry.device)
    (value, self.isPending) = (StoredKeyValue(entry.value), isPending)
  }

  init(_ row: Row) {
    (copy, key, value) = (row["device"], row["key"], row["value"])
    (at, writer, isPending) = (row["at"], row["writer"], row["isPending"])
  }

  var values: KeyValuePairs<String, any StoredValue> {
    [
      "device": copy, "key": key, "value": value, "size": value.value?.size ?? 0, "at": at,
      "writer": writer, "isPending": isPending,
    ]
  }

  func entry() throws(StoreError) -> KeyValueEntry {
    KeyValueEntry(key, try value.sound(), at: at, device: writer)
  }
}

/// The value of a key, as JSON with types; NULL for a key that was removed.
struct StoredKeyValue: StoredValue {
  let value: PropertyListValue?
  private let isSound: Bool

  init(_ value: PropertyListValue?) { (self.value, isSound) = (value, true) }

  init(stored column: Statement.ColumnValue) {
    value = (try? JSONParser.parse(String(stored: column))).flatMap {
      try? PropertyListValue(tagged: $0)
    }
    isSound = value != nil || column.isNull
  }

  func bind(to statement: Statement, _ place: Int) {
    (value?.tagged.text).bind(to: statement, place)
  }

  /// The value. Throws `StoreError` for an invalid text.
  func sound() throws(StoreError) -> PropertyListValue? {
    if isSound { return value }
    throw StoreError(.corrupt, "a value of the key-value store is damaged")
  }
}

// The keys of each device's copy. A key that was removed there keeps its row until iCloud has the
// removal.
extension UbiquityStore {
  /// A key of a copy; nil if there is none.
  public func entry(
    _ key: String, in copy: DeviceCopy
  ) throws(StoreError) -> (entry: KeyValueEntry, isPending: Bool)? {
    let found: StoredEntry? = try row("WHERE device = ? AND key = ?", [copy.number, key])
    guard let found else { return nil }
    return (try found.entry(), found.isPending)
  }

  /// The keys of a copy that have a value, in byte order.
  public func entries(
    of copy: DeviceCopy
  ) throws(StoreError) -> [(entry: KeyValueEntry, isPending: Bool)] {
    try requireAllEntries(of: copy)
    return try entries(of: copy, where: "value IS NOT NULL")
  }

  private func requireAllEntries(of copy: DeviceCopy) throws(StoreError) {
    try database.requireAllRows(
      of: UbiquityTables.entry, owner: copy.number, by: "sqlite_autoindex__entry_1"
    ) {
      "the keys of device '\(copy.device.name)'"
    }
  }

  /// The keys of a copy that iCloud does not have yet, including removed ones.
  public func pendingEntries(of copy: DeviceCopy) throws(StoreError) -> [KeyValueEntry] {
    try entries(of: copy, where: "isPending").map(\.entry)
  }

  private func entries(
    of copy: DeviceCopy, where condition: String
  ) throws(StoreError) -> [(entry: KeyValueEntry, isPending: Bool)] {
    let found: [StoredEntry] = try rows(
      "WHERE device = ? AND \(condition) ORDER BY key", [copy.number])
    return try found.map { (row) throws(StoreError) in (try row.entry(), row.isPending) }
  }

  /// The number of keys of a copy that have a value, and the bytes that they count.
  public func usage(of copy: DeviceCopy) throws(StoreError) -> (keys: Int, bytes: Int) {
    try requireAllEntries(of: copy)
    return try usage("_entry WHERE device = ?", [copy.number])
  }

  /// The same numbers for the rows that a condition selects.
  func usage(
    _ rows: String, _ values: [any StoredValue]
  ) throws(StoreError) -> (keys: Int, bytes: Int) {
    try database.first(
      "SELECT count(*), ifnull(sum(size), 0) FROM \(rows) AND value IS NOT NULL", values
    ) { (Int($0.int64(0)), Int($0.int64(1))) } ?? (0, 0)
  }

  /// Sets a key of a copy; `isPending` until iCloud has it.
  public func put(
    _ entry: KeyValueEntry, isPending: Bool, in copy: DeviceCopy
  ) throws(StoreError) {
    if !isPending, entry.value == nil { return try remove(entry.key, from: copy) }
    try insert(StoredEntry(entry, isPending: isPending, in: copy), .update)
  }

  /// Whether iCloud does not have some keys of a copy yet.
  public func hasPending(in copy: DeviceCopy) throws(StoreError) -> Bool {
    try database.hasRow("SELECT 1 FROM _entry WHERE device = ? AND isPending", [copy.number])
  }

  /// Removes a key of a copy.
  public func remove(_ key: String, from copy: DeviceCopy) throws(StoreError) {
    try delete(from: UbiquityTables.entry, "device = ? AND key = ?", [copy.number, key])
  }
}
