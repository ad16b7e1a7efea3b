public import CloudModel
internal import RecordStore

/// What is special about the records of type `Users` (R11.2): they come into being with the first
/// write of their user, one in the public and one in his private database, and stay.
struct UserRules {
  let database: CloudDatabase

  /// Whether a record may be saved. Throws `permissionFailure` for a `Users` record that is not
  /// there (the type has no CREATE grant), `invalidArguments` for another with a user's name.
  func checkSave(_ name: RecordName, _ type: RecordType, in zone: ZoneID) throws {
    guard type == .users || name.isOfUser else { return }
    guard type == .users, let users = database.usersZone(holding: name, in: zone),
      try database.store.hasRecord(name, in: users)
    else { throw Self.refusal(name, type) }
  }

  /// A user's record can hold plain references only: it lies apart from what these could delete.
  /// Throws `invalidArguments`.
  func checkLinks(_ record: Record) throws(CloudError) {
    guard record.type == .users, !record.links.isEmpty else { return }
    throw CloudError(
      .invalidArguments, "a Users record can only have references with action NONE, and no parent",
      recordName: record.name.text)
  }

  /// Whether a record may be deleted. Throws `permissionFailure` for that of a user.
  func checkDeletion(_ name: RecordName) throws(CloudError) {
    guard name.isOfUser else { return }
    var error = CloudError.notPermitted("WRITE", name)
    error.remedy = "a user's record exists as long as the container"
    throw error
  }

  /// Who has a role is the developer's to say, and is in a field of the user's record. Throws
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
  /// Where a user's record is that is addressed in the default zone; nil for all other names. In
  /// the private database only his own can be found.
  func usersZone(holding name: RecordName?, in zone: ZoneID) -> StoredZone? {
    guard let name, name.isOfUser, identity(zone) == .defaultZone else { return nil }
    switch scope {
    case .public: return store.usersZone(isPublic: true)
    case .private: return isOwn(name) ? store.usersZone(isPublic: false) : nil
    case .shared: return nil
    }
  }

  /// The records of users that a record refers to and that are there for it: they lie elsewhere.
  func users(among record: Record) throws -> Set<String> {
    let names = try record.links.map(\.target).filter { name in
      try usersZone(holding: name, in: record.zone).map { try store.hasRecord(name, in: $0) }
        ?? false
    }
    return Set(names.map(\.text))
  }

  /// Whether a name is that of the user who acts.
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
    let user = try store.addUser(account, name: name, on: device)
    try addUsersRecords(of: user)
    return (user, .newAccount(account, name))
  }

  /// Makes the two records of a new user (R11.2.1).
  private func addUsersRecords(of user: StoredUser) throws {
    guard let table = try store.table(.users) else { return }
    let record = Record(name: RecordName(user.name), type: .users, zone: .defaultZone)
    for isPublic in [true, false] {
      let zone = store.usersZone(isPublic: isPublic)
      _ = try store.insert(record, table, in: zone, at: request.now, by: user)
    }
  }
}
