internal import Basics
internal import CloudModel
internal import FieldCodecs

/// Reads an object of JSON or of a property list as a record. Import, `--from`, fixtures, schema
/// checks and `predicate match` all read records here.
struct RecordTextReader {
  /// How an object without a `fields` key is read.
  let plainForm: PlainForm

  /// The keys of an object without `fields`.
  enum PlainForm {
    /// All are fields, unless the object marks a record as deleted (M5.1).
    case fields
    /// The name, type, zone and parent are keys, the others are fields (M7).
    case namesAndFields
    /// All are keys of the record, which has no fields.
    case keys
  }

  /// A member of a record that is not `fields`.
  private struct Member {
    let name: String
    /// The offset of the name, in bytes.
    let nameOffset: Int
    let value: JSONValue
    let position: TextPosition
  }

  /// Reads the next value as a record, and passes its fields to a sink. The result contains the
  /// faults of the record. Throws `NotationError` if the text violates its notation.
  func read<Walker: NotationWalker, Fields: FieldSink>(
    _ walker: inout Walker, _ places: inout TextPlaces, _ fields: inout Fields
  ) throws -> RecordKeys {
    var keys = RecordKeys(at: places.position(walker.offset))
    guard walker.nextKind == .object else {
      keys.giveUp("a record must be an object, not \(try walker.take().kind)", at: keys.position)
      return keys
    }
    var members: [Member] = []
    members.reserveCapacity(8)
    try walker.object { walker, name, offset in
      if name == "fields" {
        keys.hasFields = true
        return try readFields(&walker, &places, &fields, &keys)
      }
      let position = places.position(walker.offset)
      members.append(
        Member(name: name, nameOffset: offset, value: try walker.take(), position: position))
    }
    let hasKeysAlone = keys.hasFields || plainForm == .fields && Self.isDeletion(members)
    if !keys.hasFields, let error = members.first(where: { $0.name == "serverErrorCode" }),
      let subject = members.first(where: { ["recordName", "zoneID"].contains($0.name) })
    {
      if subject.name == "recordName" { keys.name = text(subject, &keys) }
      keys.giveUp(
        "the service answered \(error.value.string ?? "an error") for this "
          + (subject.name == "zoneID" ? "zone" : "record"), at: error.position)
      return keys
    }
    for member in members {
      if hasKeysAlone || plainForm.isKey(member.name) {
        readKey(member, &places, into: &keys)
      } else {
        fields.take(FieldName(stored: member.name), member.value, at: member.position)
      }
    }
    keys.splitOwner()
    return keys
  }

  /// Reads the record of a text that is one JSON value. Throws `RecordReadingError` for other text.
  func read<Fields: FieldSink>(
    _ bytes: UnsafeRawBufferPointer, _ places: inout TextPlaces, _ fields: inout Fields
  ) throws(RecordReadingError) -> RecordKeys {
    do {
      var walker = try JSONParser(walking: bytes)
      let keys = try read(&walker, &places, &fields)
      try walker.end()
      return keys
    } catch {
      throw RecordReadingError(error, &places)
    }
  }

  /// Reads the next value as a record, and keeps its values as written. Throws `NotationError`.
  func text<Walker: NotationWalker>(
    _ walker: inout Walker, _ places: inout TextPlaces
  ) throws -> RecordText {
    var fields = TextFields()
    let keys = try read(&walker, &places, &fields)
    return RecordText(keys: keys, fields: fields.fields)
  }

  private func readFields<Walker: NotationWalker, Fields: FieldSink>(
    _ walker: inout Walker, _ places: inout TextPlaces, _ fields: inout Fields,
    _ keys: inout RecordKeys
  ) throws {
    guard walker.nextKind == .object else {
      let position = places.position(walker.offset)
      return keys.giveUp("'fields' must be an object, not \(try walker.take().kind)", at: position)
    }
    try walker.object { walker, name, _ in
      let position = places.position(walker.offset)
      fields.take(FieldName(stored: name), try walker.take(), at: position)
    }
  }

