#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  extension Endpoint {
    /// Shares of others: describe and accept them.
    static let sharing = [
      Endpoint(
        "records/resolve", "Describe shares by their short GUIDs", in: [.public],
        keys: [
          RequestKey(
            "shortGUIDs",
            .list([.value, RequestKey("shouldFetchRootRecord", .flag)])
          ).required
        ], result: "results"
      ) { call, database in
        try results(of: call, database) { url, object in
          try metadata(
            of: url, call, database, withRoot: object.flag("shouldFetchRootRecord") ?? false,
            keys: object.fieldNames("rootRecordDesiredKeys"))
        }
      },
      Endpoint(
        "records/accept", "Take part in shares", in: [.public], access: .writing,
        keys: [RequestKey("shortGUIDs", .list([.value])).required], result: "results"
      ) { call, database in
        try results(of: call, database) { url, _ in
          _ = try database.environment.accept(url)
          return try metadata(of: url, call, database, withRoot: true, keys: nil)
        }
      },
    ]

    private static func results(
      of call: Call, _ database: CloudDatabase,
      _ work: (ShareURL, WireObject) throws -> JSONValue
    ) throws -> Answer {
      try database.requireActor()
      let results = try call.body.requiredObjects("shortGUIDs").map { object -> JSONValue in
        // Some clients send the GUID itself, others the last part of a URL.
        let value = try object.requiredText("value")
        let guid = value.split(separator: "#", maxSplits: 1)[safe: 0].map(String.init) ?? ""
        let result = try item {
          try work(ShareURL(call.container, token: guid, title: nil), object)
        }
        switch result {
        case .success(let json): return json
        case .failure(let error):
          return .object(
            [JSONMember("shortGUID", .object([JSONMember("value", .string(value))]))]
              + error.wireFacts)
        }
      }
      return Answer([JSONMember("results", .array(results))])
    }

    private static func metadata(
      of url: ShareURL, _ call: Call, _ database: CloudDatabase, withRoot: Bool,
      keys: [FieldName]?
    ) throws -> JSONValue {
      let metadata = try database.environment.metadata(of: url)
      let share = metadata.share
      let isOwner = metadata.participant?.role == .owner
      // The shared database of a person who was invited does not have the zone yet.
      var answers = try RecordAnswers(call, database.environment.database(.shared))
      answers.looksUpShares = false
      func json(_ record: Record, _ keys: [FieldName]?) throws -> JSONValue {
        var bytes: [UInt8] = []
        try answers.append(record, keys: keys, to: &bytes)
        return (try? JSONParser.parse(String(decoding: bytes, as: UTF8.self))) ?? .null
      }
      var shareJSON = try json(share.record, nil)
      if case .object(let members) = shareJSON {
        shareJSON = .object(members + share.wireMembers)
      }
      let scope = isOwner ? "PRIVATE" : "SHARED"
      var members = [
        JSONMember(
          "shortGUID",
          .object([
            JSONMember("value", .string(share.url.token)),
            JSONMember("shouldFetchRootRecord", .bool(withRoot)),
          ])),
        JSONMember("containerIdentifier", .string(call.container.text)),
        JSONMember("environment", .string(call.environment.rawValue.uppercased())),
        JSONMember("databaseScope", .string(scope)),
        JSONMember("zoneID", ZoneNames(call, database).json(share.record.zone)),
        JSONMember("share", shareJSON),
      ]
      if let root = share.root { members.append(JSONMember("rootRecordName", .string(root.text))) }
      if withRoot, let root = metadata.rootRecord {
        members.append(JSONMember("rootRecord", try json(root, keys)))
      }
      if let own = metadata.participant {
        members += [
          JSONMember("participantType", .string(own.role.wireName)),
          JSONMember("participantStatus", .string(own.status.wireName)),
          JSONMember("participantPermission", .string(own.permission.wireName)),
        ]
      }
      members.append(JSONMember("ownerIdentity", metadata.owner.wireJSON))
      return .object(members)
    }
  }

  extension RequestKey {
    fileprivate static let value = RequestKey("value", .text, isRequired: true)
  }

  extension Array {
    /// The element at a place; nil beyond the end.
    fileprivate subscript(safe place: Int) -> Element? {
      indices.contains(place) ? self[place] : nil
    }
  }
#endif
