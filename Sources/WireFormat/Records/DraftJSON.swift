internal import Basics
public import CloudModel
internal import FieldCodecs

extension [UInt8] {
  /// Appends the name, type, zone, parent, change tag and fields of a draft, or its deletion, as
  /// one line of JSON that `RecordReader` reads back. Names need not fit a schema, so each is
  /// escaped.
  public mutating func append(_ draft: RecordDraft) {
    let keys = [
      ("recordName", draft.name), ("recordType", draft.type), ("zone", draft.zone),
      ("parent", draft.isDeletion ? nil : draft.parent), ("changeTag", draft.changeTag),
    ]
    append(UInt8(ascii: "{"))
    for case (let key, let value?) in keys {
      append(text: "\"\(key)\":")
      append(jsonString: value)
      append(UInt8(ascii: ","))
    }
    if draft.isDeletion { return append(text: "\"deleted\":true}") }
    if draft.removesParent { append(text: "\"parent\":null,") }
    // A field named `fields` would be parsed as all the fields.
    let isRecord = last == UInt8(ascii: ",") || draft.fields.contains { $0.name.text == "fields" }
    if isRecord { append(text: "\"fields\":{") }
    for (index, field) in draft.fields.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      append(jsonString: field.name.text)
      append(UInt8(ascii: ":"))
      append(typed: field.value, as: field.type)
    }
    append(text: isRecord ? "}}" : "}")
  }

  /// Appends the text of one JSON value on one line. Line ends and indentation can only be between
  /// tokens: RFC 8259, §7, requires escaping them in strings.
  public mutating func append(oneLine json: UnsafeRawBufferPointer) {
    var isIndentation = false
    for byte in json {
      let isLineEnd = byte == 0x0A || byte == 0x0D
      isIndentation = isLineEnd || isIndentation && (byte == 0x20 || byte == 0x09)
      if !isIndentation { append(byte) }
    }
  }

  /// Appends a value, with its type if plain JSON does not imply it (M5.8).
  mutating func append(typed value: FieldValue?, as type: FieldType?) {
    guard let value else { return append(text: "null") }
    guard let type = value.typeToWrite(type) else { return append(plain: value) }
    append(text: "{\"value\":")
    append(plain: value)
    append(text: ",\"type\":\"")
    append(text: type.schemaName)
    append(text: "\"}")
  }
}
