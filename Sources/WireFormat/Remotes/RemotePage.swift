public import Basics
public import CloudModel
internal import FieldCodecs

/// The records of an answer of Web Services, and the members around them.
///
/// It is read without a tree: a pull reads hundreds of megabytes.
public struct RemotePage: Sendable {
  /// The records and deletions.
  public var records: [RemoteRecord] = []
  /// The items that failed, and records that cannot be read.
  public var failures: [Failure] = []
  /// The other members of the object with the records: of the answer, or of its only zone.
  public var members: [JSONMember] = []

  /// An item without a record.
  public enum Failure: Sendable {
    /// The server's dictionary of an item that failed.
    case item([JSONMember])
    /// A record that cannot be read.
    case record(CloudError)
  }

  /// Reads an answer with `records`, or with `zones` of which the first has them. Throws
  /// `JSONError`.
  public init(_ body: [UInt8]) throws {
    var page = RemotePage()
    try body.withUnsafeBytes { bytes in
      var walker = try JSONParser(walking: bytes)
      var isFirst = true
      try walker.object { walker, name, _ in
        switch name {
        case "records" where walker.nextKind == .array: try page.readRecords(&walker)
        case "zones" where walker.nextKind == .array:
          try walker.array { walker in
            guard isFirst, walker.nextKind == .object else { return try walker.skip() }
            isFirst = false
            try page.readZone(&walker)
          }
        default: page.members.append(JSONMember(name, try walker.take()))
        }
      }
      try walker.end()
    }
    self = page
  }

  private init() {}

  private mutating func readZone(_ walker: inout JSONParser) throws {
    try walker.object { walker, name, _ in
      if name == "records", walker.nextKind == .array { return try readRecords(&walker) }
      members.append(JSONMember(name, try walker.take()))
    }
  }

  private mutating func readRecords(_ walker: inout JSONParser) throws {
    records.reserveCapacity(Limits.wireOperations)
    try walker.array { walker in
      guard walker.nextKind == .object else { return try walker.skip() }
      var item = RemoteItem()
      try item.read(&walker)
      if !item.failure.isEmpty { return failures.append(.item(item.failure)) }
      do throws(CloudError) { records.append(try item.record()) } catch {
        failures.append(.record(error))
      }
    }
  }
}

/// An item of an answer: a record, a deletion, or an error.
private struct RemoteItem {
  private var draft = RecordDraft()
  private var created: Record.Stamp?
  private var modified: Record.Stamp?
  private var assets: [RemoteRecord.AssetField] = []
  private var fault: CloudError?
  /// The members of an error.
  private(set) var failure: [JSONMember] = []

  /// The record. Throws the first fault of its values.
  func record() throws(CloudError) -> RemoteRecord {
    guard let name = draft.name else { throw .badRequest("recordName is missing") }
    if var fault {
      fault.recordName = name
      throw fault
    }
    var record = RemoteRecord(draft)
    (record.created, record.modified, record.assets) = (created, modified, assets)
    return record
  }

  mutating func read(_ walker: inout JSONParser) throws {
    var others: [JSONMember] = []
    try walker.object { walker, name, _ in
      switch name {
      case "recordName": draft.name = try walker.take().string
      case "recordType": draft.type = try walker.take().string
      case "recordChangeTag": draft.changeTag = try walker.take().string
      case "deleted": draft.isDeletion = try walker.take() == .bool(true)
      case "fields" where walker.nextKind == .object:
        draft.fields.reserveCapacity(16)
        try walker.object { walker, name, offset in
          try readField(FieldName(stored: name), &walker, at: offset)
        }
      case "parent" where walker.nextKind == .object:
        try walker.object { walker, name, _ in
          if name == "recordName" {
            draft.parent = try walker.take().string
          } else {
            try walker.skip()
          }
        }
      case "created" where walker.nextKind == .object: created = try Self.stamp(&walker)
      case "modified" where walker.nextKind == .object: modified = try Self.stamp(&walker)
      case "serverErrorCode", "reason", "retryAfter":
        others.append(JSONMember(name, try walker.take()))
      default: try walker.skip()
      }
    }
    guard others.contains(where: { $0.name == "serverErrorCode" }) else { return }
    failure = others
    if let name = draft.name { failure.append(JSONMember("recordName", .string(name))) }
  }

  /// A stamp without a user is not kept.
  private static func stamp(_ walker: inout JSONParser) throws -> Record.Stamp? {
    var time: Int64?
    var user: String?
    try walker.object { walker, name, _ in
      switch name {
      case "timestamp": if case .int(let number) = try walker.take() { time = number }
      case "userRecordName": user = try walker.take().string
      default: try walker.skip()
      }
    }
    guard let time, let user else { return nil }
    return Record.Stamp(at: Timestamp(milliseconds: time), by: UserRecordName(stored: user))
  }

  private mutating func readField(
    _ name: FieldName, _ walker: inout JSONParser, at offset: Int
  ) throws {
    guard walker.nextKind == .object else {
      let kind = try walker.take().kind
      return note("a field must be an object with a value, not \(kind)", name)
    }
    var (value, type, isEncrypted): (JSONValue?, String?, Bool) = (nil, nil, false)
    try walker.object { walker, name, _ in
      switch name {
      case "value": value = try walker.take()
      case "type": type = try walker.take().string
      case "isEncrypted": isEncrypted = try walker.take() == .bool(true)
      default: try walker.skip()
      }
    }
    guard let value else { return note("a field must be an object with a value", name) }
    if let type, let assets = RemoteRecord.AssetField(name, type, value) {
      self.assets.append(assets)
      return
    }
    do throws(ValueReadingError) {
      let field = try WireField(value, type, isEncrypted: isEncrypted)
      draft.fields.append(
        RecordDraft.Field(
          name, field.value?.withoutZones, type: field.type,
          at: TextPosition(line: 1, column: offset + 1)))
    } catch { note(error.message, name) }
  }

  private mutating func note(_ message: String, _ name: FieldName) {
    fault = fault ?? .badRequest("\(name.text): \(message)")
  }
}

extension RemoteRecord.AssetField {
  /// The files of a value; nil for a field of another type, or without a value.
  fileprivate init?(_ name: FieldName, _ type: String, _ value: JSONValue) {
    switch type {
    case "ASSETID", "ASSET":
      guard let file = RemoteFile(value) else { return nil }
      self.init(name, isList: false, [file])
    case "ASSETID_LIST", "ASSET_LIST":
      guard let items = value.array else { return nil }
      self.init(name, isList: true, items.compactMap { RemoteFile($0) })
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
    case .list(let items):
      guard case .reference? = items.first else { return self }
      return .list(items.map(\.withoutZones))
    case .string, .int64, .double, .timestamp, .bytes, .location, .asset: return self
    }
  }
}
