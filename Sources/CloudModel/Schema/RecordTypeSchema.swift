/// A record type of the schema.
public struct RecordTypeSchema: Sendable, Equatable {
  /// The type's name.
  public var name: RecordType
  /// The fields, in the byte order of their names.
  public var fields: [FieldSchema]

  /// Describes a type; `fields` are in the byte order of their names.
  public init(name: RecordType, fields: [FieldSchema]) {
    self.name = name
    self.fields = fields
  }

  /// The field of a name.
  public func field(_ name: String) -> FieldSchema? {
    fields.first { $0.name.text == name }
  }
}

/// A field of a record type.
public struct FieldSchema: Sendable, Equatable {
  /// The field's name.
  public var name: FieldName
  /// The field's type.
  public var type: FieldType
  /// What may be asked of it.
  public var indexes: FieldIndexes

  /// Describes a field.
  public init(name: FieldName, type: FieldType, indexes: FieldIndexes) {
    self.name = name
    self.type = type
    self.indexes = indexes
  }
}
