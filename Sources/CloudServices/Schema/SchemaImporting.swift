public import CloudModel
internal import RecordStore

/// The plan of a schema import.
public struct SchemaImportPlan: Sendable {
  /// The steps.
  public let changes: [SchemaChange]
  /// The losses: how many records a type has, and how many have a value in a field, with the steps
  /// that delete them.
  public let losses: [(change: SchemaChange, records: Int)]
}

extension CloudEnvironment {
  /// The whole schema, including what CloudKit's exports always have.
  public func fullSchema() throws(CloudError) -> Schema {
    try read { try storedSchema() }
  }

  func storedSchema() throws -> Schema {
    var types = try store.types().compactMap { try store.table($0)?.schema }
    if let place = types.firstIndex(where: { $0.name == .users }),
      types[place].field(FieldName.roles.text) == nil
    {
      types[place].insert(FieldSchema(name: .roles, type: .ofRoles, indexes: []))
    }
    return Schema(roles: try store.roles(), types: types)
  }

  /// Plans the import of a schema into development, which replaces its whole schema (L4.1).
  ///
  /// Throws `serverRejectedRequest` in production, `invalidArguments` if it removes what production
  /// has (R1.2.11), and for fields that would become encrypted or plain (R13.4).
  public func planImport(
    of schema: Schema, besides production: CloudEnvironment
  ) throws(CloudError) -> SchemaImportPlan {
    guard environment == .development else { throw .notInProduction }
    let deployed = try production.fullSchema()
    return try read {
      let changes = try steps(to: schema, deployed)
      let losses = try changes.filter(\.losesData).map { ($0, try records(lostBy: $0)) }
      return SchemaImportPlan(changes: changes, losses: losses.filter { $0.1 > 0 })
    }
  }

  /// Imports a schema, all or nothing. Throws as `planImport`, and `referenceViolation` if a
  /// remaining record has a deleted one as its parent.
  public func importSchema(
    _ schema: Schema, besides production: CloudEnvironment
  ) throws(CloudError) -> [SchemaChange] {
    guard environment == .development else { throw .notInProduction }
    let deployed = try production.fullSchema()
    return try write {
      let changes = try steps(to: schema, deployed)
      try SchemaSteps(store: store).take(changes)
      return changes
    }
  }

  /// The steps of an import, all of them allowed.
  private func steps(to schema: Schema, _ deployed: Schema) throws -> [SchemaChange] {
    let current = try storedSchema()
    let changes = current.changes(to: schema.completed(by: current))
    for change in changes { try Self.check(change, deployed) }
    return changes
  }

  /// Checks that a step of an import is allowed.
  private static func check(_ change: SchemaChange, _ deployed: Schema) throws(CloudError) {
    switch change {
    case .removeType(let type):
      if deployed.type(type.text) != nil { throw .permanent("a record type", type.text) }
    case .removeField(let type, let field):
      guard deployed.type(type.text)?.field(field.name.text) == nil else {
        throw .permanent("a field", "\(type.text).\(field.name.text)")
      }
    case .changeField(let type, let old, let new):
      try check(type, old, new, isDeployed: deployed.type(type.text)?.field(old.name.text) != nil)
    case .addRole, .addType, .addField, .preferNumber, .changeIndexes, .changeGrants, .removeRole,
      .addSubscriptionType:
      return
    }
  }

  private static func check(
    _ type: RecordType, _ old: FieldSchema, _ new: FieldSchema, isDeployed: Bool
  ) throws(CloudError) {
    let isFixed = isDeployed || old.type.preference != nil || type.isManaged
    guard isFixed || old.type.isEncrypted != new.type.isEncrypted else { return }
    var error = CloudError.cannotBecome(old, new.type, in: type)
    error.remedy =
      isDeployed ? "the field is in production" : "use a new field, or drop the old one first"
    throw error
  }

  /// How many records or values a step deletes.
  private func records(lostBy change: SchemaChange) throws -> Int {
    switch change {
    case .removeType(let type):
      return try store.table(type).map { try store.recordCount(of: $0) } ?? 0
    case .removeField(let type, let field), .changeField(let type, let field, _):
      return try store.table(type).map { try store.valueCount(of: field.name, in: $0) } ?? 0
    case .addRole, .addType, .addField, .preferNumber, .changeIndexes, .changeGrants, .removeRole,
      .addSubscriptionType:
      return 0
    }
  }

  // MARK: Deployment

  /// Plans the deployment from development to this environment, production.
  public func planDeployment(
    from development: CloudEnvironment
  ) throws(CloudError) -> [SchemaChange] {
    let (wanted, types) = (try development.fullSchema(), try development.subscriptionTypes())
    return try read { try deployment(of: wanted, types) }
  }

  /// Deploys development's schema to this environment, production: adds missing types, fields,
  /// roles and types of subscriptions, and copies indexes and grants; records stay in place
  /// (R1.2.5, R1.2.14).
  public func deploy(
    from development: CloudEnvironment
  ) throws(CloudError) -> [SchemaChange] {
    let (wanted, types) = (try development.fullSchema(), try development.subscriptionTypes())
    return try write {
      let changes = try deployment(of: wanted, types)
      try SchemaSteps(store: store).take(changes)
      return changes
    }
  }

  private func deployment(
    of wanted: Schema, _ types: [SubscriptionType]
  ) throws -> [SchemaChange] {
    let changes = try storedSchema().changes(to: wanted).filter { (change) throws(CloudError) in
      if case .changeField(let type, let old, let new) = change {
        throw .cannotBecome(old, new.type, in: type)
      }
      return change.isDeployable
    }
    let known = Set(try store.subscriptionTypes())
    return changes
      + types.filter { !known.contains($0) && wanted.type($0.recordType.text) != nil }
      .map { .addSubscriptionType($0) }
  }

  /// The types of the query subscriptions that were ever made or deployed here.
  private func subscriptionTypes() throws(CloudError) -> [SubscriptionType] {
    try read { try store.subscriptionTypes() }
  }

  /// Deletes all records and custom zones of development, and resets its schema to production's
  /// (R1.2.8).
  public func reset(to production: CloudEnvironment) throws(CloudError) {
    let (wanted, types) = (try production.fullSchema(), try production.subscriptionTypes())
    try write {
      try store.deleteAllZones()
      try store.set(subscriptionTypes: types)
      try SchemaSteps(store: store).take(storedSchema().changes(to: wanted))
    }
  }
}
