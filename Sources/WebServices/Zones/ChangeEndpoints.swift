#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  extension Endpoint {
    /// Change feeds, in their current and their former forms.
    static let changes = [
      Endpoint(
        "changes/database", "List the zones that changed", in: .withFeeds,
        keys: [.syncToken, .limit], result: "zones"
      ) { call, database in
        try databaseChanges(call, database, token: "syncToken")
      },
      Endpoint(
        "zones/changes", "List the zones that changed (the former endpoint)", in: .withFeeds,
        keys: [RequestKey("metaSyncToken", .text), .limit], result: "zones"
      ) { call, database in
        try databaseChanges(call, database, token: "metaSyncToken")
      },
      Endpoint(
        "changes/zone", "Fetch the records of zones that changed", in: .withFeeds,
        keys: [
          RequestKey("zones", .list([.zone.required, .syncToken, .limit, .keys, .types])).required,
          .limit, .keys, .types, .numbers,
        ], result: "zones", zoneChanges),
      Endpoint(
        "records/changes", "Fetch the records of a zone that changed (the former endpoint)",
        in: .withFeeds,
        keys: [.zone.required, .syncToken, .limit, .keys, .types, .numbers], result: "records",
        recordChanges),
    ]

    // MARK: The database

    private static func databaseChanges(
      _ call: Call, _ database: CloudDatabase, token name: String
    ) throws -> Answer {
      // The former endpoint also takes the name of the current one.
      let text = try call.body.text(name) ?? call.body.text("syncToken")
      let changes = try database.databaseChanges(
        since: ChangeToken(wire: text), limit: call.limit())
      let names = ZoneNames(call, database)
      var zones: [JSONValue] = []
      for zone in changes.changed {
        var members = [JSONMember("zoneID", names.json(zone)), JSONMember("deleted", .bool(false))]
        // Each zone has its own token, too (W10.4).
        if let known = try? database.zone(zone), let token = try database.changeToken(of: known) {
          members.insert(JSONMember("syncToken", .string(OpaqueToken.text(token.text))), at: 1)
        }
        zones.append(.object(members))
      }
      for (zone, reason) in changes.deleted {
        var members = [JSONMember("zoneID", names.json(zone)), JSONMember("deleted", .bool(true))]
        if reason == .purged { members.append(JSONMember("purged", .bool(true))) }
        zones.append(.object(members))
      }
      return Answer([
        JSONMember("zones", .array(zones)),
        JSONMember(name, .string(OpaqueToken.text(changes.token.text))),
        JSONMember("moreComing", .bool(changes.isMoreComing)),
      ])
    }

    // MARK: Zones

    @Sendable private static func zoneChanges(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      try database.requireActor()
      var bytes: [UInt8] = []
      bytes.append(text: "{\"zones\":")
      let objects = try call.body.requiredObjects("zones")
      try bytes.append(jsonList: objects, "[", "]") { bytes, object in
        let zone = try object.zoneID()
        guard let zone else { throw object.fault("zoneID", mustBe: "an object") }
        var part: [UInt8] = []
        let result = try item {
          try appendChanges(of: zone, object, call, database, to: &part)
        }
        if case .failure(var error) = result {
          error.recordName = nil
          error.zone = zone
          part.removeAll()
          part.append(json: .object(error.wireItem))
        }
        bytes.append(contentsOf: part)
      }
      bytes.append(UInt8(ascii: "}"))
      return Answer(json: bytes)
    }

    @Sendable private static func recordChanges(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      var bytes: [UInt8] = []
      try appendChanges(of: call.zone(), call.body, call, database, to: &bytes)
      return Answer(json: bytes)
    }

    private static func appendChanges(
      of zone: ZoneID, _ object: WireObject, _ call: Call, _ database: CloudDatabase,
      to bytes: inout [UInt8]
    ) throws {
      var answers = try RecordAnswers(call, database, object)
      let names = ZoneNames(call, database)
      let types =
        try object.recordTypes("desiredRecordTypes") ?? call.body.recordTypes("desiredRecordTypes")
      bytes.append(text: "{\"zoneID\":")
      bytes.append(json: names.json(zone))
      bytes.append(text: ",\"records\":[")
      var isFirst = true
      func comma() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
      }
      let text = try object.text("syncToken")
      var since = try ChangeToken(wire: text)
      // An empty token means that the client has everything (W10.3).
      if text?.isEmpty == true { since = try database.changeToken(of: database.zone(zone)) }
      // The record of a share is completed by a read of its own, after that of the feed.
      var records: [Record] = []
      let changes = try database.zoneChanges(
        in: zone, since: since, limit: call.limit(object), keys: call.keys(object)
      ) { record in
        if types?.contains(record.type) ?? true { records.append(record) }
      }
      for record in records {
        comma()
        try answers.append(record, to: &bytes)
      }
      for (name, type) in changes.deleted where types?.contains(type) ?? true {
        comma()
        // A tombstone has no type (W10.3).
        bytes.append(
          json: .object([
            JSONMember("recordName", .string(name.text)), JSONMember("recordType", .null),
            JSONMember("deleted", .bool(true)), JSONMember("zoneID", names.json(zone)),
          ]))
      }
      bytes.append(text: "],\"moreComing\":\(changes.isMoreComing),\"syncToken\":")
      bytes.append(jsonString: OpaqueToken.text(changes.token.text))
      bytes.append(UInt8(ascii: "}"))
    }
  }

  extension RequestKey {
    fileprivate static let types = RequestKey("desiredRecordTypes", .texts)
  }

  extension ChangeToken {
    /// Reads a token of a request; nil for none, or an empty one. Throws `invalidArguments`, in the
    /// service's words (W10.3).
    init?(wire text: String?) throws(CloudError) {
      guard let text, !text.isEmpty else { return nil }
      guard let read = OpaqueToken.read(text) else {
        throw CloudError(.invalidArguments, "Invalid continuation format")
      }
      guard let token = ChangeToken(text: read) else {
        throw CloudError(.invalidArguments, "Unknown sync continuation type")
      }
      self = token
    }
  }
#endif
