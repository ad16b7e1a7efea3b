internal import Basics

/// DOUBLE: a real number.
enum DoubleCodec: FieldCodec {
  static let columns = [CodecColumn("", "ANY")]

  static func write(_ value: Double, to cells: inout some CellWriter) { cells.real(value) }

  static func read(_ row: some CellReader, at place: Int) -> Double? {
    row.value(place).double
  }

  static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.real(row.value(place).double)
  }

  static func append(member value: Double, to text: inout [UInt8]) {
    text.append(jsonDouble: value)
  }

  static func value(member json: JSONValue) -> Double? {
    if case .double(let number) = json { number } else { nil }
  }

  static func text(_ value: Double) -> String? { value.description }

  static func value(text: String) -> Double? {
    Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  /// JSON cannot represent non-finite numbers, which are refused on input.
  static func append(plain value: Double, to bytes: inout [UInt8]) {
    if value.isFinite { bytes.append(jsonDouble: value) } else { bytes.append(text: "null") }
  }

  static func wire(_ value: Double) -> JSONValue { .double(value) }

  /// Clients that ask for numbers as strings also send them.
  static func value(wire json: JSONValue) -> Double? {
    json.number ?? json.string.flatMap { value(text: $0) }
  }

  static func value(tool json: JSONValue) -> Double? { json.number }

  static func size(_ value: Double) -> Int { 8 }
}
