internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// A key of an account in iCloud, with its row.
private struct ServerEntry: StoredRow {
  static let table = UbiquityTables.server

  let account: Account
  let value: StoredKeyValue
  let at: Timestamp
  let device: Device
  let sequence: Int64
  let key: String

  init(_ entry: KeyValueEntry, of account: Account, sequence: Int64) {
    (self.account, key, value) = (account, entry.key, StoredKeyValue(entry.value))
    (at, device, self.sequence) = (entry.at, entry.device, sequence)
  }

  init(_ row: Row) {
    (account, key, value) = (row["account"], row["key"], row["value"])
    (at, device, sequence) = (row["at"], row["device"], row["sequence"])
  }

  var values: KeyValuePairs<String, any StoredValue> {
    [
      "account": account, "key": key, "value": value, "size": value.value?.size ?? 0, "at": at,
      "device": device, "sequence": sequence,
    ]
  }
}

// The keys of each account in iCloud. A removed key keeps its row, so that the removal can win or
// lose like a write (kvs-documents.md A5).
extension UbiquityStore {
  /// The keys of an account in byte order, including removed ones.
  public func serverEntries(of account: Account) throws(StoreError) -> [KeyValueEntry] {
    try requireAllServerEntries(of: account)
    let found: [ServerEntry] = try rows("WHERE account = ? ORDER BY key", [account])
    return try found.map { (row) throws(StoreError) in
      KeyValueEntry(row.key, try row.value.sound(), at: row.at, device: row.device)
    }
  }

  /// Whether something changed since a copy was synchronized.
  public func hasNews(of account: Account, for copy: DeviceCopy) throws(StoreError) -> Bool {
    try database.hasRow(
      "SELECT 1 FROM _server WHERE account = ? AND sequence > ?", [account, copy.seen])
  }

  /// The number of keys of an account that have a value in iCloud, and the bytes that they count.
  public func serverUsage(of account: Account) throws(StoreError) -> (keys: Int, bytes: Int) {
    try requireAllServerEntries(of: account)
    return try usage("_server WHERE account = ?", [account])
  }

  private func requireAllServerEntries(of account: Account) throws(StoreError) {
    try database.requireAllRows(
      of: UbiquityTables.server, owner: account, by: "sqlite_autoindex__server_1"
    ) {
      "the keys of account '\(account.name)' in iCloud"
    }
  }

  /// Sets a key of an account in iCloud, under the next number.
  public func putOnServer(
    _ entry: KeyValueEntry, of account: Account
  ) throws(StoreError) {
    try database.insert(ServerEntry(entry, of: account, sequence: nextSequence()), .update)
  }
}

/// An event of a copy, with its row.
private struct StoredEvent: StoredRow {
  static let table = UbiquityTables.event

  let number: Int64
  let copy: Int64
  let reason: KeyValueEvent.Reason
  let keys: [String]
  let at: Timestamp
}

extension StoredEvent {
  init(_ row: Row) {
    let keys = (try? JSONParser.parse(row["keys"] as String))?.array ?? []
    self.init(
      number: row.number, copy: row["device"],
      reason: KeyValueEvent.Reason(rawValue: row["reason"]) ?? .serverChange,
      keys: keys.compactMap(\.string), at: row["at"])
  }

  var values: KeyValuePairs<String, any StoredValue> {
    [
      "device": copy, "reason": reason.rawValue,
      "keys": JSONValue.array(keys.map { .string($0) }).text, "at": at,
    ]
  }
}

// The events of each device's copy.
extension UbiquityStore {
  /// Adds an event of a copy.
  public func addEvent(
    _ reason: KeyValueEvent.Reason, _ keys: [String], of copy: DeviceCopy, at time: Timestamp
  ) throws(StoreError) {
    try database.insert(
      StoredEvent(
        number: nextSequence(), copy: copy.number, reason: reason, keys: keys, at: time))
  }

  /// The events of a copy after a number, oldest first.
  public func events(
    of copy: DeviceCopy, after number: Int64
  ) throws(StoreError) -> [KeyValueEvent] {
    let found: [StoredEvent] = try rows(
      "WHERE device = ? AND _id > ? ORDER BY _id", [copy.number, number])
    return found.map {
      KeyValueEvent(
        number: $0.number, reason: $0.reason, keys: $0.keys, device: copy.device, at: $0.at)
    }
  }
}
