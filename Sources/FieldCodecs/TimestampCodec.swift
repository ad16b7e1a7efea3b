internal import Basics
internal import CloudModel

/// TIMESTAMP: a time, in milliseconds since 1970. An encrypted one may be more exact in columns and
/// lists.
enum TimestampCodec: FieldCodec {
  static let columns = [CodecColumn("", "INTEGER")]

  static func write(_ value: Timestamp, to cells: inout some CellWriter) {
    cells.integer(value.storedNumber)
  }

  static func read(_ row: some CellReader, at place: Int) -> Timestamp? {
    Timestamp(storedNumber: row.value(place).int64)
  }

  static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.integer(row.value(place).int64)
  }

  static func append(member value: Timestamp, to text: inout [UInt8]) {
    text.append(jsonInt: value.storedNumber)
  }

  static func value(member json: JSONValue) -> Timestamp? {
    if case .int(let number) = json { Timestamp(storedNumber: number) } else { nil }
  }

  static func text(_ value: Timestamp) -> String? { value.text }

  static func value(text: String) -> Timestamp? { Timestamp(text) }

  static func append(plain value: Timestamp, to bytes: inout [UInt8]) {
    bytes.append(jsonString: value.text)
  }

  static func wire(_ value: Timestamp) -> JSONValue { .int(value.milliseconds) }

  /// Milliseconds; fractions are refused (web-services.md, §0 fact 10).
  static func value(wire json: JSONValue) -> Timestamp? {
    Int64Codec.value(wire: json).flatMap { Timestamp(given: $0) }
  }

  static func tool(_ value: Timestamp) -> JSONValue { .string(value.text) }

  static func value(tool json: JSONValue) -> Timestamp? {
    if case .int(let number) = json { return Timestamp(given: number) }
    return json.string.flatMap { Timestamp(toolText: $0) }
  }

  static func size(_ value: Timestamp) -> Int { 8 }
}
