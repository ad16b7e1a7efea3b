internal import Basics

/// Everything specific to the values of one field type, in one file each: their form in columns,
/// lists, checksums, texts and three kinds of JSON, and their size.
///
/// `FieldValue+Codec` and `FieldType+Codec` find the codec of a value and of a type: a new type
/// needs a new codec and rows there, which the compiler enforces.
protocol FieldCodec {
  /// The type of values.
  associatedtype Value

  /// The columns of a field. Real numbers have columns of type ANY: SQLite writes whole numbers in
  /// a REAL column as integers ("Datatypes In SQLite", §2), which turns -0.0 into 0.0.
  static var columns: [CodecColumn] { get }

  /// Writes a value into the cells of its columns.
  static func write(_ value: Value, to cells: inout some CellWriter)

  /// Reads a value from the cells at a place; the first one must not be NULL.
  static func read(_ row: some CellReader, at place: Int) -> Value?

  /// Writes the cells of a row as `write` would, without creating the value.
  static func copy(_ row: some CellReader, at place: Int, to cells: inout some CellWriter)

  /// Appends a value as a member of a list in its column.
  static func append(member value: Value, to text: inout [UInt8])

  /// Reads a member of a list in its column.
  static func value(member json: JSONValue) -> Value?

  /// The text of a cell of CSV and TSV; nil for plain JSON.
  static func text(_ value: Value) -> String?

  /// Parses a text from the command line or a cell; nil if it is not a value of this type.
  static func value(text: String) -> Value?

  /// Appends a value in plain JSON (M4).
  static func append(plain value: Value, to bytes: inout [UInt8])

  /// The value in Web Services' record dictionary (W4).
  static func wire(_ value: Value) -> JSONValue

  /// Reads a value in Web Services' form; nil if it does not have this type.
  static func value(wire json: JSONValue) -> Value?

  /// The value in Apple's cktool (L5, L6).
  static func tool(_ value: Value) -> JSONValue

  /// Reads a value in cktool's form; nil if it does not have this type.
  static func value(tool json: JSONValue) -> Value?

  /// Bytes that count towards a record's size (R3.4.8).
  static func size(_ value: Value) -> Int
}

extension FieldCodec {
  /// Most values have the same form in both.
  static func tool(_ value: Value) -> JSONValue { wire(value) }
}

/// Receives the cells of a value's columns, in their order.
public protocol CellWriter {
  /// No value.
  mutating func null()
  /// An integer.
  mutating func integer(_ number: Int64)
  /// An integer; writes 0 as NULL.
  mutating func integerOrNull(_ number: Int64)
  /// A real number.
  mutating func real(_ number: Double)
  /// A string.
  mutating func text(_ text: String)
  /// A string in UTF-8.
  mutating func text(_ utf8: UnsafeRawBufferPointer)
  /// Bytes.
  mutating func blob(_ bytes: UnsafeRawBufferPointer)
}

/// A row of cells.
public protocol CellReader {
  /// The type of cells.
  associatedtype Cell: CellValue
  /// The cell at a place.
  func value(_ place: Int) -> Cell
}

/// A cell of a row; its texts and bytes are valid until the next row.
public protocol CellValue {
  /// Whether it is NULL.
  var isNull: Bool { get }
  /// Whether it is an integer.
  var isInteger: Bool { get }
  /// The integer.
  var int64: Int64 { get }
  /// The real number.
  var double: Double { get }
  /// The text in UTF-8.
  var utf8: UnsafeRawBufferPointer { get }
  /// The bytes.
  var blob: UnsafeRawBufferPointer { get }
}

extension CellValue {
  /// The text.
  var text: String { String(decoding: utf8, as: UTF8.self) }
}

/// A column of a field.
public struct CodecColumn: Sendable {
  /// The suffix of the column's name, after the field's name.
  public let suffix: String
  /// The column's type in a STRICT table.
  public let type: String

  init(_ suffix: String, _ type: String) { (self.suffix, self.type) = (suffix, type) }
}
