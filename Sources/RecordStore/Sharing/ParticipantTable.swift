public import CloudModel
internal import SQLite
public import StoreFiles

/// A participant of a share, or a user who asks to take part or is blocked.
public struct StoredParticipant: Sendable, Equatable {
  /// The number of the row; 0 for one that is not stored yet.
  public private(set) var number: Int64 = 0
  /// The number of the share; 0 for one that is not stored yet.
  fileprivate(set) var share: Int64 = 0
  /// The participant's id.
  public let id: String
  /// The user record name; nil for an address that no account has.
  public var user: String?
  /// The name of the account; nil if it is unknown.
  public var account: String?
  /// The address of the invitation; nil for none.
  public var address: PersonAddress?
  /// The role in the share.
  public var role: ParticipantRole
  /// What the participant may do.
  public var permission: SharePermission
  /// Whether the participant has accepted.
  public var status: AcceptanceStatus
  /// When the participant was added.
  public let added: Timestamp
  /// The token of a one-time URL; nil for none.
  public var token: String?
  /// Whether the participant asked for access.
  public var isRequester: Bool

  /// Whether the participant is invited or has accepted.
  public var takesPart: Bool { status == .pending || status == .accepted }

  /// Describes a new participant.
  public init(
    id: String, user: String?, account: String?, address: PersonAddress?, role: ParticipantRole,
    permission: SharePermission, status: AcceptanceStatus, added: Timestamp,
    token: String? = nil, isRequester: Bool = false
  ) {
    (self.id, self.user, self.account) = (id, user, account)
    (self.address, self.role) = (address, role)
    (self.permission, self.status, self.added) = (permission, status, added)
    (self.token, self.isRequester) = (token, isRequester)
  }
}

extension StoredParticipant: StoredRow {
  package static let table = EnvironmentTables.participant

  package init(_ row: Row) {
    (number, share) = (row.number, row["share"])
    (id, user, account) = (row["participant"], row["user"], row["account"])
    address = (row["address"] as String?).flatMap { try? PersonAddress($0) }
    role = ParticipantRole(rawValue: row["role"]) ?? .privateUser
    permission = SharePermission(rawValue: row["permission"]) ?? .none
    status = AcceptanceStatus(rawValue: row["status"]) ?? .removed
    (added, token, isRequester) = (row["added"], row["token"], row["requester"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "share": share, "participant": id, "user": user, "address": address?.text,
      "role": role.rawValue, "permission": permission.rawValue, "status": status.rawValue,
      "added": added, "token": token, "requester": isRequester, "account": account,
    ]
  }
}

extension EnvironmentStore {
  /// The participants of a share, including requesters and blocked users, in the order of their
  /// addition.
  public func participants(of share: StoredShare) throws(StoreError) -> [StoredParticipant] {
    try database.rows("WHERE share = ? ORDER BY _id", [share.number])
  }

  /// Adds a participant to a share, or changes one.
  public func set(
    _ participant: StoredParticipant, of share: StoredShare
  ) throws(StoreError) {
    var participant = participant
    participant.share = share.number
    try database.insert(participant, .replace)
  }

  /// Removes the row of a participant.
  public func remove(_ participant: StoredParticipant) throws(StoreError) {
    try database.delete(participant)
  }

  /// The shares that a user has accepted, in the order of their numbers.
  public func memberships(of user: UserRecordName) throws(StoreError) -> [Membership] {
    try memberships("p.user = ? ORDER BY s._id", [user])
  }

  /// A share with a number that a user has accepted; nil for none.
  public func membership(
    of user: UserRecordName, in share: Int64
  ) throws(StoreError) -> Membership? {
    try memberships("p.user = ? AND p.share = ?", [user, share]).first
  }

  /// Forgets a user who takes part in no share any more, or was blocked.
  public func forgetParticipant(_ user: UserRecordName) throws(StoreError) {
    try database.delete(from: EnvironmentTables.participant, "user = ?", [user])
  }

  /// The share of a whole zone that a user has accepted; nil for none.
  public func zoneMembership(
    of user: UserRecordName, in zone: StoredZone
  ) throws(StoreError) -> Membership? {
    try memberships(
      "s.zone = ? AND s.name = ? AND p.user = ?", [zone.number, RecordName.zoneWideShare, user]
    ).first
  }

  private func memberships(
    _ condition: String, _ values: [any StoredValue]
  ) throws(StoreError) -> [Membership] {
    try database.all(
      """
      SELECT \(StoredShare.table.selection("s")), \(StoredParticipant.table.selection("p"))
      FROM _participant p JOIN _share s ON s._id = p.share
      WHERE p.status = \(AcceptanceStatus.accepted.rawValue) AND \(condition)
      """, values
    ) { (statement) throws(StoreError) in
      let share = StoredShare(try Row(StoredShare.table, in: statement))
      let participant = StoredParticipant(
        try Row(StoredParticipant.table, in: statement, from: StoredShare.table.width))
      return Membership(
        share: share.number, zone: share.zone, root: share.root,
        permission: participant.permission)
    }
  }
}

/// A share that a user has accepted.
public struct Membership: Sendable {
  /// The share's number.
  public let share: Int64
  /// The number of its zone.
  let zone: Int64
  /// The root of the hierarchy; nil for the whole zone.
  public let root: RecordName?
  /// What the user may do.
  public let permission: SharePermission

  /// Whether the share is in a zone.
  public func isIn(_ other: StoredZone) -> Bool { zone == other.number }
}
