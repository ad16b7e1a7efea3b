public import CloudModel
internal import RecordStore

/// What became of a change of somebody's roles.
public struct RoleResult: Sendable {
  /// Whether he did not have the role before, or had it.
  public var isChanged: Bool
  /// The notices of the operation.
  public var notices: [Notice]
}

// Who has which role is in the field `roles` of the user's record in the public database, as
// numbers: it is data, which no import and no deployment of a schema touches (R11.4.7).
extension CloudEnvironment {
  /// The roles of the app, in the byte order of their names.
  public func roles() throws(CloudError) -> [SecurityRole] { try read { try store.roles() } }

  /// The roles that an account has.
  public func roles(of account: Account) throws(CloudError) -> [SecurityRole] {
    try requireNetwork()
    return try read {
      let numbers = try roleNumbers(of: account)
      return try store.roles().filter { numbers.contains($0.number) }
    }
  }

  /// Gives a role to the user of an account, or takes it from him. He becomes a user of the
  /// container by that. Throws `invalidArguments` for a role that the schema does not have.
  public func set(
    _ role: SecurityRole, of account: Account, isGiven: Bool
  ) throws(CloudError) -> RoleResult {
    try requireNetwork()
    return try write { try set(role, toBe: isGiven, of: account) }
  }

  /// Does the same within a write transaction.
  func set(_ role: SecurityRole, toBe isGiven: Bool, of account: Account) throws -> RoleResult {
    let known = try store.roles()
    guard known.contains(role) else { throw Self.unknown(role, known) }
    let (user, notice) = try writer(account, on: request.device)
    var result = RoleResult(isChanged: false, notices: notice.map { [$0] } ?? [])
    guard let stored = try usersRecord(named: user.name) else { return result }
    var numbers = stored.record.roleNumbers
    let hadIt = numbers.contains(role.number)
    guard hadIt != isGiven else { return result }
    if isGiven { numbers.append(role.number) } else { numbers.removeAll { $0 == role.number } }
    let table = try requireTable(.users)
    if table.field(.roles) == nil {
      let field = FieldSchema(name: .roles, type: .ofRoles, indexes: [])
      try store.addField(field, to: table)
    }
    var record = stored.record
    record.fields[.roles] = numbers.isEmpty ? nil : .list(numbers.map { .int64($0) })
    record.modified = Record.Stamp(at: request.now, by: user.name, on: user.device)
    _ = try store.update(stored, to: record, table, at: request.now, by: user)
    result.isChanged = true
    return result
  }

  /// The numbers of an account's roles; none for one that has never written here.
  func roleNumbers(of account: Account) throws -> [Int64] {
    try usersRecord(named: userRecordName(account))?.record.roleNumbers ?? []
  }

  /// A user's record in the public database.
  private func usersRecord(named name: UserRecordName) throws -> StoredRecord? {
    try store.record(RecordName(name), in: store.usersZone(isPublic: true))
  }

  static func unknown(_ role: SecurityRole, _ known: [SecurityRole]) -> CloudError {
    let names = known.map(\.name).joined(separator: ", ")
    return CloudError(
      .invalidArguments, "no role '\(role.name)' in the schema", serverCode: 2006,
      remedy: known.isEmpty ? "define it in a schema file with CREATE ROLE" : "roles are \(names)")
  }
}

extension Record {
  fileprivate var roleNumbers: [Int64] {
    guard case .list(let members)? = fields[.roles] else { return [] }
    return members.compactMap { if case .int64(let number) = $0 { number } else { nil } }
  }
}
