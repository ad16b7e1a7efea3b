public import CloudModel
internal import SQLite
public import StoreFiles

/// The row of somebody who takes part in a share, asks to, or is blocked.
public struct StoredParticipant: Sendable, Equatable {
  /// The number of the row; nil for one that is not stored yet.
  let number: Int64?
  /// The participant's id.
  public let id: String
  /// His user record name; nil for an address that no account has.
  public var user: String?
  /// The name of his account; nil where that is not known.
  public var account: String?
  /// The address by which he was invited; nil for none.
  public var address: PersonAddress?
  /// What he is in the share.
  public var role: ParticipantRole
  /// What he may do.
  public var permission: SharePermission
  /// Whether he has accepted.
  public var status: AcceptanceStatus
  /// When he was added.
  public let added: Timestamp
  /// The token of a URL that is for him alone; nil for none.
  public var token: String?
  /// Whether he asked for access.
  public var isRequester: Bool

  /// Whether he is invited or has accepted.
  public var takesPart: Bool { status == .pending || status == .accepted }

  /// Describes a new participant.
  public init(
    id: String, user: String?, account: String?, address: PersonAddress?, role: ParticipantRole,
    permission: SharePermission, status: AcceptanceStatus, added: Timestamp,
    token: String? = nil, isRequester: Bool = false
  ) {
    number = nil
    (self.id, self.user, self.account) = (id, user, account)
    (self.address, self.role) = (address, role)
    (self.permission, self.status, self.added) = (permission, status, added)
    (self.token, self.isRequester) = (token, isRequester)
  }

  fileprivate init(in row: Statement) throws(SQLiteError) {
    try RowSeal.require(row, 11, of: "_participant")
    number = row.int64(0)
    id = row.text(1)
    user = row.isNull(2) ? nil : row.text(2)
    address = row.isNull(3) ? nil : try? PersonAddress(row.text(3))
    role = ParticipantRole(rawValue: Int(row.int64(4))) ?? .privateUser
    permission = SharePermission(rawValue: Int(row.int64(5))) ?? .none
    status = AcceptanceStatus(rawValue: Int(row.int64(6))) ?? .removed
    added = Timestamp(milliseconds: row.int64(7))
    token = row.isNull(8) ? nil : row.text(8)
    isRequester = row.int64(9) != 0
    account = row.isNull(10) ? nil : row.text(10)
  }

  fileprivate static let columns = """
    _id, participant, user, address, role, permission, status, added, token, requester, \
    account, \(RowSeal.fits("_participant"))
    """
}

extension EnvironmentStore {
  /// Those who take part in a share, ask to, or are blocked, in the order in which they came.
  public func participants(of share: StoredShare) throws(StoreError) -> [StoredParticipant] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        "SELECT \(StoredParticipant.columns) FROM _participant WHERE share = ? ORDER BY _id")
      row.bind(share.number, 1)
      var participants: [StoredParticipant] = []
      while try row.step() { participants.append(try StoredParticipant(in: row)) }
      return participants
    }
  }

  /// Adds a participant to a share, or changes one.
  public func set(
    _ participant: StoredParticipant, of share: StoredShare
  ) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        INSERT OR REPLACE INTO _participant(_id, share, participant, user, address, role,
          permission, status, added, token, requester, account, seal)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
          ckdb_seal(?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12))
        """)
      if let number = participant.number { row.bind(number, 1) } else { row.bindNull(1) }
      row.bind(share.number, 2)
      row.bind(participant.id, 3)
      row.bind(optional: participant.user, 4)
      row.bind(optional: participant.address?.text, 5)
      row.bind(Int64(participant.role.rawValue), 6)
      row.bind(Int64(participant.permission.rawValue), 7)
      row.bind(Int64(participant.status.rawValue), 8)
      row.bind(participant.added.milliseconds, 9)
      row.bind(optional: participant.token, 10)
      row.bind(Int64(participant.isRequester ? 1 : 0), 11)
      row.bind(optional: participant.account, 12)
      try row.run()
    }
  }

  /// Removes the row of a participant.
  public func remove(_ participant: StoredParticipant) throws(StoreError) {
    guard let number = participant.number else { return }
    try sql { () throws(SQLiteError) in
      let row = try connection.statement("DELETE FROM _participant WHERE _id = ?")
      row.bind(number, 1)
      try row.run()
    }
  }

  /// The shares that a user has accepted, in the order of their numbers.
  public func memberships(of user: UserRecordName) throws(StoreError) -> [Membership] {
    try memberships("p.user = ?1 ORDER BY s._id") { $0.bind(user.text, 1) }
  }

  /// A share of a number that a user has accepted; nil for none.
  public func membership(
    of user: UserRecordName, in share: Int64
  ) throws(StoreError) -> Membership? {
    try memberships("p.user = ?1 AND p.share = ?2") {
      $0.bind(user.text, 1)
      $0.bind(share, 2)
    }.first
  }

  /// Forgets a user who takes part in no share any more, or was blocked.
  public func forgetParticipant(_ user: UserRecordName) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let row = try connection.transientStatement("DELETE FROM _participant WHERE user = ?")
      row.bind(user.text, 1)
      try row.run()
    }
  }

  /// The share of a whole zone that a user has accepted; nil for none.
  public func zoneMembership(
    of user: UserRecordName, in zone: StoredZone
  ) throws(StoreError) -> Membership? {
    try memberships("s.zone = ?2 AND s.name = ?3 AND p.user = ?1") {
      $0.bind(user.text, 1)
      $0.bind(zone.number, 2)
      $0.bind(RecordName.zoneWideShare.text, 3)
    }.first
  }

  private func memberships(
    _ condition: String, _ bind: (Statement) -> Void
  ) throws(StoreError) -> [Membership] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        SELECT s._id, s.zone, s.root, p.permission,
          \(RowSeal.fits("_share", "s")) AND \(RowSeal.fits("_participant", "p"))
        FROM _participant p JOIN _share s ON s._id = p.share
        WHERE p.status = \(AcceptanceStatus.accepted.rawValue) AND \(condition)
        """)
      bind(row)
      var memberships: [Membership] = []
      while try row.step() {
        try RowSeal.require(row, 4, of: "_participant")
        memberships.append(
          Membership(
            share: row.int64(0), zone: row.int64(1),
            root: row.isNull(2) ? nil : RecordName(stored: row.text(2)),
            permission: SharePermission(rawValue: Int(row.int64(3))) ?? .none))
      }
      return memberships
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
