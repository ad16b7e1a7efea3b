internal import Basics
public import CloudModel
internal import FieldCodecs

extension RemoteRecord {
  /// Reads a record, or a deletion, of an answer. Unknown keys are ignored. Throws
  /// `invalidArguments`, with the record's name where it is known.
  public init(answer object: WireObject) throws(CloudError) {
    let name = try object.requiredText("recordName")
    do throws(CloudError) {
      var draft = RecordDraft()
      draft.name = name
      draft.type = try object.text("recordType")
      draft.changeTag = try object.text("recordChangeTag")
      draft.isDeletion = try object.flag("deleted") ?? false
      let zone = try object.zoneID()
      draft.zone = zone?.name.text
      self.init(draft)
      if draft.isDeletion { return }
      self.draft.parent = try object.object("parent")?.text("recordName")
      created = try Self.stamp(object.object("created"))
      modified = try Self.stamp(object.object("modified"))
      try readFields(object)
    } catch {
      var error = error
      error.recordName = name
      throw error
    }
  }

  /// A stamp without a user is not kept.
  private static func stamp(_ object: WireObject?) throws(CloudError) -> Record.Stamp? {
    guard let object, case .int(let milliseconds)? = object["timestamp"],
      let user = try object.text("userRecordName")
    else { return nil }
    return Record.Stamp(
      at: Timestamp(milliseconds: milliseconds), by: UserRecordName(stored: user))
  }

  private mutating func readFields(_ record: WireObject) throws(CloudError) {
    guard let object = try record.object("fields") else { return }
    draft.fields.reserveCapacity(object.members.count)
    for member in object.members {
      let name = FieldName(stored: member.name)
      if let assets = Self.assets(name, member.value) {
        self.assets.append(assets)
        continue
      }
      let field: WireField
      do throws(ValueReadingError) { field = try WireField(member.value) } catch {
        throw .badRequest("\(object.path(member.name)): \(error.message)")
      }
      draft.fields.append(
        RecordDraft.Field(
          name, field.value?.withoutZones, type: field.type,
          at: TextPosition(line: 1, column: member.offset + 1)))
    }
  }

  /// The files of an asset field; nil for a field of another type, or without a value.
  private static func assets(_ name: FieldName, _ field: JSONValue) -> AssetField? {
    switch field["type"]?.string {
    case "ASSETID", "ASSET":
      guard let value = field["value"], let file = RemoteFile(value) else { return nil }
      return AssetField(name, isList: false, [file])
    case "ASSETID_LIST", "ASSET_LIST":
      guard let items = field["value"]?.array else { return nil }
      return AssetField(name, isList: true, items.compactMap { RemoteFile($0) })
    default: return nil
    }
  }
}

extension RemoteFile {
  fileprivate init?(_ json: JSONValue) {
    guard let checksum = json["fileChecksum"]?.string else { return nil }
    let size: Int64 = if case .int(let size)? = json["size"] { max(0, size) } else { 0 }
    self.init(checksum: checksum, size: size, url: json["downloadURL"]?.string)
  }
}

extension FieldValue {
  /// The value without the zones of references, which cannot lead into another zone (R5.11).
  fileprivate var withoutZones: FieldValue {
    switch self {
    case .reference(var reference):
      reference.zone = nil
      return .reference(reference)
    case .list(let items): return .list(items.map(\.withoutZones))
    case .string, .int64, .double, .timestamp, .bytes, .location, .asset: return self
    }
  }
}
