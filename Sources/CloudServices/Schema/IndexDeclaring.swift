internal import Basics
public import CloudModel
internal import RecordStore

/// A change of the declared indexes of fields.
public struct IndexChange: Sendable {
  /// Whether earlier declarations are removed.
  public var clears: Bool
  /// The indexes to add.
  public var adding: FieldIndexes

  /// Creates a change.
  public init(clears: Bool, adding: FieldIndexes) {
    self.clears = clears
    self.adding = adding
  }

  fileprivate func callAsFunction(_ known: FieldIndexes) -> FieldIndexes {
    clears ? adding : known.union(adding)
  }
}

extension CloudEnvironment {
  /// Changes the declared indexes of a type's fields, including system fields.
  ///
  /// Returns the changed fields, in the order of the names. Throws `unknownItem` for an unknown
  /// type, `invalidArguments` in production, for an unknown field, and for an index that a field of
  /// its type cannot have (R7.3.7).
  public func setIndexes(
    _ change: IndexChange, of fields: [String], in type: RecordType
  ) throws(CloudError) -> [FieldSchema] {
    guard environment == .development else { throw .fixedInProduction("indexes") }
    return try write {
      let table = try requireTable(type)
      return try fields.map { try set(change, $0, table) }
    }
  }

  private func set(
    _ change: IndexChange, _ field: String, _ table: TypeTable
  ) throws -> FieldSchema {
    if let key = SystemKey(field), let name = key.schemaName {
      let indexes = change(table.schema.systemIndexes[key] ?? [])
      let schema = FieldSchema(name: FieldName(stored: name), type: key.type, indexes: indexes)
      try check(schema, allowed: [.queryable, .sortable], in: table.schema.name)
      try store.setIndexes(indexes, of: key, in: table)
      return schema
    }
    guard var schema = table.schema.field(field) else {
      throw CloudError.fieldNotFound(
        field, in: table.schema.name, among: table.schema.fields)
    }
    schema.indexes = change(schema.indexes)
    try check(schema, allowed: schema.type.allowedIndexes, in: table.schema.name)
    try store.setIndexes(schema.indexes, of: schema.name, in: table)
    return schema
  }

  private func check(
    _ field: FieldSchema, allowed: FieldIndexes, in type: RecordType
  ) throws(CloudError) {
    guard let word = field.indexes.subtracting(allowed).words.first else { return }
    throw CloudError(
      .invalidArguments,
      "field '\(field.name.text)' in type '\(type.text)' is \(field.type.schemaName) and cannot "
        + "be \(word)", serverCode: 2006)
  }
}
