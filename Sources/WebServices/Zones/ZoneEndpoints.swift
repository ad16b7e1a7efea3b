#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  extension Endpoint {
    /// Zones: list, lookup, modify.
    static let zones = [
      Endpoint(
        "zones/list", "List the zones of a database", methods: [.get, .post], keys: [],
        result: "zones"
      ) { call, database in
        try zonesAnswer(try database.zones().map { .success($0) }, call, database)
      },
      Endpoint(
        "zones/lookup", "Fetch zones by their names",
        keys: [RequestKey("zones", .list([RequestKey("zoneName", .text).required])).required],
        result: "zones", lookup),
      Endpoint(
        "zones/modify", "Create and delete zones", in: [.private, .shared], access: .writing,
        keys: [
          RequestKey(
            "operations",
            .list([
              RequestKey("operationType", .choice(["create", "delete"])).required,
              RequestKey("zone", .object([RequestKey("zoneID", .zone).required])).required,
            ])
          ).required
        ], result: "zones", modify),
    ]

    private static func zonesAnswer(
      _ zones: [Result<Zone, CloudError>], _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      let names = ZoneNames(call, database)
      return Answer([
        JSONMember(
          "zones",
          .array(
            try zones.map { zone in
              switch zone {
              case .success(let zone): try json(zone, names, database)
              case .failure(let error): .object(error.wireItem)
              }
            }))
      ])
    }

    private static func json(
      _ zone: Zone, _ names: ZoneNames, _ database: CloudDatabase
    ) throws -> JSONValue {
      var members = [JSONMember("zoneID", names.json(zone.id))]
      if let token = try database.changeToken(of: zone) {
        members.append(JSONMember("syncToken", .string(OpaqueToken.text(token.text))))
      }
      members.append(JSONMember("atomic", .bool(zone.isAtomic)))
      return .object(members)
    }

    /// Anonymous lookups need a user, unlike those of records (web-services.md, §2.1).
    @Sendable private static func lookup(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      try database.requireActor()
      let objects = try call.body.requiredObjects("zones")
      let zones = try objects.map { object -> Result<Zone, CloudError> in
        // MistKit and others wrap it, as zones/modify does.
        let id = try object.zoneID() ?? object.asZoneID()
        return try item { try database.zone(id) }
      }
      return try zonesAnswer(zones, call, database)
    }

    /// Answers by position; a failure is a zone's error (W10.14).
    @Sendable private static func modify(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      try database.requireActor()
      let names = ZoneNames(call, database)
      let operations = try call.body.requiredObjects("operations").map { object in
        (
          kind: try object.requiredText("operationType"),
          path: object.path("operationType"),
          zone: try object.requiredObject("zone").requiredZoneID()
        )
      }
      var results: [JSONValue] = []
      for operation in operations {
        let result = try item {
          switch operation.kind {
          case "create":
            _ = try database.createZones([operation.zone])
            return try json(database.zone(operation.zone), names, database)
          case "delete":
            try database.deleteZone(operation.zone)
            return .object([
              JSONMember("zoneID", names.json(operation.zone)), JSONMember("deleted", .bool(true)),
            ])
          default:
            throw CloudError.badRequest("\(operation.path) must be create or delete")
          }
        }
        switch result {
        case .success(let zone): results.append(zone)
        case .failure(var error):
          (error.zone, error.recordName) = (operation.zone, nil)
          results.append(.object(error.wireItem))
        }
      }
      return Answer([JSONMember("zones", .array(results))])
    }
  }

  extension WireObject {
    /// The zone of an object, which must be there.
    fileprivate func requiredZoneID() throws(CloudError) -> ZoneID {
      guard let zone = try zoneID() else { throw fault("zoneID", mustBe: "an object") }
      return zone
    }
  }
#endif
