internal import Basics

/// INT64: an integer.
enum Int64Codec: FieldCodec {
  static let columns = [CodecColumn("", "INTEGER")]

  static func write(_ value: Int64, to cells: inout some CellWriter) {
    cells.integer(value)
  }

  static func read(_ row: some CellReader, at place: Int) -> Int64? {
    row.value(place).int64
  }

  static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.integer(row.value(place).int64)
  }

  static func append(member value: Int64, to text: inout [UInt8]) {
    text.append(jsonInt: value)
  }

  static func value(member json: JSONValue) -> Int64? {
    if case .int(let number) = json { number } else { nil }
  }

  static func text(_ value: Int64) -> String? { String(value) }

  static func value(text: String) -> Int64? { Int64(text) }

  static func append(plain value: Int64, to bytes: inout [UInt8]) {
    bytes.append(jsonInt: value)
  }

  static func wire(_ value: Int64) -> JSONValue { .int(value) }

  /// Clients that ask for numbers as strings also send them.
  static func value(wire json: JSONValue) -> Int64? {
    switch json {
    case .int(let number): number
    case .double(let number): Int64(exactly: number)
    case .string(let text): value(text: text)
    case .bool(let flag): flag ? 1 : 0
    case .null, .outOfRange, .array, .object: nil
    }
  }

  static func value(tool json: JSONValue) -> Int64? { value(member: json) }

  static func size(_ value: Int64) -> Int { 8 }
}
