public import CloudModel
internal import RecordStore

extension CloudEnvironment {
  /// Adds a type with fields, or fields to an existing type.
  ///
  /// Returns the additions. Throws `invalidArguments` in production (R1.2.3), and for an existing
  /// field of another type (R1.2.10).
  public func addToSchema(
    _ type: RecordType, _ fields: [(name: FieldName, type: FieldType)]
  ) throws(CloudError) -> [SchemaChange] {
    guard environment == .development else {
      guard let field = fields.first, try schema(of: type) != nil else {
        throw .newTypeInProduction(type)
      }
      throw .newFieldInProduction(field.name, in: type)
    }
    return try write {
      var changes: [SchemaChange] = []
      let known = try store.table(type)
      if known == nil { changes.append(.addType(type)) }
      let table = try known ?? store.addType(type)
      for field in fields {
        if let known = table.field(field.name) {
          guard known.type == field.type else {
            throw CloudError.cannotBecome(known, field.type, in: type)
          }
          continue
        }
        // Unlike fields created by a save, fields added by hand have no index (R7.3.8).
        let schema = FieldSchema(name: field.name, type: field.type, indexes: [])
        try store.addField(schema, to: table)
        changes.append(.addField(type, schema))
      }
      return changes
    }
  }

  /// Grants permissions on a type to a role, or revokes them; grants to other roles stay.
  ///
  /// Returns the changes. Throws `invalidArguments` in production and for an unknown role,
  /// `unknownItem` for an unknown type.
  public func setGrants(
    _ permissions: Permissions, to role: SecurityRole, of type: RecordType, isGiven: Bool
  ) throws(CloudError) -> [SchemaChange] {
    guard environment == .development else { throw .fixedInProduction("grants") }
    return try write {
      let table = try requireTable(type)
      let known = try store.roles()
      guard role.isImplicit || known.contains(role) else { throw Self.unknown(role, known) }
      let before = table.schema.grants[role]
      let after = isGiven ? before.union(permissions) : before.subtracting(permissions)
      guard before != after else { return [] }
      let change = SchemaChange.changeGrants(type, role, from: before, to: after)
      try SchemaSteps(store: store).take([change])
      return [change]
    }
  }

  /// Adds security roles; returns the changes. Throws `invalidArguments` in production.
  public func addRoles(_ roles: [SecurityRole]) throws(CloudError) -> [SchemaChange] {
    guard environment == .development else { throw .fixedInProduction("roles") }
    return try write {
      let known = try store.roles()
      let changes = roles.filter { !known.contains($0) }.map { SchemaChange.addRole($0) }
      try SchemaSteps(store: store).take(changes)
      return changes
    }
  }

  /// Removes security roles with everything that they grant; returns the changes. Throws
  /// `invalidArguments` in production and for an unknown role.
  public func removeRoles(_ roles: [SecurityRole]) throws(CloudError) -> [SchemaChange] {
    guard environment == .development else { throw .fixedInProduction("roles") }
    return try write {
      let (known, types) = (try store.roles(), try storedSchema().types)
      var changes: [SchemaChange] = []
      for role in roles {
        guard known.contains(role) else { throw Self.unknown(role, known) }
        changes += types.filter { !$0.grants[role].isEmpty }.map {
          .changeGrants($0.name, role, from: $0.grants[role], to: [])
        }
        changes.append(.removeRole(role))
      }
      try SchemaSteps(store: store).take(changes)
      return changes
    }
  }

  /// Drops a type with all its records, or one of its fields with all its values.
  ///
  /// Throws `invalidArguments` for a type or field that production has (R1.2.6, R1.2.9) and for an
  /// unknown field, `unknownItem` for an unknown type, `referenceViolation` if a remaining record
  /// has one of the type as its parent (R5.9).
  public func drop(
    _ type: RecordType, _ field: FieldName?, unlessIn production: CloudEnvironment
  ) throws(CloudError) {
    try requireDroppable(type, field, unlessIn: production)
    try write {
      let table = try requireTable(type)
      if let field { return try store.dropField(field, of: table) }
      try SchemaSteps(store: store).drop(table)
    }
  }

  /// Checks that a type or a field may be dropped. Throws as `drop`.
  public func requireDroppable(
    _ type: RecordType, _ field: FieldName?, unlessIn production: CloudEnvironment
  ) throws(CloudError) {
    guard let schema = try schema(of: type) else {
      throw .typeNotFound(type, among: try self.schema().map(\.name))
    }
    if type == .users, field == nil || field == .roles { throw .managedType }
    let deployed = try production.schema(of: type)
    guard let field else {
      if deployed != nil { throw .permanent("a record type") }
      return
    }
    guard schema.field(field.text) != nil else {
      throw .fieldNotFound(field.text, in: type, among: schema.fields)
    }
    if deployed?.field(field.text) != nil {
      throw .permanent("a field")
    }
  }

  /// How many records of a type there are in all databases.
  public func recordCount(of type: RecordType) throws(CloudError) -> Int {
    try read { try store.table(type).map { try store.recordCount(of: $0) } ?? 0 }
  }
}
