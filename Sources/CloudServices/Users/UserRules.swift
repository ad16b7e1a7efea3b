internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome

/// The rules for records of type `Users` (R11.2): a user's first write creates them, one in the
/// public database and one in the user's private one, and they stay.
struct UserRules {
  let database: CloudDatabase

  /// Checks that a record may be saved. Throws `permissionFailure` for a missing `Users` record
  /// (the type has no CREATE grant), `invalidArguments` for another record with a user's name.
  func checkSave(_ name: RecordName, _ type: RecordType, in zone: ZoneID) throws {
    guard type == .users || name.isOfUser else { return }
    guard type == .users, let users = database.usersZone(holding: name, in: zone),
      try database.store.hasRecord(name, in: users)
    else { throw Self.refusal(name, type) }
  }

  /// Checks that a user's record has only plain references, because it is stored apart from their
  /// targets. Throws `invalidArguments`.
  func checkLinks(_ record: Record) throws(CloudError) {
    guard record.type == .users, !record.links.isEmpty else { return }
    throw CloudError(
      .invalidArguments, "a Users record can only have references with action NONE, and no parent",
      recordName: record.name.text)
  }

  /// Checks that a record may be deleted. Throws `permissionFailure` for a user's record.
  func checkDeletion(_ name: RecordName) throws(CloudError) {
    guard name.isOfUser else { return }
    var error = CloudError.notPermitted("WRITE", name)
    error.remedy = "a user's record exists as long as the container"
    throw error
  }

  /// Checks that a save does not set roles, which only the developer assigns. Throws
  /// `permissionFailure`.
  static func checkFields(
    _ type: RecordType, _ names: some Sequence<FieldName>
  ) throws(CloudError) {
    guard type == .users, names.contains(.roles) else { return }
    throw CloudError(
      .permissionFailure, "Unprivileged attempt to insert a system field: roles",
      serverCode: 2007, remedy: .assignRoles)
  }

  private static func refusal(_ name: RecordName, _ type: RecordType) -> CloudError {
    guard type == .users else {
      return CloudError(
        .invalidArguments, "The record name must not start with '_': '\(name.text)'",
        recordName: name.text, remedy: "only Users records can have such names")
    }
    var error = CloudError.notPermitted("CREATE", name)
    error.remedy = .findUser
    return error
  }
}

extension CloudDatabase {
  /// Returns the zone of a user's record that is addressed in the default zone; nil for all other
  /// names. The private database contains only the user's own record.
  func usersZone(holding name: RecordName?, in zone: ZoneID) -> StoredZone? {
    guard let name, name.isOfUser, identity(zone) == .defaultZone else { return nil }
    switch scope {
    case .public: return store.usersZone(isPublic: true)
    case .private: return isOwn(name) ? store.usersZone(isPublic: false) : nil
    case .shared: return nil
    }
  }

  /// The users' records that a record refers to and that exist; they are in another zone.
  func users(among record: Record) throws -> Set<String> {
    let names = try record.links.map(\.target).filter { name in
      try usersZone(holding: name, in: record.zone).map { try store.hasRecord(name, in: $0) }
        ?? false
    }
    return Set(names.map(\.text))
  }

  /// Whether a name is that of the request's user.
  private func isOwn(_ name: RecordName) -> Bool {
    account.map { environment.userRecordName($0).text == name.text } ?? false
  }
}

extension CloudEnvironment {
  /// An account's user record name in the container.
  public func userRecordName(_ account: Account) -> UserRecordName {
    UserRecordName(container: container, account: account)
  }

  /// The user of an account. The first write creates the user and returns a notice.
  func writer(
    _ account: Account, on device: Device
  ) throws -> (user: StoredUser, notice: Notice?) {
    if let user = try store.writer(account, on: device) { return (user, nil) }
    let name = userRecordName(account)
    let near = similar(to: account, among: try store.accountNames(limit: Self.typedAccounts))
    try store.deleteCopies(ownedBy: name)
    let user = try store.addUser(account, name: name, on: device)
    try addUsersRecords(of: user)
    return (user, .newAccount(account, name, near: near))
  }

  /// Notices of invited accounts that the store does not have.
  func notices(of invitations: [Invitation]) throws -> [Notice] {
    try notices(
      ofUnknown: invitations.compactMap { invitation -> Account? in
        guard case .account(let account) = invitation.invitee else { return nil }
        return account
      })
  }

  /// Notices of accounts that the store does not have.
  private func notices(ofUnknown accounts: [Account]) throws -> [Notice] {
    if accounts.isEmpty { return [] }
    var known = Set(try owner.people().persons.keys)
    known.formUnion(try store.accountNames())
    return accounts.filter { !known.contains($0.name) }.map { account in
      let others = known.count > Self.typedAccounts ? [] : known.sorted(by: utf8Precedes)
      return .unknownInvitee(account, near: similar(to: account, among: others))
    }
  }

  /// An existing account whose name differs by a slip from one that the store does not have; nil
  /// for known accounts and for others.
  public func accountMeant(by account: Account) throws(CloudError) -> Account? {
    let notice = try read { try notices(ofUnknown: [account]).first }
    guard case .unknownInvitee(_, let near)? = notice else { return nil }
    return near
  }

  /// More accounts than these are not typed by hand.
  private static let typedAccounts = 50

  /// An account whose name differs by a slip; numbered ones are not typed by hand.
  private func similar(to account: Account, among names: [String]) -> Account? {
    func withoutDigits(_ name: String) -> String { name.filter { !$0.isNumber } }
    let others = names.filter { withoutDigits($0) != withoutDigits(account.name) }
    let near = Suggestion.nearest(to: account.name, among: others, slips: 1)
    return near.map { Account(stored: $0) }
  }

  /// Creates the two records of a new user (R11.2.1).
  private func addUsersRecords(of user: StoredUser) throws {
    guard let table = try store.table(.users) else { return }
    let record = Record(name: RecordName(user.name), type: .users, zone: .defaultZone)
    for isPublic in [true, false] {
      let zone = store.usersZone(isPublic: isPublic)
      _ = try store.insert(record, table, in: zone, at: request.now, by: user)
    }
  }
}
