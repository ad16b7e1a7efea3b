internal import Basics
package import CloudModel

/// Why a record could not be read, and where.
package struct RecordReadingError: Error, Sendable {
  /// The reason, as a sentence without its end.
  package let message: String
  /// Where.
  package let position: TextPosition

  /// Puts a reason together.
  package init(_ message: String, at position: TextPosition) {
    self.message = message
    self.position = position
  }
}

/// Reads JSON objects as records: an object with a `fields` key is a record as `export` writes
/// it, any other object is the fields themselves (`cli.md` §5).
package struct RecordReader {
  /// Makes a reader.
  package init() {}

  /// Reads one record from the bytes of one JSON value that begins at `start`. Throws
  /// `RecordReadingError`.
  package func read(
    _ bytes: UnsafeRawBufferPointer, at start: TextPosition
  ) throws(RecordReadingError) -> RecordDraft {
    var places = TextPlaces(bytes, start)
    let json: JSONValue
    do { json = try JSONParser.parse(bytes) } catch {
      throw RecordReadingError(error.message, at: places.position(error.offset))
    }
    guard case .object(let members) = json else {
      throw RecordReadingError("a record is an object, not \(json.kind)", at: start)
    }
    var draft = RecordDraft()
    draft.position = start
    guard let fields = members.first(where: { $0.name == "fields" }) else {
      try readFields(members, &places, into: &draft)
      return draft
    }
    guard case .object(let fieldMembers) = fields.value else {
      throw RecordReadingError("'fields' is an object", at: places.position(fields.offset))
    }
    try readFields(fieldMembers, &places, into: &draft)
    for member in members { try readSystem(member, &places, into: &draft) }
    return draft
  }

  private func readFields(
    _ members: [JSONMember], _ places: inout TextPlaces, into draft: inout RecordDraft
  ) throws(RecordReadingError) {
    draft.fields.reserveCapacity(members.count)
    for index in members.indices {
      let position = places.position(members[index].offset)
      do throws(ValueReadingError) {
        let reading = try PlainJSONReader.read(members[index].value)
        draft.fields.append(
          RecordDraft.Field(
            FieldName(stored: members[index].name), reading.value, type: reading.type,
            at: position))
      } catch {
        throw RecordReadingError("\(members[index].name): \(error.message)", at: position)
      }
    }
  }

  private func readSystem(
    _ member: JSONMember, _ places: inout TextPlaces, into draft: inout RecordDraft
  ) throws(RecordReadingError) {
    switch member.name {
    case "recordName": draft.name = try text(member, &places)
    case "recordType": draft.type = try text(member, &places)
    case "zone": draft.zone = try text(member, &places)
    case "parent": draft.parent = try text(member, &places)
    case "zoneID": draft.zone = member.value["zoneName"]?.string
    // What a store gives itself is not taken over from another one.
    case "fields", "share", "changeTag", "created", "modified", "recordChangeTag", "deleted",
      "pluginFields":
      break
    default:
      throw RecordReadingError(
        "unknown key '\(member.name)' of a record", at: places.position(member.offset))
    }
  }

  private func text(
    _ member: JSONMember, _ places: inout TextPlaces
  ) throws(RecordReadingError) -> String? {
    switch member.value {
    case .string(let text): return text
    case .null: return nil
    // Web Services' parent is an object.
    case .object:
      if let name = member.value["recordName"]?.string { return name }
      fallthrough
    default:
      throw RecordReadingError(
        "'\(member.name)' is a string", at: places.position(member.offset))
    }
  }
}

/// Turns byte offsets of a text into lines and columns; quickest for offsets that grow.
package struct TextPlaces {
  private let bytes: UnsafeRawBufferPointer
  private let start: TextPosition
  private let isPlain: Bool
  private var last: (offset: Int, position: TextPosition)

  /// Counts from the position of the first byte.
  package init(_ bytes: UnsafeRawBufferPointer, _ start: TextPosition) {
    self.bytes = bytes
    self.start = start
    isPlain = bytes.isOneLineOfASCII
    last = (0, start)
  }

  /// The position of a byte.
  package mutating func position(_ offset: Int) -> TextPosition {
    if isPlain { return TextPosition(line: start.line, column: start.column + offset) }
    if offset < last.offset { last = (0, start) }
    var position = last.position
    for byte in bytes[last.offset..<min(offset, bytes.count)] {
      if byte == 0x0A {
        position.line += 1
        position.column = 1
      } else if byte & 0xC0 != 0x80 {
        position.column += 1
      }
    }
    last = (offset, position)
    return position
  }
}
