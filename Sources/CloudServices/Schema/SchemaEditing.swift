public import CloudModel
internal import RecordStore

/// What a deployment brought into production.
public struct SchemaAdditions: Sendable, Equatable {
  /// New types.
  public var types: [RecordType] = []
  /// New fields, as `TYPE.FIELD`, those of new types among them.
  public var fields: [String] = []
  /// Fields that can be asked in new ways, as `TYPE.FIELD`.
  public var indexes: [String] = []

  /// Names what is new.
  public init(types: [RecordType] = [], fields: [String] = [], indexes: [String] = []) {
    self.types = types
    self.fields = fields
    self.indexes = indexes
  }

  /// Whether nothing was missing.
  public var isEmpty: Bool { types.isEmpty && fields.isEmpty && indexes.isEmpty }
}

extension CloudEnvironment {
  /// Adds a type with fields, or fields to a type that is there.
  ///
  /// Returns what was new. Throws `invalidArguments` in production (rule 1.2.3), for a field of
  /// another type than the stored one (rule 1.2.10).
  public func addToSchema(
    _ type: RecordType, _ fields: [(name: FieldName, type: FieldType)]
  ) throws(CloudError) -> SchemaAdditions {
    guard environment == .development else {
      guard let field = fields.first, try schema(of: type) != nil else {
        throw .newTypeInProduction(type)
      }
      throw .newFieldInProduction(field.name, in: type)
    }
    // Unlike those that a save makes, fields made by hand carry no index (§7.3).
    let schemas = fields.map { FieldSchema(name: $0.name, type: $0.type, indexes: []) }
    return try write {
      var additions = SchemaAdditions()
      try add(RecordTypeSchema(name: type, fields: schemas), &additions)
      return additions
    }
  }

  /// Drops a type with all its records, or one of its fields with all its values.
  ///
  /// Throws `invalidArguments` for what production has (rules 1.2.6, 1.2.9) and for an unknown
  /// field, `unknownItem` for an unknown type, `referenceViolation` when a record that stays has
  /// one of the type as its parent (rule 5.9).
  public func drop(
    _ type: RecordType, _ field: FieldName?, unlessIn production: CloudEnvironment
  ) throws(CloudError) {
    try requireDroppable(type, field, unlessIn: production)
    try write {
      let table = try requireTable(type)
      if let field { return try store.dropField(field, of: table) }
      for (zone, records) in try store.targets(of: table) {
        let rules = ReferenceRules(store: store, zone: zone)
        let errors = try rules.delete(records, withAllOf: table)
        if let error = errors.min(by: { $0.key < $1.key })?.value { throw error }
      }
      try store.drop(table)
    }
  }

  /// Whether a type or a field may be dropped. Throws as `drop`.
  public func requireDroppable(
    _ type: RecordType, _ field: FieldName?, unlessIn production: CloudEnvironment
  ) throws(CloudError) {
    guard let schema = try schema(of: type) else { throw .typeNotFound(type) }
    if type == .users, field == nil { throw .managedType }
    let deployed = try production.schema(of: type)
    guard let field else {
      if deployed != nil { throw .permanent("a record type") }
      return
    }
    guard schema.field(field.text) != nil else { throw .fieldNotFound(field.text, in: type) }
    if deployed?.field(field.text) != nil {
      throw .permanent("a field")
    }
  }

  /// How many records of a type there are in all databases. Throws `CloudError`.
  public func recordCount(of type: RecordType) throws(CloudError) -> Int {
    try read { try store.table(type).map { try store.recordCount(of: $0) } ?? 0 }
  }

  /// Brings the types, fields and declared indexes of development that are missing here, in
  /// production, into being; records stay where they are (rule 1.2.5). Throws `CloudError`.
  public func deploy(from development: CloudEnvironment) throws(CloudError) -> SchemaAdditions {
    let schemas = try development.schema()
    return try write {
      var additions = SchemaAdditions()
      for schema in schemas { try add(schema, &additions) }
      return additions
    }
  }

  /// Removes all records and custom zones of development, and makes its schema that of
  /// production (rule 1.2.8). Throws `CloudError`.
  public func reset(to production: CloudEnvironment) throws(CloudError) {
    let schemas = try production.schema()
    try write {
      try store.deleteAllZones()
      for type in try store.types() {
        guard let table = try store.table(type) else { continue }
        guard type == .users else {
          try store.drop(table)
          continue
        }
        for field in table.schema.fields { try store.dropField(field.name, of: table) }
      }
      var additions = SchemaAdditions()
      for schema in schemas { try add(schema, &additions) }
    }
  }

  /// Adds what is missing of a type.
  private func add(_ schema: RecordTypeSchema, _ additions: inout SchemaAdditions) throws {
    let table: TypeTable
    if let known = try store.table(schema.name) {
      table = known
    } else {
      table = try store.addType(schema.name)
      additions.types.append(schema.name)
    }
    for field in schema.fields {
      let path = "\(schema.name.text).\(field.name.text)"
      guard let known = table.field(field.name) else {
        try store.addField(field, to: table)
        additions.fields.append(path)
        continue
      }
      guard known.type == field.type else {
        throw CloudError(
          .invalidArguments,
          "field '\(field.name.text)' in type '\(schema.name.text)' is \(known.type.schemaName) "
            + "and cannot become \(field.type.schemaName)", serverCode: 2006)
      }
      let indexes = known.indexes.union(field.indexes)
      if indexes != known.indexes {
        try store.setIndexes(indexes, of: field.name, in: table)
        additions.indexes.append(path)
      }
    }
    for (key, indexes) in schema.systemIndexes {
      let known = table.schema.systemIndexes[key] ?? []
      guard !indexes.isSubset(of: known) else { continue }
      try store.setIndexes(known.union(indexes), of: key, in: table)
      additions.indexes.append("\(schema.name.text).\(key.schemaName ?? key.rawValue)")
    }
    additions.indexes.sort()
  }
}
