internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreHome

/// Changes the participants of a share, within a write transaction (R10.2).
struct ShareEditing {
  private(set) var found: FoundShare
  let directory: ShareDirectory
  private var madeIDs = 0
  private var database: CloudDatabase { found.database }
  private var store: EnvironmentStore { database.store }

  init(_ found: FoundShare, _ directory: ShareDirectory) {
    (self.found, self.directory) = (found, directory)
  }

  /// Makes all changes: the public permission first, because participants can be added by name only
  /// while it is none.
  mutating func apply(_ edit: ShareEdit) throws {
    var share = found.stored
    if let requests = edit.allowsRequests { share.allowsRequests = requests }
    if let permission = edit.publicPermission { share.publicPermission = permission }
    if share != found.stored {
      try store.set(share)
      if share.publicPermission != found.stored.publicPermission {
        try changePublicPermission(to: share.publicPermission)
      }
      found = FoundShare(
        stored: share, database: database, zone: found.zone, place: found.place, rows: found.rows)
    }
    for invitee in edit.removed { try remove(invitee) }
    for invitation in edit.added { try add(invitation) }
    for (id, permission) in edit.addedByURL { _ = try addByURL(id, permission) }
    for (invitee, permission) in edit.changed {
      var row = try self.row(of: invitee)
      row.permission = permission
      try set(row)
    }
    for (invitee, answer) in edit.answers { try self.answer(answer, to: invitee) }
  }

  /// Every change removes the pending participants, and the public users if the permission becomes
  /// none (R10.2.7); otherwise public users get the new permission.
  private mutating func changePublicPermission(to permission: SharePermission) throws {
    for var row in found.rows {
      switch (row.status, row.role) {
      case (.pending, _): try end(row)
      case (.accepted, .publicUser) where permission == .none: try end(row)
      case (.accepted, .publicUser):
        row.permission = permission
        try set(row)
      default: continue
      }
    }
  }

  // MARK: Participants

  /// Adds a participant, or changes an existing participant's invitation (R10.2.3).
  private mutating func add(_ invitation: Invitation) throws {
    try requirePrivate()
    try requireOther(invitation.invitee)
    var row = try row(for: invitation.invitee, id: invitation.id)
    switch row.status {
    case .pending, .accepted: break
    case .removed, .requested, .blocked:
      row.isRequester = row.status == .requested
      (row.status, row.permission) = (.pending, .readOnly)
    }
    row.role = invitation.isAdministrator ? .administrator : .privateUser
    row.permission = invitation.permission ?? row.permission
    if invitation.isAdministrator { row.permission = .readWrite }
    try set(row)
    try requireRoom()
  }

  /// Returns the named participant, or a new one with an id.
  mutating func row(for invitee: Invitee, id: String? = nil) throws -> StoredParticipant {
    if let row = directory.row(of: invitee, in: found.rows) { return row }
    let account = directory.account(of: invitee)
    switch invitee {
    case .participant(let id): throw Self.unknown(id)
    case .account: return newRow(account, id: id)
    case .user(let name):
      var row = newRow(account, id: id)
      row.user = name.text
      return row
    case .address(let address): return newRow(account, address: address, id: id)
    }
  }

  /// Returns the participant that an account becomes by a URL: its own row, an invited row, or else
  /// a public user (R10.2.6); nil for none.
  mutating func rowToJoin(
    _ account: Account, _ url: ShareURL
  ) -> StoredParticipant? {
    let own = directory.row(of: account, in: found.rows)
    switch own?.status {
    case .pending, .accepted: return own
    case .blocked: return nil
    case .removed, .requested, nil: break
    }
    if let row = found.rows.first(where: { $0.token == url.token }) {
      return row.user == nil ? row : nil
    }
    guard found.stored.publicPermission != .none else { return nil }
    var row = own ?? newRow(account)
    (row.role, row.permission) = (.publicUser, found.stored.publicPermission)
    return row
  }

  /// Removes other rows of an account that became a participant: a person is one participant
  /// (R10.2.3).
  mutating func merge(_ account: Account, into row: StoredParticipant) throws {
    for other in directory.rows(of: account, in: found.rows) where other.id != row.id {
      try store.remove(other)
    }
    found.rows = try store.participants(of: found.stored)
  }

  private mutating func newRow(
    _ account: Account?, address: PersonAddress? = nil, status: AcceptanceStatus = .pending,
    token: String? = nil, id: String? = nil
  ) -> StoredParticipant {
    let user = account.map(database.environment.userRecordName)
    return StoredParticipant(
      id: id ?? makeID(), user: user?.text, account: account?.name, address: address,
      role: .privateUser,
      permission: .readOnly, status: status, added: database.environment.request.now,
      token: token)
  }

