internal import Basics
public import CloudModel

/// Writes schema files in the layout of Apple's exporter, byte for byte (L3).
public enum SchemaPrinter {
  /// The schema file's text.
  public static func text(_ schema: Schema) -> String {
    var text = "DEFINE SCHEMA\n"
    if !schema.roles.isEmpty { text += "\n" }
    for role in schema.roles { text += "    CREATE ROLE \(role.name.schemaIdentifier);\n" }
    for type in schema.types {
      text += "\n"
      append(type, to: &text)
    }
    return text
  }

  /// Appends a type's statement, indented as in a file.
  private static func append(_ type: RecordTypeSchema, to text: inout String) {
    text += "    RECORD TYPE \(type.name.text.schemaIdentifier) ("
    // System fields follow each other: no other field begins with their underscores.
    let own = type.fields.sorted { utf8Precedes($0.name.text, $1.name.text) }
    let place = own.firstIndex { utf8Precedes("___", $0.name.text) } ?? own.count
    let fields = own[..<place] + type.systemFields + own[place...]
    let width = fields.reduce(0) { max($0, $1.name.text.schemaIdentifier.utf8.count) }
    var separator = "\n        "
    for field in fields {
      text += separator
      field.appendSchemaLine(width: width, to: &text)
      separator = ",\n        "
    }
    for grant in type.grants.entries {
      text += separator
      text += grant.role.schemaGrant(of: grant.permissions)
      separator = ",\n        "
    }
    text += "\n    );\n"
  }
}
