internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// A key that a device and iCloud exchange, without its values: which of them exist, and when and
/// where each was written.
public struct ExchangedKey: Sendable {
  /// When and where the device's value was written; nil if it has none.
  public let local: DeviceMoment?
  /// The bytes that it counts; nil for a removed key.
  public let localSize: Int?
  /// Whether iCloud does not have it yet.
  public let isPending: Bool
  /// When and where iCloud's value was written; nil if it has none.
  public let server: DeviceMoment?
  /// The bytes that it counts; nil for a removed key.
  public let serverSize: Int?
  /// Whether both have the same value, or neither has one.
  public let isSame: Bool
  /// The key.
  public let key: String
}

extension ExchangedKey {
  fileprivate init(_ row: Statement) throws(StoreError) {
    var cells = Cells(row)
    // The rows must match their seals.
    guard cells.next() else {
      row.reset()
      throw row.damage("a row of _entry or _server does not match its checksum")
    }
    (key, isPending, isSame) = (cells.next(), cells.next(), cells.next())
    (local, localSize) = (DeviceMoment(&cells), cells.next())
    (server, serverSize) = (DeviceMoment(&cells), cells.next())
  }
}

extension DeviceMoment {
  fileprivate init?(_ cells: inout Cells) {
    let (at, device): (Timestamp?, Device?) = (cells.next(), cells.next())
    guard let at, let device else { return nil }
    self.init(at, on: device)
  }
}

// The steps of a synchronization: values move from table to table unchanged.
extension UbiquityStore {
  /// The keys that changed in iCloud since a copy was synchronized, in no order, without those that
  /// the device itself sent.
  public func news(of account: Account, for copy: DeviceCopy) throws(StoreError) -> [ExchangedKey] {
    try database.all(Self.newsQuery, Self.news(account, copy)) { (row) throws(StoreError) in
      try ExchangedKey(row)
    }
  }

  /// The values of `isNews`.
  private static func news(_ account: Account, _ copy: DeviceCopy) -> [any StoredValue] {
    // The first synchronization also returns what a device of the same name has sent.
    [copy.number, account, copy.seen, copy.isSynchronized ? copy.device : nil as Device?]
  }

  /// Of a row `s` of iCloud.
  private static let isNews = "s.account = ?2 AND s.sequence > ?3 AND s.device IS NOT ?4"

  /// The keys of a copy that iCloud does not have yet, in no order.
  public func pendingKeys(
    of account: Account, in copy: DeviceCopy
  ) throws(StoreError) -> [ExchangedKey] {
    try database.all(Self.pendingQuery, [copy.number, account]) { (row) throws(StoreError) in
      try ExchangedKey(row)
    }
  }

  /// The columns of an `ExchangedKey`, whose key is in a row `k`.
  private static func columns(_ key: String) -> String {
    """
    ifnull(\(UbiquityTables.entry.fits("e")), e.at IS NULL)
      AND ifnull(\(UbiquityTables.server.fits("s")), s.at IS NULL),
    \(key).key, ifnull(e.isPending, 0), e.value IS s.value,
    e.at, e.writer, CASE WHEN e.value IS NULL THEN NULL ELSE e.size END,
    s.at, s.device, CASE WHEN s.value IS NULL THEN NULL ELSE s.size END
    """
  }
  private static let newsQuery = """
    SELECT \(columns("s")) FROM _server s LEFT JOIN _entry e ON e.device = ?1 AND e.key = s.key
    WHERE \(isNews)
    """
  private static let pendingQuery = """
    SELECT \(columns("e")) FROM _entry e LEFT JOIN _server s ON s.account = ?2 AND s.key = e.key
    WHERE e.device = ?1 AND e.isPending
    """

  /// Sets a key of a copy to iCloud's value, or removes it if iCloud has none.
  public func take(_ key: String, of account: Account, in copy: DeviceCopy) throws(StoreError) {
    let taken = try run(
      on: UbiquityTables.entry, Self.taking("AND key = ?3") + UbiquityTables.entry.upsert,
      [copy.number, account, key])
    if taken == 0 { try remove(key, from: copy) }
  }

  /// Sets the `news` of a copy, except pending keys.
  public func take(
    _ news: [ExchangedKey], of account: Account, in copy: DeviceCopy
  ) throws(StoreError) {
    noteChange()
    let values = Self.news(account, copy)
    if news.contains(where: { $0.serverSize == nil }) {
      try database.run(
        on: UbiquityTables.entry,
        """
        DELETE FROM _entry WHERE device = ?1 AND NOT isPending AND key IN
          (SELECT key FROM _server s WHERE \(Self.isNews) AND value IS NULL)
        """, values)
    }
    try database.run(
      on: UbiquityTables.entry,
      Self.taking("AND \(Self.isNews)") + UbiquityTables.entry.upsert + " WHERE NOT isPending",
      values)
  }

  private static func taking(_ condition: String) -> String {
    UbiquityTables.entry.insertion(
      of: ["device": "?1", "writer": "device", "isPending": "0"],
      from: "_server s WHERE account = ?2 AND value IS NOT NULL \(condition)")
  }

  /// Sends those of a copy's `pendingKeys` to iCloud that are still pending, under one number.
  public func send(
    _ pending: [ExchangedKey], of account: Account, from copy: DeviceCopy
  ) throws(StoreError) {
    let sequence = nextSequence()
    try database.run(
      on: UbiquityTables.server,
      UbiquityTables.server.insertion(
        of: ["account": "?1", "device": "writer", "sequence": "?2"],
        from: "_entry WHERE device = ?3 AND isPending") + UbiquityTables.server.upsert,
      [account, sequence, copy.number])
    noteChange()
    if pending.contains(where: { $0.localSize == nil }) {
      try database.delete(
        from: UbiquityTables.entry, "device = ? AND isPending AND value IS NULL", [copy.number])
    }
    try database.run(
      on: UbiquityTables.entry,
      UbiquityTables.entry.update(["isPending": "0"]) + " WHERE device = ? AND isPending",
      [copy.number])
  }
}