  /// Whether an object without fields marks a record as deleted, as Web Services do. An object with
  /// other keys contains the fields themselves, one of which may be named `deleted`.
  private static func isDeletion(_ members: [Member]) -> Bool {
    let known = [
      "recordName", "recordType", "zone", "zoneID", "changeTag", "recordChangeTag", "operationType",
    ]
    return members.contains { $0.name == "deleted" && $0.value == .bool(true) }
      && members.contains { $0.name == "recordName" }
      && members.allSatisfy {
        $0.name == "deleted" || known.contains($0.name) || serviceKeys.contains($0.name)
      }
  }

  /// Keys of a record that are set by a store and are not taken from another one (W4.1), and what
  /// our output adds.
  private static let serviceKeys: Set = [
    "share", "created", "modified", "pluginFields", "expirationTime", "shortGUID",
    "createShortGUID", "stableUrl", "chainProtectionInfo", "expanded",
  ]

  // MARK: Keys

  private func readKey(
    _ member: Member, _ places: inout TextPlaces, into keys: inout RecordKeys
  ) {
    switch member.name {
    case "recordName": keys.name = text(member, &keys)
    case "recordType": keys.type = text(member, &keys)
    case "zone": keys.zone = text(member, &keys)
    case "zoneID":
      keys.zone = member.value["zoneName"]?.string.map { Placed($0, at: member.position) }
      keys.zoneOwner = member.value["ownerRecordName"]?.string
    case "ownerName": keys.zoneOwner = text(member, &keys)?.value
    case "parent": readParent(member, into: &keys)
    case "changeTag", "recordChangeTag": keys.changeTag = member.value.string
    case "deleted": keys.isDeletion = member.value == .bool(true)
    case "operationType": readOperation(member, into: &keys)
    case _ where Self.serviceKeys.contains(member.name): break
    default:
      keys.note(
        "unknown key '\(member.name.visible)' in a record", at: places.position(member.nameOffset),
        remedy: .nearest(to: member.name, among: PlainForm.keyNames + ["fields"]))
    }
  }

  /// Reads the operation of a request, which comes after the other keys. Only those that a record
  /// of a file can express are taken.
  private func readOperation(_ member: Member, into keys: inout RecordKeys) {
    switch member.value.string {
    case "create", "update", "delete": break
    case "forceDelete": keys.changeTag = nil
    case let other:
      keys.note(
        "the operation '\((other ?? member.value.text).visible)' is not one of create, update, "
          + "delete, forceDelete", at: keys.position)
    }
  }

  /// Reads a parent: a record's name or, as in Web Services, an object.
  private func readParent(_ member: Member, into keys: inout RecordKeys) {
    guard case .object = member.value, let name = member.value["recordName"], name != .null else {
      keys.parent = text(member, &keys)
      keys.removesParent = member.value == .null
      return
    }
    keys.parent = text(
      Member(
        name: member.name, nameOffset: member.nameOffset, value: name, position: member.position),
      &keys)
    do throws(ValueReadingError) {
      if let zone = member.value["zone"] ?? member.value["zoneID"] {
        keys.parentZone = try ZoneID(plain: zone)
      }
    } catch {
      keys.note("parent: \(error.message)", at: member.position)
    }
    // CKRecord raises an exception for any other action (R5.8).
    if member.value["action"]?.string ?? "NONE" != "NONE" {
      keys.note("the action of a parent must be NONE", at: member.position)
    }
  }

  private func text(_ member: Member, _ keys: inout RecordKeys) -> Placed<String>? {
    switch member.value {
    case .string(let text): return Placed(text, at: member.position)
    case .null: return nil
    case .bool, .int, .double, .outOfRange, .array, .object:
      keys.giveUp(
        "'\(member.name)' must be a string, not \(member.value.kind)", at: member.position)
      return nil
    }
  }
}

extension RecordTextReader.PlainForm {
  /// The keys of a record in every notation.
  static let keyNames = ["recordName", "recordType", "zone", "parent"]

  /// Whether a member of an object without `fields` is a key of the record.
  fileprivate func isKey(_ name: String) -> Bool {
    switch self {
    case .fields: false
    case .namesAndFields: Self.keyNames.contains(name)
    case .keys: true
    }
  }
}
