internal import Basics

/// All that is particular to the values of one field type, in a file for each: how they lie in
/// columns, in a list, in a checksum, in texts, in three kinds of JSON, and what they count.
///
/// `FieldValue+Codec` and `FieldType+Codec` find the codec of a value and of a type: a new type is
/// a new codec and its rows there, which the compiler asks for.
protocol FieldCodec {
  /// What the codec reads and writes.
  associatedtype Value

  /// The columns of a field. Real numbers are in columns of type ANY: SQLite writes whole numbers
  /// of a REAL column as integers ("Datatypes In SQLite", §2), which turns -0.0 into 0.0.
  static var columns: [CodecColumn] { get }

  /// Writes a value into the cells of its columns.
  static func write(_ value: Value, to cells: inout some CellWriter)

  /// Reads a value from the cells that begin at a place, the first of which is not NULL.
  static func read(_ row: some CellReader, at place: Int) -> Value?

  /// Writes the cells of a row as `write` does their value, which is not made.
  static func copy(_ row: some CellReader, at place: Int, to cells: inout some CellWriter)

  /// Appends a value as the member of a list in its column.
  static func append(member value: Value, to text: inout [UInt8])

  /// Reads the member of a list in its column.
  static func value(member json: JSONValue) -> Value?

  /// The text of a cell of CSV and TSV; nil for plain JSON.
  static func text(_ value: Value) -> String?

  /// Reads a text from the command line or a cell; nil if it is not a value of this type.
  static func value(text: String) -> Value?

  /// Appends a value in plain JSON (M4).
  static func append(plain value: Value, to bytes: inout [UInt8])

  /// The value in Web Services' record dictionary (W4).
  static func wire(_ value: Value) -> JSONValue

  /// The value in Apple's cktool (L5, L6).
  static func tool(_ value: Value) -> JSONValue

  /// Reads a value in cktool's form; nil if it is not one of this type.
  static func value(tool json: JSONValue) -> Value?

  /// Bytes that count towards a record's size (R3.4.8).
  static func size(_ value: Value) -> Int
}

extension FieldCodec {
  /// Most values look the same in both.
  static func tool(_ value: Value) -> JSONValue { wire(value) }
}

/// Takes the cells of a value's columns, in their order.
public protocol CellWriter {
  /// No value.
  mutating func null()
  /// A whole number.
  mutating func integer(_ number: Int64)
  /// A whole number, of which 0 is written as NULL.
  mutating func integerOrNull(_ number: Int64)
  /// A real number.
  mutating func real(_ number: Double)
  /// A text.
  mutating func text(_ text: String)
  /// A text in UTF-8.
  mutating func text(_ utf8: UnsafeRawBufferPointer)
  /// Bytes.
  mutating func blob(_ bytes: UnsafeRawBufferPointer)
}

/// A row of cells.
public protocol CellReader {
  /// What a cell holds.
  associatedtype Cell: CellValue
  /// The cell at a place.
  func value(_ place: Int) -> Cell
}

/// What a cell of a row holds; texts and bytes are good until the next row.
public protocol CellValue {
  /// Whether it is NULL.
  var isNull: Bool { get }
  /// Whether it is a whole number.
  var isInteger: Bool { get }
  /// A whole number.
  var int64: Int64 { get }
  /// A real number.
  var double: Double { get }
  /// A text in UTF-8.
  var utf8: UnsafeRawBufferPointer { get }
  /// Bytes.
  var blob: UnsafeRawBufferPointer { get }
}

extension CellValue {
  /// A text.
  var text: String { String(decoding: utf8, as: UTF8.self) }
}

/// One of the columns of a field.
public struct CodecColumn: Sendable {
  /// What the column's name ends with, after the field's own.
  public let suffix: String
  /// The column's type in a STRICT table.
  public let type: String

  init(_ suffix: String, _ type: String) { (self.suffix, self.type) = (suffix, type) }
}
