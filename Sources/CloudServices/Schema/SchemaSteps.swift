internal import CloudModel
internal import RecordStore

/// Makes the changes from one schema to another, within a write transaction.
struct SchemaSteps {
  let store: EnvironmentStore

  func take(_ changes: [SchemaChange]) throws {
    for change in changes { try take(change) }
  }

  private func take(_ change: SchemaChange) throws {
    switch change {
    case .addRole(let role): try store.addRole(role)
    case .removeRole(let role): try store.removeRole(role)
    case .addSubscriptionType(let type): try store.add(type)
    case .addType(let type): _ = try store.addType(type, grants: Grants())
    case .removeType(let type):
      if let table = try store.table(type) { try drop(table) }
    case .addField(let type, let field): try add(field, to: type)
    case .removeField(let type, let field):
      if let table = try store.table(type) { try store.dropField(field.name, of: table) }
    case .changeField(let type, let old, let new):
      if let table = try store.table(type) { try store.dropField(old.name, of: table) }
      try add(new, to: type)
    case .changeIndexes(let type, _, let field):
      guard let table = try table(type) else { return }
      if let key = field.systemKey {
        try store.setIndexes(field.indexes, of: key, in: table)
      } else if table.field(field.name) == nil {
        // Every schema has the field of roles; the file has it only if a user has a role.
        try store.addField(field, to: table)
      } else {
        try store.setIndexes(field.indexes, of: field.name, in: table)
      }
    case .preferNumber(let type, _, let field):
      if let table = try table(type) {
        try store.setType(field.type, of: field.name, in: table)
      }
    case .changeGrants(let type, let role, _, let permissions):
      guard let table = try table(type) else { return }
      var grants = table.schema.grants
      grants[role] = permissions
      try store.setGrants(grants, of: table)
    }
  }

  private func add(_ field: FieldSchema, to type: RecordType) throws {
    if let table = try table(type) { try store.addField(field, to: table) }
  }

  /// A type's table. It may be new, and then gets all its columns at once.
  private func table(_ type: RecordType) throws -> TypeTable? {
    try store.knownTable(type) ?? store.table(type)
  }

  /// Drops a type with its records. Throws `referenceViolation` if a remaining record has one of
  /// them as its parent (R5.9).
  func drop(_ table: TypeTable) throws {
    for (zone, records) in try store.targets(of: table) {
      let rules = ReferenceRules(store: store, zone: zone)
      let errors = try rules.delete(records, withAllOf: table)
      if var error = errors.min(by: { $0.key < $1.key })?.value {
        error.remedy =
          """
          drop the type of that record first, or change the record so that it no longer depends \
          on one of '\(table.schema.name.text)'
          """
        throw error
      }
    }
    try store.drop(table)
  }
}

extension FieldSchema {
  /// The key of a system field; nil for other fields.
  fileprivate var systemKey: SystemKey? {
    SystemKey(name.text).flatMap { $0.schemaName == name.text ? $0 : nil }
  }
}
