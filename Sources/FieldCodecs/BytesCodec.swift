internal import Basics

/// BYTES: bytes, written as Base64 in texts.
enum BytesCodec: FieldCodec {
  static let columns = [CodecColumn("", "BLOB")]

  static func write(_ value: [UInt8], to cells: inout some CellWriter) {
    value.withUnsafeBytes { cells.blob($0) }
  }

  static func read(_ row: some CellReader, at place: Int) -> [UInt8]? {
    Array(row.value(place).blob)
  }

  static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.blob(row.value(place).blob)
  }

  static func append(member value: [UInt8], to text: inout [UInt8]) {
    text.append(jsonString: Base64.encode(value))
  }

  static func value(member json: JSONValue) -> [UInt8]? {
    json.string.flatMap { Base64.decode($0) }
  }

  static func text(_ value: [UInt8]) -> String? { Base64.encode(value) }

  static func value(text: String) -> [UInt8]? { Base64.decode(text) }

  static func append(plain value: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(jsonString: Base64.encode(value))
  }

  static func wire(_ value: [UInt8]) -> JSONValue { .string(Base64.encode(value)) }

  static func value(wire json: JSONValue) -> [UInt8]? { value(member: json) }

  static func value(tool json: JSONValue) -> [UInt8]? { value(member: json) }

  static func size(_ value: [UInt8]) -> Int { value.count }
}
