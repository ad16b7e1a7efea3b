/// A record type of the schema.
package struct RecordTypeSchema: Sendable, Equatable {
  /// The type's name.
  package var name: RecordType
  /// The fields, in the byte order of their names.
  package var fields: [FieldSchema]

  /// Describes a type; `fields` are in the byte order of their names.
  package init(name: RecordType, fields: [FieldSchema]) {
    self.name = name
    self.fields = fields
  }

  /// The field of a name.
  package func field(_ name: String) -> FieldSchema? {
    fields.first { $0.name.text == name }
  }
}

/// A field of a record type.
package struct FieldSchema: Sendable, Equatable {
  /// The field's name.
  package var name: FieldName
  /// The field's type.
  package var type: FieldType
  /// What may be asked of it.
  package var indexes: FieldIndexes

  /// Describes a field.
  package init(name: FieldName, type: FieldType, indexes: FieldIndexes) {
    self.name = name
    self.type = type
    self.indexes = indexes
  }
}
