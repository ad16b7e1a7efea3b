internal import Basics
public import CloudModel

/// Writes schema files in the layout of Apple's exporter, byte for byte (L3).
public enum SchemaPrinter {
  /// The schema file's text.
  public static func text(_ schema: Schema) -> String {
    var text = "DEFINE SCHEMA\n"
    if !schema.roles.isEmpty { text += "\n" }
    for role in schema.roles { text += "    CREATE ROLE \(role.name.schemaIdentifier);\n" }
    for type in schema.types { text += "\n    \(statement(type))\n" }
    return text
  }

  /// A type's statement, indented as in a file.
  private static func statement(_ type: RecordTypeSchema) -> String {
    let fields = (type.fields + type.systemFields).sorted {
      utf8Precedes($0.name.text, $1.name.text)
    }
    let width = fields.map(\.name.text.schemaIdentifier.utf8.count).max() ?? 0
    let items =
      fields.map { $0.schemaLine(width: width) }
      + type.grants.entries.map { $0.role.schemaGrant(of: $0.permissions) }
    let lines = items.map { "        \($0)" }.joined(separator: ",\n")
    return "RECORD TYPE \(type.name.text.schemaIdentifier) (\n\(lines)\n    );"
  }
}
