public import CloudModel
internal import RecordStore
internal import StoreFiles

/// The permissions on records of the public database: the union of what the type grants to the
/// user's roles (R11.4). Grants do not apply to other databases (C245).
struct PermissionRules {
  let database: CloudDatabase

  /// A user's permissions on the records of a type.
  struct Access {
    /// On all records.
    var all: Permissions
    /// On records that the user created.
    var own: Permissions
  }

  /// The records of a type that a user may read.
  enum Visibility: Equatable {
    case all
    /// Records that this user created.
    case own(UserRecordName)
    case none
  }

  func access(to grants: Grants) throws -> Access {
    guard database.scope == .public else { return Access(all: .all, own: .all) }
    var all = grants[.world]
    guard let user = database.actor else { return Access(all: all, own: all) }
    all.formUnion(grants[.icloud])
    let custom = grants.entries.filter { !$0.role.isImplicit }
    if !custom.isEmpty {
      let numbers = try database.environment.roleNumbers(of: user)
      for (role, permissions) in custom where numbers.contains(role.number) {
        all.formUnion(permissions)
      }
    }
    return Access(all: all, own: all.union(grants[.creator]))
  }

  /// The roles by which the user has a permission on records of a type; `_creator` is one on own
  /// records.
  private func roles(with permission: Permissions, in grants: Grants) throws -> [SecurityRole] {
    let granted = grants.entries.filter { $0.permissions.contains(permission) }.map(\.role)
    guard let user = database.actor else { return granted.filter { $0 == .world } }
    if granted.allSatisfy(\.isImplicit) { return granted }
    let numbers = try database.environment.roleNumbers(of: user)
    return granted.filter { $0.isImplicit || numbers.contains($0.number) }
  }

  /// The grant by which the user has a permission on records of a type, or that there is none.
  func grant(of permission: Permissions, on type: RecordType) throws -> String {
    let word = permission.words.joined(separator: ", ")
    guard let schema = try database.store.table(type)?.schema else {
      return "\(type.text) is not in the schema"
    }
    let roles = try roles(with: permission, in: schema.grants)
    if let role = roles.first(where: { $0 != .creator }) {
      return "\(type.text) grants \(word) to \(role.name)"
    }
    return roles.isEmpty
      ? "\(type.text) grants \(word) to no role of the user"
      : "\(type.text) grants \(word) to _creator only: on own records"
  }

  /// Checks that a record of a type may be created; a nil schema is a new type. Throws
  /// `permissionFailure` (R11.4.4).
  func requireCreate(_ schema: RecordTypeSchema?, _ name: RecordName) throws {
    guard database.scope == .public, let schema else { return }
    if try access(to: schema.grants).all.contains(.create) { return }
    throw refusal("CREATE", schema, name)
  }

  /// Whether every record of a type may be created, whatever its contents.
  func allowAnyRecord(of schema: RecordTypeSchema) throws -> Bool {
    guard database.scope == .public else { return true }
    return try access(to: schema.grants).all.contains(.create)
      && !schema.fields.contains(where: \.type.isEncrypted)
  }

  /// Checks that a stored record may be updated or deleted (R11.4.2). Throws `permissionFailure`.
  func requireWrite(_ stored: StoredRecord) throws {
    guard database.scope == .public, let schema = try schema(of: stored) else { return }
    let access = try access(to: schema.grants)
    let isOwn = isOwn(stored)
    if (isOwn ? access.own : access.all).contains(.write) { return }
    var error = refusal("WRITE", schema, stored.record.name)
    if access.own.contains(.write) {
      error.remedy = "only the creator may change a record of \(schema.name.text)"
    }
    throw error
  }

  /// Checks that a stored record may be read. Throws `permissionFailure`.
  func requireRead(_ stored: StoredRecord) throws {
    guard database.scope == .public, let schema = try schema(of: stored) else { return }
    switch try visibility(of: schema.grants) {
    case .all: return
    case .own: if isOwn(stored) { return }
    case .none: break
    }
    throw refusal("READ", schema, stored.record.name)
  }

  /// Whether a stored record may be read.
  func mayRead(_ stored: StoredRecord) throws -> Bool {
    do { try requireRead(stored) } catch let error as CloudError where error.storage == nil {
      return false
    }
    return true
  }

  /// A conflict with a stored record, without the parts that the caller may not read.
  func conflict(_ error: CloudError, with stored: StoredRecord) throws -> CloudError {
    if try mayRead(stored) { return error }
    var error = error
    error.conflict = nil
    return error
  }

  /// Which records of a type the user may read. Throws `StoreError`.
  func visibility(of grants: Grants) throws -> Visibility {
    // Most types are readable by `_world`.
    if database.scope != .public || grants[.world].contains(.read) { return .all }
    let access = try access(to: grants)
    if access.all.contains(.read) { return .all }
    guard access.own.contains(.read), let user = database.actor else { return .none }
    return .own(database.environment.userRecordName(user))
  }

  /// The error for a missing permission.
  func refusal(
    _ operation: String, _ schema: RecordTypeSchema, _ name: RecordName? = nil
  ) -> CloudError {
    var error = CloudError.notPermitted(operation, name)
    error.remedy =
      schema.grants.isEmpty
      ? "\(schema.name.text) grants no permissions in the public database"
      : .showGrants(operation: operation, schema.name)
    return error
  }

  private func isOwn(_ stored: StoredRecord) -> Bool {
    database.actor.map { database.environment.userRecordName($0) == stored.record.created?.by }
      ?? false
  }

  private func schema(of stored: StoredRecord) throws -> RecordTypeSchema? {
    try database.store.table(stored.record.type)?.schema
  }
}

extension CloudDatabase {
  /// The rule that decides what the caller may do with records of a type (R11.4, C245), in words
  /// for people.
  public func rule(for permission: Permissions, on type: RecordType) throws(CloudError) -> String {
    switch scope {
    case .public:
      try environment.read { try permissions.grant(of: permission, on: type) }
    case .private: "a private database is open to its user alone"
    case .shared: "each share gives its participants a permission"
    }
  }
}
