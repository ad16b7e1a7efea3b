internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import SQLite

/// The columns of one field in its type's table, and its values in them (`FieldCodec`).
final class FieldColumn: Sendable {
  let schema: FieldSchema
  let number: Int64
  /// The common beginning of the columns' names, unquoted.
  let location: String
  /// The columns.
  let parts: [Part]
  /// Makes the checksums of this field's values differ from those of other fields.
  let salt: UInt64

  struct Part: Sendable {
    /// The column's name, quoted.
    let name: String
    /// The column's type in a STRICT table.
    let type: String
  }

  init(_ schema: FieldSchema, number: Int64, location: String) {
    self.schema = schema
    self.number = number
    self.location = location
    parts = schema.type.columns.map {
      Part(name: (location + $0.suffix).quotedIdentifier, type: $0.type)
    }
    salt = Checksum64.hash(Array(schema.name.text.utf8), seed: 0)
  }

  /// The names of the columns of a field of a type that begin with a given name.
  static func names(of type: FieldType, at location: String) -> [String] {
    type.columns.map { location + $0.suffix }
  }

  /// Binds a value to the places of the field's columns; nil binds NULL to each.
  func bind(_ value: FieldValue?, to statement: Statement, at place: Int) {
    var cells = ParameterCells(statement: statement, place: place)
    if let value { return value.write(to: &cells) }
    for _ in parts { cells.null() }
  }

  /// Reads a value from the columns that begin at `column`; nil for NULL.
  func value(in statement: Statement, at column: Int) -> FieldValue? {
    schema.type.read(RowCells(row: statement), at: column)
  }

  /// How a value can be read without making a `FieldValue`.
  enum Sight {
    /// It cannot.
    case none
    case text
    case int64
    case double
    /// A list whose text in the column is already plain JSON.
    case plainList
    case references
    case other
  }

  /// How the values of the column can be read.
  var sight: Sight {
    switch (schema.type.base, schema.type.isList) {
    case (.string, false): .text
    case (.int64, false): .int64
    case (.double, false): .double
    case (.string, true), (.int64, true), (.double, true): .plainList
    case (.reference, true): .references
    default: .other
    }
  }
}
