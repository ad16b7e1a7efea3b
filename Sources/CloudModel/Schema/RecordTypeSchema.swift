public import Basics

/// A record type of the schema.
public struct RecordTypeSchema: Sendable, Equatable {
  /// The type's name.
  public var name: RecordType
  /// The fields, in byte order of their names.
  public var fields: [FieldSchema]
  /// The indexes of its system fields; none for a new type (R3.6.2).
  public var systemIndexes: SmallMap<SystemKey, FieldIndexes>
  /// The permissions of roles on its records in the public database.
  public var grants: Grants

  /// Creates a type; `fields` must be in byte order of their names.
  public init(
    name: RecordType, fields: [FieldSchema], systemIndexes: SmallMap<SystemKey, FieldIndexes> = [:],
    grants: Grants = .ofNewType
  ) {
    self.name = name
    self.fields = fields
    self.systemIndexes = systemIndexes
    self.grants = grants
  }

  /// The type of shares with the fields that CloudKit gives them (`CKShare.SystemFieldKey`).
  public static let ofShares = RecordTypeSchema(
    name: .share,
    fields: [
      FieldSchema(name: .shareThumbnail, type: FieldType(.bytes), indexes: []),
      FieldSchema(name: .shareTitle, type: FieldType(.string), indexes: []),
      FieldSchema(name: .shareType, type: FieldType(.string), indexes: []),
    ])

  /// The system fields of every type, as fields, in byte order of their names.
  public var systemFields: [FieldSchema] {
    systemIndexes.isEmpty ? Self.plainSystemFields : Self.systemFields(systemIndexes)
  }

  private static let plainSystemFields = systemFields([:])

  private static func systemFields(
    _ indexes: SmallMap<SystemKey, FieldIndexes>
  ) -> [FieldSchema] {
    SystemKey.allCases.compactMap { key in
      key.schemaName.map {
        FieldSchema(
          name: FieldName(stored: $0), type: key.type, indexes: indexes[key] ?? [])
      }
    }
    .sorted { utf8Precedes($0.name.text, $1.name.text) }
  }

  /// The system fields that have indexes, as fields, in byte order of their names.
  public var indexedSystemFields: [FieldSchema] { systemFields.filter { !$0.indexes.isEmpty } }

  /// The field of a key; `#parent` is the field `parent`.
  public func field(_ key: String) -> FieldSchema? {
    let name = FieldName(key: key)
    return fields.first { $0.name.text == name.text }
  }
}

/// A field of a record type.
public struct FieldSchema: Sendable, Equatable {
  /// The field's name.
  public var name: FieldName
  /// The field's type.
  public var type: FieldType
  /// The indexes.
  public var indexes: FieldIndexes

  /// Creates a field.
  public init(name: FieldName, type: FieldType, indexes: FieldIndexes) {
    self.name = name
    self.type = type
    self.indexes = indexes
  }

  /// The field in the schema language, as a line of its type.
  public func schemaLine() -> String {
    var line = ""
    appendSchemaLine(width: 0, to: &line)
    return line
  }

  /// Appends that line, with the name padded to a width.
  public func appendSchemaLine(width: Int, to text: inout String) {
    let name = name.text.schemaIdentifier
    text += name
    for _ in name.utf8.count...max(width, name.utf8.count) { text += " " }
    text += type.schemaName
    text += indexes.schemaText
  }
}
