// What the members do is in FieldCodec, once for all codecs.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Basics

/// STRING: a text.
public enum StringCodec: FieldCodec {
  public static let columns = [(suffix: "", type: "TEXT")]

  public static func write(_ value: String, to cells: inout some CellWriter) { cells.text(value) }

  public static func read(_ row: some CellReader, at place: Int) -> String? {
    row.value(place).text
  }

  public static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.text(row.value(place).utf8)
  }

  public static func append(member value: String, to text: inout [UInt8]) {
    text.append(jsonString: value)
  }

  public static func value(member json: JSONValue) -> String? { json.string }

  public static func text(_ value: String) -> String? { value }

  public static func value(text: String) -> String? { text }

  public static func append(plain value: String, to bytes: inout [UInt8]) {
    bytes.append(jsonString: value)
  }

  public static func wire(_ value: String) -> JSONValue { .string(value) }

  public static func value(tool json: JSONValue) -> String? { json.string }

  public static func size(_ value: String) -> Int { value.utf8.count }
}
