// What the members do is in FieldCodec, once for all codecs.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Basics

/// INT64: a whole number.
public enum Int64Codec: FieldCodec {
  public static let columns = [(suffix: "", type: "INTEGER")]

  public static func write(_ value: Int64, to cells: inout some CellWriter) {
    cells.integer(value)
  }

  public static func read(_ row: some CellReader, at place: Int) -> Int64? {
    row.value(place).int64
  }

  public static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.integer(row.value(place).int64)
  }

  public static func append(member value: Int64, to text: inout [UInt8]) {
    text.append(jsonInt: value)
  }

  public static func value(member json: JSONValue) -> Int64? {
    if case .int(let number) = json { number } else { nil }
  }

  public static func text(_ value: Int64) -> String? { String(value) }

  public static func value(text: String) -> Int64? { Int64(text) }

  public static func append(plain value: Int64, to bytes: inout [UInt8]) {
    bytes.append(jsonInt: value)
  }

  public static func wire(_ value: Int64) -> JSONValue { .int(value) }

  public static func value(tool json: JSONValue) -> Int64? { value(member: json) }

  public static func size(_ value: Int64) -> Int { 8 }
}