  /// Adds a participant without an identity (R10.2.10); returns the token of its URL.
  mutating func addByURL(
    _ id: String? = nil, _ permission: SharePermission = .readOnly
  ) throws -> String {
    try requirePrivate()
    let token = makeID().filter { $0 != "-" }.lowercased()
    var row = newRow(nil, token: token, id: id)
    row.permission = permission
    try set(row)
    try requireRoom()
    return token
  }

  private mutating func remove(_ invitee: Invitee) throws {
    try requirePrivate()
    try end(row(of: invitee))
  }

  /// Removes a participant (R10.3.13).
  mutating func end(_ row: StoredParticipant) throws {
    var row = row
    let wasSeeing = row.status == .accepted
    row.status = .removed
    row.token = nil
    try set(row)
    if wasSeeing, let user = row.user {
      try store.hide(found.stored, from: UserRecordName(stored: user))
    }
  }

  // MARK: Requests (R10.2.9)

  /// Notes an account's request for access. Throws `participantAlreadyInvited` if it is a
  /// participant, `permissionFailure` if it is blocked.
  mutating func request(by account: Account) throws {
    var row =
      directory.row(of: account, in: found.rows)
      ?? newRow(account, status: .requested)
    switch row.status {
    case .pending, .accepted:
      throw CloudError(
        .participantAlreadyInvited, "The user is already invited to the share",
        remedy: row.status == .pending ? .acceptShare : nil)
    case .blocked: throw CloudError.notPermitted("READ", found.stored.name)
    case .removed, .requested: row.status = .requested
    }
    try set(row)
    try touch()
  }

  /// Answers a request. Throws `unknownItem` if the named user has not requested access.
  mutating func answer(_ request: AccessAnswer, to invitee: Invitee) throws {
    switch request {
    case .approve(let permission):
      try requireStatus(.requested, of: invitee)
      try add(Invitation(invitee, permission))
    case .deny: try store.remove(requireStatus(.requested, of: invitee))
    case .block:
      try requireOther(invitee)
      var row = try row(for: invitee)
      if row.status == .accepted { try end(row) }
      (row.status, row.token) = (.blocked, nil)
      try set(row)
    case .unblock: try store.remove(requireStatus(.blocked, of: invitee))
    }
    found.rows = try store.participants(of: found.stored)
  }

  @discardableResult
  private func requireStatus(
    _ status: AcceptanceStatus, of invitee: Invitee
  ) throws -> StoredParticipant {
    guard let row = directory.row(of: invitee, in: found.rows), row.status == status else {
      throw CloudError(
        .unknownItem,
        status == .blocked
          ? "'\(invitee.text)' is not blocked" : "'\(invitee.text)' has not asked for access")
    }
    return row
  }

  // MARK: Rows

  /// Returns a participant. Throws `unknownItem` for an invitee who is not one.
  private func row(of invitee: Invitee) throws -> StoredParticipant {
    try requireOther(invitee)
    guard let row = directory.row(of: invitee, in: found.rows), row.takesPart
    else { throw Self.unknown(invitee.text) }
    return row
  }

  mutating func set(_ row: StoredParticipant) throws {
    try store.set(row, of: found.stored)
    found.rows = try store.participants(of: found.stored)
  }

  /// Gives the share's record a new version: the owner and participants see that a participant
  /// joined or left.
  func touch() throws {
    guard let record = try store.record(found.stored.name, in: found.place.zone) else { return }
    try store.renewTag(of: record)
  }

  /// Throws `invalidArguments` if the URL lets everyone join (R10.2.4).
  private func requirePrivate() throws(CloudError) {
    guard found.stored.publicPermission != .none else { return }
    throw CloudError(
      .invalidArguments,
      "Participants can be added and removed only while the public permission is none",
      recordName: found.stored.name.text, remedy: .endPublicAccess)
  }

  /// Throws `invalidArguments` for the owner, whose participation cannot change.
  func requireOther(_ invitee: Invitee) throws(CloudError) {
    guard directory.account(of: invitee) == found.place.account else { return }
    throw CloudError(.invalidArguments, "The owner of a share already takes part in it")
  }

  /// Throws `tooManyParticipants` if the share has too many (R10.2.8).
  func requireRoom() throws(CloudError) {
    let count = found.rows.count { $0.takesPart } + 1
    guard count > Limits.participants else { return }
    throw CloudError(
      .tooManyParticipants,
      "A share can have at most \(Limits.participants) participants, including its owner",
      recordName: found.stored.name.text)
  }

  /// Creates an ID in the random stream of this database.
  private mutating func makeID() -> String {
    madeIDs += 1
    return database.makeName(index: madeIDs).text
  }

  private static func unknown(_ participant: String) -> CloudError {
    CloudError(.unknownItem, "no participant '\(participant)'")
  }
}

extension Invitee {
  /// The invitee's name in messages.
  var text: String {
    switch self {
    case .account(let account): account.name
    case .address(let address): address.text
    case .user(let user): user.text
    case .participant(let id): id
    }
  }
}
