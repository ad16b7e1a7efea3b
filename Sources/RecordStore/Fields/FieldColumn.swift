internal import Basics
internal import CloudModel
internal import SQLite

/// How one field stands in its type's table: its columns, and its values in them.
///
/// STRING text; INT64 integer; DOUBLE real; TIMESTAMP integer milliseconds; BYTES blob; NUMBER
/// either number; LOCATION latitude, longitude and the rest as a JSON list; REFERENCE the
/// target's name and its action (none is NULL); ASSET hash and size; a list JSON text.
///
/// Real numbers are in columns of type ANY: SQLite writes whole numbers of a REAL column as
/// integers ("Datatypes In SQLite", §2), which turns -0.0 into 0.0.
final class FieldColumn: Sendable {
  let schema: FieldSchema
  let number: Int64
  /// The name that its columns begin with, unquoted.
  let location: String
  /// The columns.
  let parts: [Part]
  /// Makes checksums of this field's values unlike those of other fields.
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
    parts = Self.parts(schema.type).map {
      Part(name: (location + $0.0).quotedIdentifier, type: $0.1)
    }
    salt = Checksum64.hash(Array(schema.name.text.utf8), seed: 0)
  }

  /// The names of the columns of a field of a type that begin with a name.
  static func names(of type: FieldType, at location: String) -> [String] {
    parts(type).map { location + $0.0 }
  }

  private static func parts(_ type: FieldType) -> [(String, String)] {
    if type.isList { return [("", "TEXT")] }
    switch type.base {
    case .string: return [("", "TEXT")]
    case .int64, .timestamp: return [("", "INTEGER")]
    case .double: return [("", "ANY")]
    case .bytes: return [("", "BLOB")]
    case .number: return [("", "ANY")]
    case .location: return [(".latitude", "ANY"), (".longitude", "ANY"), (".rest", "TEXT")]
    case .reference: return [("", "TEXT"), (".action", "INTEGER")]
    case .asset: return [("", "TEXT"), (".size", "INTEGER")]
    }
  }

  /// Binds a value to the places of the field's columns; nil binds NULL to each.
  func bind(_ value: FieldValue?, to statement: Statement, at place: Int) {
    switch value {
    case nil:
      for offset in parts.indices { statement.bindNull(place + offset) }
    case .string(let text): statement.bind(text, place)
    case .int64(let number): statement.bind(number, place)
    case .double(let number): statement.bind(number, place)
    case .timestamp(let time): statement.bind(time.milliseconds, place)
    case .bytes(let bytes): statement.bind(bytes, place)
    case .location(let location):
      statement.bind(location.latitude, place)
      statement.bind(location.longitude, place + 1)
      if let rest = location.restText {
        statement.bind(utf8: rest, place + 2)
      } else {
        statement.bindNull(place + 2)
      }
    case .reference(let reference):
      statement.bind(reference.name.text, place)
      if reference.action == .none {
        statement.bindNull(place + 1)
      } else {
        statement.bind(Int64(reference.action.rawValue), place + 1)
      }
    case .asset(let asset):
      statement.bind(asset.sha256, place)
      statement.bind(asset.size, place + 1)
    case .list(let members): statement.bind(utf8: ListText.encode(members), place)
    }
  }

  /// Reads a value from the columns that begin at `column`; nil for NULL.
  func value(in statement: Statement, at column: Int) -> FieldValue? {
    if statement.isNull(column) { return nil }
    if schema.type.isList {
      return .list(ListText.decode(statement.utf8(column), base: schema.type.base))
    }
    switch schema.type.base {
    case .string: return .string(statement.text(column))
    case .int64: return .int64(statement.int64(column))
    case .double: return .double(statement.double(column))
    case .timestamp: return .timestamp(Timestamp(milliseconds: statement.int64(column)))
    case .bytes: return .bytes(statement.bytes(column))
    case .number:
      return statement.isInteger(column)
        ? .int64(statement.int64(column)) : .double(statement.double(column))
    case .location:
      var location = Location(
        latitude: statement.double(column), longitude: statement.double(column + 1))
      if !statement.isNull(column + 2) { location?.setRest(statement.utf8(column + 2)) }
      return location.map { .location($0) }
    case .reference:
      let action = Reference.Action(rawValue: Int(statement.int64(column + 1))) ?? .none
      return .reference(
        Reference(RecordName(stored: statement.text(column)), action: action))
    case .asset:
      return Asset(sha256: statement.text(column), size: statement.int64(column + 1))
        .map { .asset($0) }
    }
  }

  /// How a value can be looked at without being made.
  enum Sight {
    /// Not at all.
    case none
    case text
    case int64
    case double
    /// A list whose text in the column is what plain JSON has.
    case plainList
    case references
    case other
  }

  /// How the column's values can be looked at.
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
