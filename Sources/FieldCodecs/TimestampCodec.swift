// What the members do is in FieldCodec, once for all codecs.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Basics
public import CloudModel

/// TIMESTAMP: a moment, in milliseconds since 1970.
public enum TimestampCodec: FieldCodec {
  public static let columns = [(suffix: "", type: "INTEGER")]

  public static func write(_ value: Timestamp, to cells: inout some CellWriter) {
    cells.integer(value.milliseconds)
  }

  public static func read(_ row: some CellReader, at place: Int) -> Timestamp? {
    Timestamp(milliseconds: row.value(place).int64)
  }

  public static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.integer(row.value(place).int64)
  }

  public static func append(member value: Timestamp, to text: inout [UInt8]) {
    text.append(jsonInt: value.milliseconds)
  }

  public static func value(member json: JSONValue) -> Timestamp? {
    if case .int(let number) = json { Timestamp(milliseconds: number) } else { nil }
  }

  public static func text(_ value: Timestamp) -> String? { value.text }

  public static func value(text: String) -> Timestamp? { Timestamp(text) }

  public static func append(plain value: Timestamp, to bytes: inout [UInt8]) {
    bytes.append(jsonString: value.text)
  }

  public static func wire(_ value: Timestamp) -> JSONValue { .int(value.milliseconds) }

  public static func tool(_ value: Timestamp) -> JSONValue { .string(value.text) }

  public static func value(tool json: JSONValue) -> Timestamp? {
    if case .int(let number) = json { return Timestamp(given: number) }
    return json.string.flatMap { Timestamp(toolText: $0) }
  }

  public static func size(_ value: Timestamp) -> Int { 8 }
}
