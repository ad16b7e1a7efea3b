#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  extension Endpoint {
    /// Records: query, lookup, modify.
    static let records = [
      Endpoint(
        "records/query", "Find the records of a type",
        keys: [
          RequestKey("query", .query), .zone, .zoneWide, .limit, .marker, .keys, .numbers,
        ], result: "records", query),
      Endpoint(
        "records/lookup", "Fetch records by their names", access: .fetching,
        keys: [
          RequestKey("records", .list([.recordName.required, .keys])).required, .zone, .keys,
          .numbers,
        ], result: "records", lookup),
      Endpoint(
        "records/modify", "Create, change and delete records", access: .writing,
        keys: [
          RequestKey(
            "operations",
            .list([
              RequestKey(
                "operationType", .choice(RecordOperation.Kind.allCases.map(\.rawValue))
              ).required,
              RequestKey(
                "record",
                .object([
                  .recordName, RequestKey("recordType", .text),
                  RequestKey("recordChangeTag", .text), RequestKey("fields", .fields),
                ])
              ).required,
            ])
          ).required, .zone, RequestKey("atomic", .flag), .keys, .numbers,
        ], result: "records", modify),
    ]

    // MARK: Query

    @Sendable private static func query(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      var request = try queryRequest(call, database)
      request.limit = try call.limit()
      request.keys = try call.keys()
      var answers = try RecordAnswers(call, database)
      var bytes: [UInt8] = []
      bytes.append(text: "{\"records\":[")
      var isFirst = true
      let cursor = try database.query(request) { record in
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        try answers.append(record, to: &bytes)
        return true
      }
      bytes.append(UInt8(ascii: "]"))
      if let cursor {
        bytes.append(text: ",\"continuationMarker\":")
        bytes.append(jsonString: OpaqueToken.text(cursor.text))
      }
      try appendSyncToken(call, database, request.zone, to: &bytes)
      bytes.append(UInt8(ascii: "}"))
      return Answer(json: bytes)
    }

    /// A marker contains the whole query; a query that comes with it must be the same (W8).
    static func queryRequest(
      _ call: Call, _ database: CloudDatabase
    ) throws -> QueryRequest {
      let named = try call.body.object("query").map { (object) throws(CloudError) in
        try WireQuery(object)
      }
      if let marker = try call.body.text("continuationMarker") {
        guard let text = OpaqueToken.read(marker), let cursor = QueryCursor(text: text) else {
          throw CloudError.badRequest("Invalid continuation format")
        }
        var naming = QueryNaming()
        naming.type = named?.type
        return try database.continuing(cursor, named: naming)
      }
      guard let named else { throw call.body.fault("query", mustBe: "an object") }
      var request = QueryRequest(type: named.type, predicate: named.predicate)
      request.sort = named.sort
      // zoneWide has no effect next to a zone (C169; W10.17).
      let isZoneWide = try call.body.flag("zoneWide") ?? false
      request.zone = try call.body.zoneID() ?? (isZoneWide ? nil : .defaultZone)
      return request
    }

    // MARK: Lookup

    @Sendable private static func lookup(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      let objects = try call.items("records")
      let (names, zone) = (try objects.map { try $0.recordName() }, try call.zone())
      // Records that want other fields than the request are read whole.
      let hasOwnKeys = objects.contains { $0["desiredKeys"] != nil }
      let results = try database.fetch(names, in: zone, keys: hasOwnKeys ? nil : call.keys())
      var answers = try RecordAnswers(call, database)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(2048 * names.count)
      bytes.append(text: "{\"records\":")
      try bytes.append(jsonList: Array(zip(objects, results)), "[", "]") { bytes, item in
        switch item.1 {
        case .record(let record):
          let keys = hasOwnKeys ? try call.keys(item.0) : nil
          try answers.append(record, keys: keys, to: &bytes)
        case .failure(let error): answers.append(error, to: &bytes)
        }
      }
      try appendSyncToken(call, database, zone, to: &bytes)
      bytes.append(UInt8(ascii: "}"))
      return Answer(json: bytes, reason: answers.reason)
    }

    /// Appends the token of the zone, for clients that ask for it; queries and lookups give the
    /// same as the feed (W10.3).
    private static func appendSyncToken(
      _ call: Call, _ database: CloudDatabase, _ zone: ZoneID?, to bytes: inout [UInt8]
    ) throws {
      guard call.target["getCurrentSyncToken"]?.lowercased() == "true", let zone,
        let token = try database.changeToken(of: database.zone(zone))
      else { return }
      append(token, to: &bytes)
    }

    private static func append(_ token: ChangeToken, to bytes: inout [UInt8]) {
      bytes.append(text: ",\"syncToken\":")
      bytes.append(jsonString: OpaqueToken.text(token.text))
    }

    // MARK: Modify

    @Sendable private static func modify(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      let zone = try call.zone()
      let objects = try call.body.requiredObjects("operations")
      var receipts = ReceiptReader(call, database.environment)
      defer { receipts.discardUnused() }
      let operations = objects.map { object in
        Result { () throws(CloudError) in try RecordOperation(object) }
      }
      let isAtomic = try call.body.flag("atomic") ?? false
      let result = try database.perform(operations, in: zone, isAtomic: isAtomic) {
        (save, place) throws(CloudError) in
        try receipts.stage(&save, of: objects[place])
      }
      var answers = try RecordAnswers(call, database)
      var bytes: [UInt8] = []
      bytes.append(text: "{\"records\":")
      let outcomes = Array(result.outcomes.enumerated())
      try bytes.append(jsonList: outcomes, "[", "]") { bytes, item in
        switch item.element {
        case .saved(let saved):
          let keys = try call.keys(objects[item.offset])
          try answers.append(saved.record, keys: keys, to: &bytes)
        case .deleted:
          let name = try operations[item.offset].get().draft.name
          answers.append(deleted: RecordName(stored: name ?? ""), to: &bytes)
        case .failed(let error): answers.append(error, to: &bytes)
        }
      }
      let isCustom = !zone.isDefault && call.scope != .public
      if isCustom, let known = try? database.zone(zone),
        let token = try database.changeToken(of: known)
      {
        append(token, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
      return Answer(json: bytes, reason: answers.reason)
    }
  }

  extension RequestKey {
    static let zone = RequestKey("zoneID", .zone)
    static let zoneWide = RequestKey("zoneWide", .flag)
    static let limit = RequestKey("resultsLimit", .count)
    static let marker = RequestKey("continuationMarker", .text)
    static let keys = RequestKey("desiredKeys", .texts)
    static let numbers = RequestKey("numbersAsStrings", .flag)
    static let recordName = RequestKey("recordName", .text)
    static let syncToken = RequestKey("syncToken", .text)
  }

  /// Tokens and markers in requests and answers: Base64, because a client decodes them
  /// (web-services.md, §0 fact 8).
  enum OpaqueToken {
    /// A text as a token.
    static func text(_ text: String) -> String { Base64.encode(Array(text.utf8)) }

    /// The text of a token; nil if it is not Base64.
    static func read(_ token: String) -> String? {
      Base64.decode(token).flatMap { String(validating: $0, as: UTF8.self) }
    }
  }
#endif
