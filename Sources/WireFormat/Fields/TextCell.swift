internal import Basics
internal import CloudModel
internal import FieldCodecs

/// Reads a value from the cell of a table.
enum TextCell {
  /// Reads the value of a cell, by its field's type; STRING if that is unknown (M5.3).
  static func value(
    of text: String, as type: FieldType?
  ) throws(ValueReadingError) -> FieldValue {
    guard let type else { return .string(text) }
    // Lists, locations and references are JSON, as export writes them. A record's name may look
    // like JSON, too, but hardly like a reference.
    let readsJSONFirst = type.isList || [.reference, .location, .asset].contains(type.base)
    let json = { try? JSONParser.parse(text) }
    if readsJSONFirst, let value = json().flatMap({ try? PlainJSONReader.value($0, as: type) }) {
      return value
    }
    if !type.isList, type.base != .asset, let value = FieldValue(text: text, as: type.base) {
      return value
    }
    // true and false are numbers (M5).
    if let value = json().flatMap({ try? PlainJSONReader.value($0, as: type) }) { return value }
    throw ValueReadingError(
      "expected \(type.schemaName), found '\(text.truncated(toColumns: 40))'")
  }
}
