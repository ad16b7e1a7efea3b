internal import Basics
public import CloudModel
internal import FieldCodecs

extension RecordOperation {
  /// Reads an operation of records/modify: `{"operationType":…, "record":…}`. Throws
  /// `invalidArguments`, with the record's name where it is known, so that the item alone fails.
  public init(_ object: WireObject) throws(CloudError) {
    let record = try object.requiredObject("record")
    do throws(CloudError) {
      let written = try object.requiredText("operationType")
      guard let kind = Kind(rawValue: written) else {
        throw .badRequest("\(object.path("operationType")): unknown type '\(written.visible)'")
      }
      self.init(kind, try RecordDraft(wire: record, kind))
      desiredKeys = try object.fieldNames()
      if draft.isShare { share = try ShareDraft(record) }
    } catch {
      var error = error
      error.recordName = record["recordName"]?.string
      throw error
    }
  }
}

extension RecordDraft {
  /// Reads a record. Keys that the service sets are ignored, and so are unknown ones.
  fileprivate init(wire record: WireObject, _ kind: RecordOperation.Kind) throws(CloudError) {
    self.init()
    name = try record.text("recordName")
    type = try record.text("recordType")
    changeTag = try record.text("recordChangeTag")
    isDeletion = kind.isDeletion
    if let id = try record.zoneID() { (zone, zoneOwner) = (id.name.text, id.ownerName) }
    // The JS client drops the fields of deletions; others send them.
    if !isDeletion {
      try readParent(record)
      try readFields(record)
    }
  }

  private mutating func readParent(_ record: WireObject) throws(CloudError) {
    removesParent = record.members.contains { $0.name == "parent" && $0.value == .null }
    guard let parent = try record.object("parent") else { return }
    self.parent = try parent.requiredText("recordName")
    parentZone = try parent.zoneID()
    // CKRecord raises an exception for any other action (R5.8).
    if let action = try parent.text("action"), action != "NONE" {
      throw .badRequest("\(parent.path("action")) must be NONE")
    }
  }

  private mutating func readFields(_ record: WireObject) throws(CloudError) {
    guard let object = try record.object("fields") else { return }
    fields.reserveCapacity(object.members.count)
    for member in object.members {
      let field: WireField
      do throws(ValueReadingError) { field = try WireField(member.value) } catch {
        throw .badRequest("\(object.path(member.name)): \(error.message)")
      }
      fields.append(
        Field(
          FieldName(stored: member.name), field.value, type: field.type,
          at: TextPosition(line: 1, column: member.offset + 1)))
    }
  }
}

extension ZoneID {
  /// The owner's user record name; nil for an own zone.
  fileprivate var ownerName: String? {
    if case .user(let name) = owner { name.text } else { nil }
  }
}

extension RecordOperation.ShareDraft {
  /// Reads what the record of a share has besides its fields. The owner cannot be changed, and is
  /// ignored among the participants.
  fileprivate init(_ record: WireObject) throws(CloudError) {
    self.init()
    let root = try record.object("forRecord")
    self.root = try root?.requiredText("recordName")
    rootTag = try root?.text("recordChangeTag")
    if let name = try record.text("publicPermission") {
      publicPermission = try Self.permission(name, record.path("publicPermission"))
    }
    guard let objects = try record.objects("participants") else { return }
    var participants: [Participant] = []
    for object in objects where try object.text("type") != "OWNER" {
      participants.append(try Participant(object))
    }
    self.participants = participants
  }

  /// `NONE`, `READ_ONLY`, `READ_WRITE`.
  fileprivate static func permission(
    _ name: String, _ path: String
  ) throws(CloudError) -> SharePermission {
    guard let permission = SharePermission.allCases.first(where: { $0.wireName == name }) else {
      throw .badRequest("\(path) must be NONE, READ_ONLY or READ_WRITE, not '\(name.visible)'")
    }
    return permission
  }
}

extension RecordOperation.ShareDraft.Participant {
  fileprivate init(_ object: WireObject) throws(CloudError) {
    let identity = try object.requiredObject("userIdentity")
    var invitee = try identity.text("userRecordName")
    if let lookup = try identity.object("lookupInfo") {
      for key in ["userRecordName", "emailAddress", "phoneNumber"] where invitee == nil {
        invitee = try lookup.text(key)
      }
    }
    guard let invitee else {
      throw .badRequest("\(identity.path) must name an address or a userRecordName")
    }
    let permission = try object.text("permission") ?? SharePermission.readOnly.wireName
    self.init(
      invitee,
      try RecordOperation.ShareDraft.permission(permission, object.path("permission")),
      isAdministrator: try object.text("type") == "ADMINISTRATOR")
  }
}
