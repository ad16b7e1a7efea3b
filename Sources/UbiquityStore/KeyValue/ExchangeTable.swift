internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// A key that a device and iCloud exchange, without its values: which of them there are, and when
/// and where each was written.
public struct ExchangedKey: Sendable {
  /// When and where the device's own was written; nil for none.
  public let local: KeyValueEntry?
  /// How many bytes that counts; nil for a key that was removed.
  public let localSize: Int?
  /// Whether iCloud does not know of it yet.
  public let isPending: Bool
  /// When and where that of iCloud was written; nil for none.
  public let server: KeyValueEntry?
  /// How many bytes that counts; nil for a key that was removed.
  public let serverSize: Int?
  /// Whether both have the same value, or neither has one.
  public let isSame: Bool
  /// The key.
  public let key: String
}

// What a synchronization moves: values go from table to table as they are.
extension UbiquityStore {
  /// The keys that changed in iCloud since a copy was synchronized, in the order of the changes;
  /// without those that the device itself sent. Throws `StoreError`.
  public func news(of account: Account, for copy: DeviceCopy) throws(StoreError) -> [ExchangedKey] {
    try exchanged(Self.newsQuery) { bind(account, copy, to: $0) }
  }

  /// Binds what tells the news of a copy from the other keys of an account.
  private func bind(_ account: Account, _ copy: DeviceCopy, to statement: Statement) {
    statement.bind(copy.number, 1)
    statement.bind(account.name, 2)
    statement.bind(copy.seen, 3)
    // The first synchronization also brings back what a device of that name has sent.
    if copy.isSynchronized { statement.bind(copy.device.name, 4) } else { statement.bindNull(4) }
  }

  /// Of a row `s` of iCloud.
  private static let isNews = "s.account = ?2 AND s.sequence > ?3 AND s.device IS NOT ?4"

  /// The keys of a copy that iCloud does not know of yet, in the order of their times. Throws
  /// `StoreError`.
  public func pendingKeys(
    of account: Account, in copy: DeviceCopy
  ) throws(StoreError) -> [ExchangedKey] {
    try exchanged(Self.pendingQuery) { row in
      row.bind(copy.number, 1)
      row.bind(account.name, 2)
    }
  }

  private static let columns = """
    e.at, e.writer, CASE WHEN e.value IS NULL THEN NULL ELSE e.size END, ifnull(e.isPending, 0),
    s.at, s.device, CASE WHEN s.value IS NULL THEN NULL ELSE s.size END, e.value IS s.value,
    ifnull(\(UbiquityTables.entry.fits("e")), e.at IS NULL)
      AND ifnull(\(UbiquityTables.server.fits("s")), s.at IS NULL)
    """
  private static let newsQuery = """
    SELECT s.key, \(columns) FROM _server s LEFT JOIN _entry e ON e.device = ?1 AND e.key = s.key
    WHERE \(isNews) ORDER BY s.sequence
    """
  private static let pendingQuery = """
    SELECT e.key, \(columns) FROM _entry e LEFT JOIN _server s ON s.account = ?2 AND s.key = e.key
    WHERE e.device = ?1 AND e.isPending ORDER BY e.at, e.key
    """

  private func exchanged(
    _ query: String, _ bind: (Statement) -> Void
  ) throws(StoreError) -> [ExchangedKey] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(query)
      bind(row)
      var found: [ExchangedKey] = []
      while try row.step() {
        try UbiquityTables.entry.require(row, 9)
        let key = row.text(0)
        func entry(_ column: Int) -> KeyValueEntry? {
          row.isNull(column)
            ? nil
            : KeyValueEntry(
              key, nil, at: Timestamp(milliseconds: row.int64(column)),
              device: Device(stored: row.text(column + 1)))
        }
        found.append(
          ExchangedKey(
            local: entry(1), localSize: row.isNull(3) ? nil : Int(row.int64(3)),
            isPending: row.int64(4) != 0, server: entry(5),
            serverSize: row.isNull(7) ? nil : Int(row.int64(7)), isSame: row.int64(8) != 0,
            key: key))
      }
      return found
    }
  }

  /// Gives a key of a copy what iCloud has, or removes it where that has no value. Throws
  /// `StoreError`.
  public func take(_ key: String, of account: Account, in copy: DeviceCopy) throws(StoreError) {
    noteChange()
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement("\(Self.taking) AND key = ?3 \(Self.takingOver)")
      statement.bind(copy.number, 1)
      statement.bind(account.name, 2)
      statement.bind(key, 3)
      try statement.run()
    }
    if connection.changedRows == 0 { try remove(key, from: copy) }
  }

  /// Gives a copy all of its `news` but those of pending keys. Throws `StoreError`.
  public func takeNews(of account: Account, in copy: DeviceCopy) throws(StoreError) {
    noteChange()
    try sql { () throws(SQLiteError) in
      for sql in [
        """
        DELETE FROM _entry WHERE device = ?1 AND NOT isPending AND key IN
          (SELECT key FROM _server s WHERE \(Self.isNews) AND value IS NULL)
        """, "\(Self.taking) AND \(Self.isNews) \(Self.takingOver) WHERE NOT isPending",
      ] {
        let statement = try connection.statement(sql)
        bind(account, copy, to: statement)
        try statement.run()
      }
    }
  }

  private static let taking = """
    INSERT INTO _entry(device, key, value, size, at, writer, isPending, seal)
    SELECT ?1, key, value, size, at, device, 0, ckdb_seal(?1, key, value, size, at, device, 0)
    FROM _server s WHERE account = ?2 AND value IS NOT NULL
    """
  private static let takingOver = """
    ON CONFLICT(device, key) DO UPDATE SET value = excluded.value, size = excluded.size,
      at = excluded.at, writer = excluded.writer, isPending = 0, seal = excluded.seal
    """

  /// Gives iCloud all keys of a copy that it does not know of, under one number. Throws
  /// `StoreError`.
  public func sendPending(of account: Account, from copy: DeviceCopy) throws(StoreError) {
    let sequence = nextSequence()
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        INSERT INTO _server(account, key, value, size, at, device, sequence, seal)
        SELECT ?1, key, value, size, at, writer, ?2, ckdb_seal(?1, key, value, size, at, writer, ?2)
        FROM _entry WHERE device = ?3 AND isPending
        ON CONFLICT(account, key) DO UPDATE SET value = excluded.value, size = excluded.size,
          at = excluded.at, device = excluded.device, sequence = excluded.sequence,
          seal = excluded.seal
        """)
      statement.bind(account.name, 1)
      statement.bind(sequence, 2)
      statement.bind(copy.number, 3)
      try statement.run()
    }
    try settle(copy)
  }

  /// Notes that iCloud knows of all keys of a copy.
  private func settle(_ copy: DeviceCopy) throws(StoreError) {
    noteChange()
    try sql { () throws(SQLiteError) in
      for sql in [
        "DELETE FROM _entry WHERE device = ? AND isPending AND value IS NULL",
        """
        UPDATE _entry SET isPending = 0, seal = ckdb_seal(device, key, value, size, at, writer, 0)
        WHERE device = ? AND isPending
        """,
      ] {
        let statement = try connection.statement(sql)
        statement.bind(copy.number, 1)
        try statement.run()
      }
    }
  }
}
