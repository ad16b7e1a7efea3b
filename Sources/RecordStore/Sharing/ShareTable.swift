public import CloudModel
internal import SQLite
public import StoreFiles

/// The row of a share.
public struct StoredShare: Sendable, Equatable {
  /// The number of its record.
  public let number: Int64
  /// The number of its zone.
  let zone: Int64
  /// The name of its record.
  public let name: RecordName
  /// The root of the hierarchy; nil for the whole zone.
  public let root: RecordName?
  /// What its URL ends with.
  public let token: String
  /// What anybody with the URL may do.
  public var publicPermission: SharePermission
  /// Whether people may ask for access.
  public var allowsRequests: Bool

  /// Puts a share of a zone together.
  public init(
    number: Int64, in zone: StoredZone, name: RecordName, root: RecordName?, token: String,
    publicPermission: SharePermission, allowsRequests: Bool
  ) {
    (self.number, self.zone, self.name, self.root) = (number, zone.number, name, root)
    (self.token, self.publicPermission) = (token, publicPermission)
    self.allowsRequests = allowsRequests
  }

  fileprivate init(in row: Statement) throws(SQLiteError) {
    try RowSeal.require(row, 7, of: "_share")
    number = row.int64(0)
    zone = row.int64(1)
    name = RecordName(stored: row.text(2))
    root = row.isNull(3) ? nil : RecordName(stored: row.text(3))
    token = row.text(4)
    publicPermission = SharePermission(rawValue: Int(row.int64(5))) ?? .none
    allowsRequests = row.int64(6) != 0
  }

  fileprivate static let columns = """
    s._id, s.zone, s.name, s.root, s.token, s.permission, s.requests, \(RowSeal.fits("_share", "s"))
    """
}

/// A zone of a user, as others call it.
public struct ZonePlace: Sendable {
  /// The zone, with its owner's name.
  public let zone: StoredZone
  /// The account that owns it.
  public let account: Account
  /// The user of that account. He does not write: he has no author's row.
  public let owner: StoredUser
}

extension EnvironmentStore {
  /// The shares of a zone, in the byte order of their names.
  public func shares(in zone: StoredZone) throws(StoreError) -> [StoredShare] {
    try shares("WHERE s.zone = ? ORDER BY s.name") { $0.bind(zone.number, 1) }
  }

  /// The share of a record name, or of the record that is its root; nil for none.
  public func share(_ name: RecordName, in zone: StoredZone) throws(StoreError) -> StoredShare? {
    let named = try shares("WHERE s.zone = ? AND s.name = ?") {
      $0.bind(zone.number, 1)
      $0.bind(name.text, 2)
    }.first
    if let named { return named }
    guard let cover = try cover(of: name, in: zone), let share = try share(numbered: cover)
    else { return nil }
    return share.root == name ? share : nil
  }

  /// The share of a number; nil for none.
  public func share(numbered number: Int64) throws(StoreError) -> StoredShare? {
    try shares("WHERE s._id = ?") { $0.bind(number, 1) }.first
  }

  /// The shares that a user is invited to, has accepted or asks for, in the order of their numbers.
  public func shares(of user: UserRecordName) throws(StoreError) -> [StoredShare] {
    let states = [AcceptanceStatus.pending, .accepted, .requested].map { "\($0.rawValue)" }
    return try shares(
      """
      JOIN _participant p ON p.share = s._id
      WHERE p.user = ? AND p.status IN (\(states.joined(separator: ", "))) ORDER BY s._id
      """
    ) { $0.bind(user.text, 1) }
  }

  /// The share whose URL, or one of whose one-time URLs, has a token; nil for none.
  public func share(token: String) throws(StoreError) -> StoredShare? {
    let found = try shares("WHERE s.token = ?") { $0.bind(token, 1) }.first
    if let found { return found }
    return try shares(
      "JOIN _participant p ON p.share = s._id WHERE p.token = ?"
    ) { $0.bind(token, 1) }.first
  }

  private func shares(
    _ condition: String, _ bind: (Statement) -> Void
  ) throws(StoreError) -> [StoredShare] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement("SELECT \(StoredShare.columns) FROM _share s \(condition)")
      bind(row)
      var shares: [StoredShare] = []
      while try row.step() { shares.append(try StoredShare(in: row)) }
      return shares
    }
  }

  /// Where a share is, and whose.
  public func place(of share: StoredShare) throws(StoreError) -> ZonePlace {
    try sql { () throws(SQLiteError) in try place(ofZone: share.zone) }
  }

  /// The place of a zone.
  public func place(of zone: StoredZone) throws(StoreError) -> ZonePlace {
    try sql { () throws(SQLiteError) in try place(ofZone: zone.number) }
  }

  func place(ofZone number: Int64) throws(SQLiteError) -> ZonePlace {
    let row = try connection.statement(
      """
      SELECT z.name, z.records, z.sequence, z.made, z.checksum, u._id, u.account, u.name
      FROM _zone z JOIN _user u ON u._id = z.owner WHERE z._id = ?
      """)
    row.bind(number, 1)
    guard try row.step(), let account = try? Account(row.text(6)) else {
      throw SQLiteError(code: 11, message: "zone \(number) or its owner is missing")
    }
    defer { row.reset() }
    let owner = UserRecordName(stored: row.text(7))
    let id = ZoneID(ZoneName(stored: row.text(0)), owner: .user(owner))
    let zone = Zone(id: id, recordCount: Int(row.int64(1)), sequence: row.int64(2))
    return ZonePlace(
      zone: StoredZone(
        number: number, zone: zone, made: row.int64(3),
        checksum: UInt64(bitPattern: row.int64(4))),
      account: account,
      owner: StoredUser(number: row.int64(5), author: 0, name: owner, device: .cli))
  }

  /// Adds a share, or changes what may be changed of it.
  public func set(_ share: StoredShare) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        INSERT INTO _share(_id, zone, name, root, token, permission, requests, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ckdb_seal(?2, ?3, ?4, ?5, ?6, ?7))
        ON CONFLICT(_id) DO UPDATE SET permission = ?6, requests = ?7, seal = excluded.seal
        """)
      row.bind(share.number, 1)
      row.bind(share.zone, 2)
      row.bind(share.name.text, 3)
      row.bind(optional: share.root?.text, 4)
      row.bind(share.token, 5)
      row.bind(Int64(share.publicPermission.rawValue), 6)
      row.bind(Int64(share.allowsRequests ? 1 : 0), 7)
      try row.run()
      changes?.areShared[share.zone] = nil
    }
  }
}

extension Statement {
  /// Binds a text, or NULL.
  func bind(optional text: String?, _ place: Int) {
    if let text { bind(text, place) } else { bindNull(place) }
  }
}
