internal import Basics
public import CloudModel
internal import FieldCodecs

/// Why a record could not be read, and where.
public struct RecordReadingError: Error, Sendable {
  /// The reason, as a sentence without its end.
  public let message: String
  /// Where.
  public let position: TextPosition
  /// Whether the text is no JSON at all, rather than JSON that is no record.
  public let isSyntax: Bool
  /// What the record is called, as far as it could be read.
  public internal(set) var name: String?
  /// The zone that the record names, as far as it could be read.
  public internal(set) var zone: String?

  /// Puts a reason together.
  public init(_ message: String, at position: TextPosition, isSyntax: Bool = false) {
    self.message = message
    self.position = position
    self.isSyntax = isSyntax
  }
}

extension RecordReadingError {
  /// The error with what is known of the record.
  func naming(_ draft: RecordDraft) -> RecordReadingError {
    var error = self
    error.name = draft.name
    error.zone = draft.zone
    return error
  }
}

/// Reads JSON objects as records: an object with a `fields` key is a record as `export` writes
/// it, any other object is the fields themselves (M5.1).
public struct RecordReader {
  /// The names of the last plain record. One that has the same ones need not be searched for
  /// names that stand twice.
  private var knownNames: [FieldName] = []

  /// Makes a reader.
  public init() {}

  /// Reads one record from the bytes of one JSON value that begins at `start`. Throws
  /// `RecordReadingError`.
  public mutating func read(
    _ bytes: UnsafeRawBufferPointer, at start: TextPosition
  ) throws(RecordReadingError) -> RecordDraft {
    var places = TextPlaces(bytes, start)
    if let draft = plainDraft(bytes, &places, at: start) { return draft }
    let json: JSONValue
    do { json = try JSONParser.parse(bytes) } catch {
      throw RecordReadingError(
        error.message, at: places.position(error.offset), isSyntax: true)
    }
    return try draft(of: json, &places, at: start)
  }

  /// Makes a record of a value that begins at `start`. Throws `RecordReadingError`.
  func draft(
    of json: JSONValue, _ places: inout TextPlaces, at start: TextPosition
  ) throws(RecordReadingError) -> RecordDraft {
    guard case .object(let members) = json else {
      throw RecordReadingError("a record is an object, not \(json.kind)", at: start)
    }
    var draft = RecordDraft()
    draft.position = start
    guard let fields = members.first(where: { $0.name == "fields" }) else {
      if Self.isDeletion(members) {
        for member in members { try readSystem(member, &places, into: &draft) }
        return draft
      }
      try readFields(members, &places, into: &draft)
      return draft
    }
    // The name and the zone first: they are told with whatever is wrong behind them.
    for member in members {
      switch member.name {
      case "recordName": draft.name = member.value.string
      case "zone": draft.zone = member.value.string
      case "zoneID": draft.takeZone(member.value)
      default: continue
      }
    }
    do throws(RecordReadingError) {
      guard case .object(let fieldMembers) = fields.value else {
        throw RecordReadingError(
          "'fields' must be an object", at: places.position(fields.offset))
      }
      try readFields(fieldMembers, &places, into: &draft)
      for member in members { try readSystem(member, &places, into: &draft) }
      return draft
    } catch {
      throw error.naming(draft)
    }
  }

