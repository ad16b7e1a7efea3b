internal import Basics

/// STRING: a string.
enum StringCodec: FieldCodec {
  static let columns = [CodecColumn("", "TEXT")]

  static func write(_ value: String, to cells: inout some CellWriter) { cells.text(value) }

  static func read(_ row: some CellReader, at place: Int) -> String? {
    row.value(place).text
  }

  static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.text(row.value(place).utf8)
  }

  static func append(member value: String, to text: inout [UInt8]) {
    text.append(jsonString: value)
  }

  static func value(member json: JSONValue) -> String? { json.string }

  static func text(_ value: String) -> String? { value }

  static func value(text: String) -> String? { text }

  static func append(plain value: String, to bytes: inout [UInt8]) {
    bytes.append(jsonString: value)
  }

  static func wire(_ value: String) -> JSONValue { .string(value) }

  static func value(wire json: JSONValue) -> String? { json.string }

  static func value(tool json: JSONValue) -> String? { json.string }

  static func size(_ value: String) -> Int { value.utf8.count }
}
