internal import Basics

/// A step from one schema to another.
public enum SchemaChange: Sendable, Equatable {
  case addRole(SecurityRole)
  /// A type without its fields, indexes and grants, which are separate steps.
  case addType(RecordType)
  case addField(RecordType, FieldSchema)
  case removeField(RecordType, FieldSchema)
  /// A field that is replaced by another of its name and loses its values.
  case changeField(RecordType, from: FieldSchema, to: FieldSchema)
  /// How the numbers of a NUMBER field are shown, which can be set only once (L4.6).
  case preferNumber(RecordType, from: FieldSchema, to: FieldSchema)
  /// The indexes of a field, or of a system field.
  case changeIndexes(RecordType, from: FieldSchema, to: FieldSchema)
  case changeGrants(RecordType, SecurityRole, from: Permissions, to: Permissions)
  case removeType(RecordType)
  case removeRole(SecurityRole)
  case addSubscriptionType(SubscriptionType)

  /// Whether it deletes values or records.
  public var losesData: Bool {
    switch self {
    case .removeField, .changeField, .removeType: true
    case .addRole, .addType, .addField, .preferNumber, .changeIndexes, .changeGrants, .removeRole,
      .addSubscriptionType:
      false
    }
  }

  /// Whether a deployment can make it: it adds something, or changes something without data
  /// (R1.2.5, R1.2.7).
  public var isDeployable: Bool {
    if case .removeRole = self { return false }
    return !losesData
  }

  /// Whether it cannot be undone in production (R1.2.6).
  public var isPermanent: Bool {
    switch self {
    case .addType, .addField, .preferNumber: true
    case .addRole, .removeRole, .removeType, .removeField, .changeField, .changeIndexes,
      .changeGrants, .addSubscriptionType:
      false
    }
  }
}

extension Schema {
  /// The steps from this schema to another: roles, then types in byte order, then removals.
  public func changes(to other: Schema) -> [SchemaChange] {
    var changes = other.roles.filter { !roles.contains($0) }.map { SchemaChange.addRole($0) }
    let names = Set(types.map(\.name.text)).union(other.types.map(\.name.text))
    for name in names.sorted(by: utf8Precedes) {
      switch (type(name), other.type(name)) {
      case (let old?, let new?): changes += old.changes(to: new)
      case (nil, let new?):
        let empty = RecordTypeSchema(name: new.name, fields: [], grants: Grants())
        changes += [.addType(new.name)] + empty.changes(to: new)
      case (let old?, nil): changes.append(.removeType(old.name))
      case (nil, nil): continue
      }
    }
    return changes + roles.filter { !other.roles.contains($0) }.map { .removeRole($0) }
  }

  /// The schema, completed with CloudKit's own parts from another if this one omits them: system
  /// types, and the field of `Users` that contains roles (L4.3).
  public func completed(by other: Schema) -> Schema {
    let missing = other.types.filter { $0.name.isManaged && type($0.name.text) == nil }
    var completed = Schema(roles: roles, types: types + missing)
    let roles = other.type(RecordType.users.text)?.field(FieldName.roles.text)
    if let roles, let place = completed.types.firstIndex(where: { $0.name == .users }),
      completed.types[place].field(FieldName.roles.text) == nil
    {
      completed.types[place].insert(roles)
    }
    return completed
  }
}

extension RecordTypeSchema {
  /// The steps from this type to another with the same name.
  fileprivate func changes(to other: RecordTypeSchema) -> [SchemaChange] {
    let old = fields + systemFields
    let new = other.fields + other.systemFields
    var changes: [SchemaChange] = []
    let names = Set(old.map(\.name.text)).union(new.map(\.name.text))
    for name in names.sorted(by: utf8Precedes) {
      switch (old.first { $0.name.text == name }, new.first { $0.name.text == name }) {
      case (let old?, let new?) where old.type.canBecome(preferred: new.type):
        changes.append(.preferNumber(self.name, from: old, to: new))
        if old.indexes != new.indexes {
          changes.append(.changeIndexes(self.name, from: old, to: new))
        }
      case (let old?, let new?) where old.type != new.type:
        changes.append(.changeField(self.name, from: old, to: new))
      case (let old?, let new?) where old.indexes != new.indexes:
        changes.append(.changeIndexes(self.name, from: old, to: new))
      case (nil, let new?): changes.append(.addField(self.name, new))
      case (let old?, nil): changes.append(.removeField(self.name, old))
      default: continue
      }
    }
    let roles = Set(grants.entries.map(\.role)).union(other.grants.entries.map(\.role))
    for role in roles.sorted(by: { utf8Precedes($0.name, $1.name) })
    where grants[role] != other.grants[role] {
      changes.append(
        .changeGrants(name, role, from: grants[role], to: other.grants[role]))
    }
    return changes
  }

  /// Inserts a field in its place.
  public mutating func insert(_ field: FieldSchema) {
    let place = fields.firstIndex { !utf8Precedes($0.name.text, field.name.text) }
    fields.insert(field, at: place ?? fields.count)
  }
}

extension RecordType {
  /// Whether it is CloudKit's own type: `Users`, `cloudkit.share`.
  public var isManaged: Bool { self == .users || self == .share }
}
