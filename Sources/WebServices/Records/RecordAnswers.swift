#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  /// Writes the records of an answer.
  struct RecordAnswers {
    private let call: Call
    private let database: CloudDatabase
    private var form = WireRecordForm()
    /// Whether the record of a share gets the share's other facts.
    var looksUpShares = true
    private let zones: ZoneNames
    private var zone: (id: ZoneID, json: [UInt8])?
    /// Why the first item failed; nil if none did.
    private(set) var reason: String?
    private var types = SmallMap<String, [FieldName: FieldType]>()

    init(_ call: Call, _ database: CloudDatabase, _ object: WireObject? = nil) throws {
      (self.call, self.database) = (call, database)
      let own = try object?.flag("numbersAsStrings")
      form.writesNumbersAsStrings = try own ?? call.body.flag("numbersAsStrings") ?? false
      zones = ZoneNames(call, database)
    }

    /// Appends a record, with only some of its fields if `keys` names some.
    mutating func append(
      _ record: Record, keys: [FieldName]? = nil, to bytes: inout [UInt8]
    ) throws {
      if let keys {
        var part = record
        part.fields = RecordFields(
          sorted: record.fields.entries.filter { keys.contains($0.name) })
        return try append(part, to: &bytes)
      }
      var others: [JSONMember] = []
      if looksUpShares, record.type == .share, let share = try database.share(of: record) {
        others = share.wireMembers
      }
      form.asset = AssetLinks(call, record)?.members
      form.zone = json(record.zone)
      bytes.append(wire: record, types: try types(of: record.type), form, also: others)
    }

    /// Appends an item that failed.
    mutating func append(_ error: CloudError, to bytes: inout [UInt8]) {
      reason = reason ?? "\(error.recordName.map { "\($0): " } ?? "")\(error.wireReason)"
      bytes.append(json: .object(error.wireItem))
    }

    /// Appends a deleted record.
    func append(deleted name: RecordName, to bytes: inout [UInt8]) {
      bytes.append(
        json: .object([
          JSONMember("recordName", .string(name.text)), JSONMember("deleted", .bool(true)),
        ]))
    }

    /// Records of an answer are mostly of one zone.
    private mutating func json(_ id: ZoneID) -> [UInt8] {
      if let zone, zone.id == id { return zone.json }
      let json = Array(zones.json(id).text.utf8)
      zone = (id, json)
      return json
    }

    private mutating func types(of type: RecordType) throws -> [FieldName: FieldType] {
      if let known = types[type.text] { return known }
      let read = try database.environment.knownSchema(of: type)?.typesByField ?? [:]
      types[type.text] = read
      return read
    }
  }

  /// The identities of zones in answers: with their owner and their kind (web-services.md, §0 fact
  /// 7).
  struct ZoneNames: Sendable {
    private let owner: String

    init(_ call: Call, _ database: CloudDatabase) {
      let own = call.caller.account.map { database.environment.userRecordName($0).text }
      owner = call.scope == .public ? "_defaultOwner" : own ?? "_defaultOwner"
    }

    /// The identity of a zone.
    func json(_ zone: ZoneID) -> JSONValue {
      let owner = if case .user(let name) = zone.owner { name.text } else { owner }
      return .object([
        JSONMember("zoneName", .string(zone.name.text)),
        JSONMember("ownerRecordName", .string(owner)),
        JSONMember(
          "zoneType", .string(zone.isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")),
      ])
    }
  }
#endif
