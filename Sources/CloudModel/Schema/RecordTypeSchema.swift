internal import Basics

/// A record type of the schema.
public struct RecordTypeSchema: Sendable, Equatable {
  /// The type's name.
  public var name: RecordType
  /// The fields, in the byte order of their names.
  public var fields: [FieldSchema]
  /// What may be asked of its system fields; nothing in a new type (§7.3).
  public var systemIndexes: [SystemKey: FieldIndexes]

  /// Describes a type; `fields` are in the byte order of their names.
  public init(
    name: RecordType, fields: [FieldSchema], systemIndexes: [SystemKey: FieldIndexes] = [:]
  ) {
    self.name = name
    self.fields = fields
    self.systemIndexes = systemIndexes
  }

  /// The system fields that carry indexes, as fields, in the byte order of their names.
  public var indexedSystemFields: [FieldSchema] {
    SystemKey.allCases.compactMap { key in
      guard let name = key.schemaName, let indexes = systemIndexes[key], !indexes.isEmpty else {
        return nil
      }
      return FieldSchema(name: FieldName(stored: name), type: key.type, indexes: indexes)
    }
    .sorted { utf8Precedes($0.name.text, $1.name.text) }
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

  /// The field in the schema language, as it stands among those of its type.
  public var schemaLine: String {
    let text = name.text.hasPrefix("_") ? "\"\(name.text)\"" : name.text
    return ([text, type.schemaName] + indexes.words).joined(separator: " ") + ","
  }
}
