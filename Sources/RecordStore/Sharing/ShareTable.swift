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
  /// The end of its URL.
  public let token: String
  /// What anyone with the URL may do.
  public var publicPermission: SharePermission
  /// Whether people may ask for access.
  public var allowsRequests: Bool

  /// Describes a share of a zone.
  public init(
    number: Int64, in zone: StoredZone, name: RecordName, root: RecordName?, token: String,
    publicPermission: SharePermission, allowsRequests: Bool
  ) {
    (self.number, self.zone, self.name, self.root) = (number, zone.number, name, root)
    (self.token, self.publicPermission) = (token, publicPermission)
    self.allowsRequests = allowsRequests
  }

}

extension StoredShare: StoredRow {
  package static let table = EnvironmentTables.share

  package init(_ row: Row) {
    (number, zone, name) = (row.number, row["zone"], row["name"])
    (root, token) = (row["root"], row["token"])
    publicPermission = SharePermission(rawValue: row["permission"]) ?? .none
    allowsRequests = row["requests"]
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "zone": zone, "name": name, "root": root, "token": token,
      "permission": publicPermission.rawValue, "requests": allowsRequests,
    ]
  }
}

/// A zone of a user, as others see it.
public struct ZonePlace: Sendable {
  /// The zone, with its owner's name.
  public let zone: StoredZone
  /// The account that owns it.
  public let account: Account
  /// The user of that account, without an author's row: for reading.
  public let owner: StoredUser
}

extension EnvironmentStore {
  /// The shares of a zone, in the byte order of their names.
  public func shares(in zone: StoredZone) throws(StoreError) -> [StoredShare] {
    try database.rows("WHERE zone = ? ORDER BY name", [zone.number])
  }

  /// The share of a record name, or of the record that is its root; nil for none.
  public func share(_ name: RecordName, in zone: StoredZone) throws(StoreError) -> StoredShare? {
    let named: StoredShare? = try database.row(
      "WHERE zone = ? AND name = ?", [zone.number, name])
    if let named { return named }
    guard let cover = try cover(of: name, in: zone), let share = try share(numbered: cover)
    else { return nil }
    return share.root == name ? share : nil
  }

  /// The share with a number; nil for none.
  public func share(numbered number: Int64) throws(StoreError) -> StoredShare? {
    try database.row("WHERE _id = ?", [number])
  }

  /// The shares that a user is invited to, has accepted or asks for, in the order of their numbers.
  public func shares(of user: UserRecordName) throws(StoreError) -> [StoredShare] {
    let states = [AcceptanceStatus.pending, .accepted, .requested].map { "\($0.rawValue)" }
    return try database.rows(
      """
      WHERE _id IN (SELECT share FROM _participant WHERE user = ?
        AND status IN (\(states.joined(separator: ", ")))) ORDER BY _id
      """, [user])
  }

  /// The share whose URL, or one of whose one-time URLs, has a token; nil for none.
  public func share(token: String) throws(StoreError) -> StoredShare? {
    if let found: StoredShare = try database.row("WHERE token = ?", [token]) { return found }
    return try database.row(
      "WHERE _id IN (SELECT share FROM _participant WHERE token = ?)", [token])
  }

  /// Where a share is, and its owner.
  public func place(of share: StoredShare) throws(StoreError) -> ZonePlace {
    try place(ofZone: share.zone)
  }

  /// The place of a zone.
  public func place(of zone: StoredZone) throws(StoreError) -> ZonePlace {
    try place(ofZone: zone.number)
  }

  func place(ofZone number: Int64) throws(StoreError) -> ZonePlace {
    let place = try database.first(
      """
      SELECT \(EnvironmentTables.zone.selection("z")), \(EnvironmentTables.user.selection("u"))
      FROM _zone z JOIN _user u ON u._id = z.owner WHERE z._id = ?
      """, [number]
    ) { statement in
      let zone = Row(damaged: EnvironmentTables.zone, in: statement)
      let user = Row(
        damaged: EnvironmentTables.user, in: statement, from: EnvironmentTables.zone.width)
      let owner = StoredUser(number: user.number, author: 0, name: user["name"], device: .cli)
      return ZonePlace(
        zone: StoredZone(zone, ZoneID(zone["name"], owner: .user(owner.name))),
        account: user["account"], owner: owner)
    }
    guard let place else { throw connection.damage("zone \(number) or its owner is missing") }
    return place
  }

  /// Adds a share, or changes what may change in it.
  public func set(_ share: StoredShare) throws(StoreError) {
    try database.insert(share, .replace)
    state.changes?.areShared[share.zone] = nil
  }
}
