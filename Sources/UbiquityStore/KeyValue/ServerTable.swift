internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

// What iCloud has of each account. A key that was removed keeps its row, so that the removal can
// win or lose like a write (kvs-documents.md A5).
extension UbiquityStore {
  private static let columns = "key, value, at, device, \(UbiquityTables.server.fits())"

  /// The keys of an account, removed ones, too, in byte order.
  public func serverEntries(of account: Account) throws(StoreError) -> [KeyValueEntry] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        "SELECT \(Self.columns) FROM _server WHERE account = ? ORDER BY key")
      row.bind(account.name, 1)
      var found: [KeyValueEntry] = []
      while try row.step() { found.append(try serverEntry(in: row)) }
      return found
    }
  }

  /// Whether something changed since a copy was synchronized.
  public func hasNews(of account: Account, for copy: DeviceCopy) throws(StoreError) -> Bool {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        "SELECT 1 FROM _server WHERE account = ? AND sequence > ? LIMIT 1")
      row.bind(account.name, 1)
      row.bind(copy.seen, 2)
      defer { row.reset() }
      return try row.step()
    }
  }

  private func serverEntry(in row: Statement) throws(SQLiteError) -> KeyValueEntry {
    try UbiquityTables.server.require(row, 4)
    return KeyValueEntry(
      row.text(0), try Self.value(in: row, 1), at: Timestamp(milliseconds: row.int64(2)),
      device: Device(stored: row.text(3)))
  }

  /// How many keys of an account have a value in iCloud, and how many bytes these count.
  public func serverUsage(of account: Account) throws(StoreError) -> (keys: Int, bytes: Int) {
    try usage("_server WHERE account = ?") { $0.bind(account.name, 1) }
  }

  /// Sets a key of an account in iCloud, under the next number.
  public func putOnServer(
    _ entry: KeyValueEntry, of account: Account
  ) throws(StoreError) {
    let sequence = nextSequence()
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        INSERT INTO _server(account, key, value, size, at, device, sequence, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ckdb_seal(?1, ?2, ?3, ?4, ?5, ?6, ?7))
        ON CONFLICT(account, key) DO UPDATE SET value = excluded.value, size = excluded.size,
          at = excluded.at, device = excluded.device, sequence = excluded.sequence,
          seal = excluded.seal
        """)
      statement.bind(account.name, 1)
      statement.bind(entry.key, 2)
      Self.bind(entry.value, to: statement, 3)
      statement.bind(entry.at.milliseconds, 5)
      statement.bind(entry.device.name, 6)
      statement.bind(sequence, 7)
      try statement.run()
    }
  }
}

// The events of each device's copy.
extension UbiquityStore {
  /// Adds an event of a copy.
  public func addEvent(
    _ reason: KeyValueEvent.Reason, _ keys: [String], of copy: DeviceCopy, at time: Timestamp
  ) throws(StoreError) {
    let number = nextSequence()
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        INSERT INTO _event(_id, device, reason, keys, at, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, ckdb_seal(?2, ?3, ?4, ?5))
        """)
      statement.bind(number, 1)
      statement.bind(copy.number, 2)
      statement.bind(Int64(reason.rawValue), 3)
      statement.bind(JSONValue.array(keys.map { .string($0) }).text, 4)
      statement.bind(time.milliseconds, 5)
      try statement.run()
    }
  }

  /// The events of a copy after a number, oldest first.
  public func events(
    of copy: DeviceCopy, after number: Int64
  ) throws(StoreError) -> [KeyValueEvent] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        SELECT _id, reason, keys, at, \(UbiquityTables.event.fits()) FROM _event
        WHERE device = ? AND _id > ? ORDER BY _id
        """)
      row.bind(copy.number, 1)
      row.bind(number, 2)
      var found: [KeyValueEvent] = []
      while try row.step() {
        try UbiquityTables.event.require(row, 4)
        let keys = (try? JSONParser.parse(row.text(2)))?.array ?? []
        found.append(
          KeyValueEvent(
            number: row.int64(0), reason: .init(rawValue: Int(row.int64(1))) ?? .serverChange,
            keys: keys.compactMap(\.string), device: copy.device,
            at: Timestamp(milliseconds: row.int64(3))))
      }
      return found
    }
  }
}