  /// Reads an object that is the fields themselves without building a tree of it, as most
  /// records of an import are; nil where there is a `fields` key or any fault.
  private mutating func plainDraft(
    _ bytes: UnsafeRawBufferPointer, _ places: inout TextPlaces, at start: TextPosition
  ) -> RecordDraft? {
    var draft = RecordDraft()
    draft.position = start
    draft.fields.reserveCapacity(max(knownNames.count, 16))
    var isKnown = true
    var names = NamesMet()
    let isPlain = JSONParser.eachMember(of: bytes) { member in
      let index = draft.fields.count
      if isKnown, index >= knownNames.count || knownNames[index].text != member.name {
        isKnown = false
        for field in draft.fields { _ = names.insert(field.name.text) }
      }
      let mayBeDeletion = member.name == "deleted" && member.value == .bool(true)
      guard member.name != "fields", !mayBeDeletion,
        let reading = try? PlainJSONReader.read(member.value),
        isKnown || names.insert(member.name)
      else { return false }
      draft.fields.append(
        RecordDraft.Field(
          isKnown ? knownNames[index] : FieldName(stored: member.name), reading.value,
          type: reading.type, at: places.position(member.offset)))
      return true
    }
    guard isPlain else { return nil }
    if !isKnown { knownNames = draft.fields.map(\.name) }
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
    case "parent":
      draft.parent = try text(member, &places)
      draft.removesParent = draft.parent == nil
      guard case .object = member.value else { break }
      let position = places.position(member.offset)
      do throws(ValueReadingError) {
        let zone = member.value["zone"] ?? member.value["zoneID"]
        draft.parentZone = try zone.flatMap { (zone) throws(ValueReadingError) in
          try ZoneID(plain: zone)
        }
      } catch { throw RecordReadingError("parent: \(error.message)", at: position) }
      // CKRecord raises an exception for another action (R5.8).
      guard member.value["action"]?.string ?? "NONE" == "NONE" else {
        throw RecordReadingError("the action of a parent is NONE", at: position)
      }
    case "zoneID": draft.takeZone(member.value)
    case "changeTag", "recordChangeTag": draft.changeTag = member.value.string
    // What a store gives itself is not taken over from another one.
    case "fields", "share", "created", "modified", "pluginFields":
      break
    case "deleted": draft.isDeletion = member.value == .bool(true)
    default:
      throw RecordReadingError(
        "unknown key '\(member.name)' of a record", at: places.position(member.offset))
    }
  }

  /// Whether an object without fields says that a record is deleted, as Web Services do; one with
  /// other keys is the fields themselves, of which one may have that name.
  private static func isDeletion(_ members: [JSONMember]) -> Bool {
    let known = ["recordName", "recordType", "zone", "zoneID", "changeTag", "recordChangeTag"]
    return members.contains { $0.name == "deleted" && $0.value == .bool(true) }
      && members.contains { $0.name == "recordName" }
      && members.allSatisfy { $0.name == "deleted" || known.contains($0.name) }
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
    case .bool, .int, .double, .outOfRange, .array:
      throw RecordReadingError(
        "'\(member.name)' must be a string", at: places.position(member.offset))
    }
  }
}

extension RecordDraft {
  /// Takes the zone of a `zoneID` object over.
  fileprivate mutating func takeZone(_ json: JSONValue) {
    zone = json["zoneName"]?.string
    zoneOwner = json["ownerRecordName"]?.string
  }
}

/// Turns byte offsets of a text into lines and columns; quickest for offsets that grow.
public struct TextPlaces {
  private let bytes: UnsafeRawBufferPointer
  private let start: TextPosition
  private let isOneLine: Bool
  private var last: (offset: Int, position: TextPosition)

  /// Counts from the position of the first byte.
  public init(_ bytes: UnsafeRawBufferPointer, _ start: TextPosition) {
    self.bytes = bytes
    self.start = start
    isOneLine = !bytes.has(0x0A)
    last = (0, start)
  }

  /// The position of a byte.
  public mutating func position(_ offset: Int) -> TextPosition {
    if offset < last.offset { last = (0, start) }
    let part = UnsafeRawBufferPointer(rebasing: bytes[last.offset..<min(offset, bytes.count)])
    var position = last.position
    if !isOneLine, let feed = part.lastIndex(of: 0x0A) {
      position.line += part.count { $0 == 0x0A }
      position.column = 1 + UnsafeRawBufferPointer(rebasing: part[(feed + 1)...]).scalarCount
    } else {
      position.column += part.scalarCount
    }
    last = (offset, position)
    return position
  }
}
