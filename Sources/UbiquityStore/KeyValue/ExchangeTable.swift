internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// A key that a device and iCloud exchange, without its values: which of them there are, and when
/// and where each was written.
public struct ExchangedKey: Sendable {
  /// When and where the device's own was written; nil for none.
  public let local: DeviceMoment?
  /// How many bytes that counts; nil for a key that was removed.
  public let localSize: Int?
  /// Whether iCloud does not know of it yet.
  public let isPending: Bool
  /// When and where that of iCloud was written; nil for none.
  public let server: DeviceMoment?
  /// How many bytes that counts; nil for a key that was removed.
  public let serverSize: Int?
  /// Whether both have the same value, or neither has one.
  public let isSame: Bool
  /// The key.
  public let key: String
}

// What a synchronization moves: values go from table to table as they are.
extension UbiquityStore {
  /// The keys that changed in iCloud since a copy was synchronized, in no order; without those that
  /// the device itself sent.
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

  /// The keys of a copy that iCloud does not know of yet, in no order.
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
    WHERE \(isNews)
    """
  private static let pendingQuery = """
    SELECT e.key, \(columns) FROM _entry e LEFT JOIN _server s ON s.account = ?2 AND s.key = e.key
    WHERE e.device = ?1 AND e.isPending
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
        found.append(
          ExchangedKey(
            local: moment(in: row, 1), localSize: size(in: row, 3), isPending: row.int64(4) != 0,
            server: moment(in: row, 5), serverSize: size(in: row, 7), isSame: row.int64(8) != 0,
            key: row.text(0)))
      }
      return found
    }
  }

  private func moment(in row: Statement, _ column: Int) -> DeviceMoment? {
    if row.isNull(column) { return nil }
    return DeviceMoment(
      Timestamp(milliseconds: row.int64(column)), on: Device(stored: row.text(column + 1)))
  }

  private func size(in row: Statement, _ column: Int) -> Int? {
    row.isNull(column) ? nil : Int(row.int64(column))
  }

  /// Gives a key of a copy what iCloud has, or removes it where that has no value.
  public func take(_ key: String, of account: Account, in copy: DeviceCopy) throws(StoreError) {
    noteChange()
    try run("\(Self.taking) AND key = ?3 \(Self.takingOver)") { statement in
      statement.bind(copy.number, 1)
      statement.bind(account.name, 2)
      statement.bind(key, 3)
    }
    if connection.changedRows == 0 { try remove(key, from: copy) }
  }

  /// Gives a copy its `news` but those of pending keys.
  public func take(
    _ news: [ExchangedKey], of account: Account, in copy: DeviceCopy
  ) throws(StoreError) {
    noteChange()
    if news.contains(where: { $0.serverSize == nil }) {
      try run(
        """
        DELETE FROM _entry WHERE device = ?1 AND NOT isPending AND key IN
          (SELECT key FROM _server s WHERE \(Self.isNews) AND value IS NULL)
        """
      ) { bind(account, copy, to: $0) }
    }
    try run("\(Self.taking) AND \(Self.isNews) \(Self.takingOver) WHERE NOT isPending") {
      bind(account, copy, to: $0)
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

  /// Gives iCloud those of a copy's `pendingKeys` that are still pending, under one number.
  public func send(
    _ pending: [ExchangedKey], of account: Account, from copy: DeviceCopy
  ) throws(StoreError) {
    let sequence = nextSequence()
    try run(
      """
      INSERT INTO _server(account, key, value, size, at, device, sequence, seal)
      SELECT ?1, key, value, size, at, writer, ?2, ckdb_seal(?1, key, value, size, at, writer, ?2)
      FROM _entry WHERE device = ?3 AND isPending
      ON CONFLICT(account, key) DO UPDATE SET value = excluded.value, size = excluded.size,
        at = excluded.at, device = excluded.device, sequence = excluded.sequence,
        seal = excluded.seal
      """
    ) { statement in
      statement.bind(account.name, 1)
      statement.bind(sequence, 2)
      statement.bind(copy.number, 3)
    }
    noteChange()
    if pending.contains(where: { $0.localSize == nil }) {
      try run("DELETE FROM _entry WHERE device = ? AND isPending AND value IS NULL") {
        $0.bind(copy.number, 1)
      }
    }
    try run(
      """
      UPDATE _entry SET isPending = 0, seal = ckdb_seal(device, key, value, size, at, writer, 0)
      WHERE device = ? AND isPending
      """
    ) { $0.bind(copy.number, 1) }
  }

  private func run(_ query: String, _ bind: (Statement) -> Void) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(query)
      bind(statement)
      try statement.run()
    }
  }
}
