public import CloudModel
internal import RecordStore

/// The result of assigning or removing a role.
public struct RoleResult: Sendable {
  /// Whether the assignment changed.
  public var isChanged: Bool
  /// The notices of the operation.
  public var notices: [Notice]
}

// Roles are assigned in the field `roles` of the user's record in the public database, as numbers:
// they are data, which imports and deployments of a schema do not touch (R11.4.7).
extension CloudEnvironment {
  /// The roles of the app, in byte order of their names.
  public func roles() throws(CloudError) -> [SecurityRole] { try read { try store.roles() } }

  /// The roles of an account.
  public func roles(of account: Account) throws(CloudError) -> [SecurityRole] {
    try requireNetwork()
    return try read {
      let numbers = try roleNumbers(of: account)
      return try store.roles().filter { numbers.contains($0.number) }
    }
  }

  /// Assigns a role to the user of an account, or removes it; this creates the user in the
  /// container. Throws `invalidArguments` for a role that the schema does not have.
  public func set(
    _ role: SecurityRole, of account: Account, isGiven: Bool
  ) throws(CloudError) -> RoleResult {
    try requireNetwork()
    return try write { try set(role, toBe: isGiven, of: account) }
  }

  /// Assigns or removes a role within a write transaction.
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

  /// The numbers of an account's roles; none if it has never written here.
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
      remedy: .createRole(role, known: names))
  }
}

extension Record {
  fileprivate var roleNumbers: [Int64] {
    guard case .list(let members)? = fields[.roles] else { return [] }
    return members.compactMap { if case .int64(let number) = $0 { number } else { nil } }
  }
}
