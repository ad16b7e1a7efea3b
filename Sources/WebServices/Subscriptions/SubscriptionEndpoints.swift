#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import PredicateLanguage
  internal import WireFormat

  extension Endpoint {
    /// Subscriptions: list, lookup, modify.
    static let subscriptions = [
      Endpoint(
        "subscriptions/list", "List the caller's subscriptions", methods: [.get, .post], keys: [],
        result: "subscriptions"
      ) { call, database in
        answer(try database.subscriptions().map { .object(json($0)) })
      },
      Endpoint(
        "subscriptions/lookup", "Fetch subscriptions by their names",
        keys: [
          RequestKey("subscriptions", .list([RequestKey("subscriptionID", .text).required]))
            .required
        ], result: "subscriptions", lookup),
      Endpoint(
        "subscriptions/modify", "Create, change and delete subscriptions", access: .writing,
        keys: [
          RequestKey(
            "operations",
            .list([
              RequestKey("operationType", .choice(["create", "update", "delete"])).required,
              RequestKey("subscription", .any).required,
            ])
          ).required
        ], result: "subscriptions", modify),
    ]

    private static func answer(_ subscriptions: [JSONValue]) -> Answer {
      Answer([JSONMember("subscriptions", .array(subscriptions))])
    }

    /// A subscription, with filters if these can express its predicate.
    private static func json(_ subscription: Subscription) -> [JSONMember] {
      guard case .object(var members) = subscription.json else { return [] }
      if subscription.kind == .query, let place = members.firstIndex(where: { $0.name == "query" }),
        let filters = try? PredicateParser.parse(subscription.predicate).wireFilters
      {
        members[place].value = .object([
          JSONMember("recordType", .string(subscription.type?.text ?? "")),
          JSONMember("filterBy", .array(filters)),
        ])
      }
      if subscription.kind == .query {
        members.append(JSONMember("zoneWide", .bool(subscription.zone == nil)))
      }
      return members
    }

    @Sendable private static func lookup(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      try database.requireActor()
      let ids = try call.body.requiredObjects("subscriptions").map(identity)
      return answer(
        try ids.map { id in
          switch try item({ try database.subscription(id) }) {
          case .success(let subscription): .object(json(subscription))
          case .failure(let error): failure(error, id)
          }
        })
    }

    private static func identity(_ object: WireObject) throws(CloudError) -> SubscriptionID {
      let text = try object.requiredText("subscriptionID")
      return try object.checked("subscriptionID") { () throws(CloudError) in
        try SubscriptionID(text)
      }
    }

    private static func failure(_ error: CloudError, _ id: SubscriptionID?) -> JSONValue {
      let name = id.map { [JSONMember("subscriptionID", .string($0.text))] } ?? []
      return .object(name + error.wireFacts)
    }

    @Sendable private static func modify(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      try database.requireActor()
      let objects = try call.body.requiredObjects("operations")
      return answer(
        try objects.map { object in
          let kind = try object.requiredText("operationType")
          let written = try object.requiredObject("subscription")
          let id = (try? written.text("subscriptionID")).flatMap(\.self).map {
            SubscriptionID(stored: $0)
          }
          let result = try item {
            try perform(kind, written, object.path("operationType"), database)
          }
          switch result {
          case .success(let json): return json
          case .failure(let error): return failure(error, id)
          }
        })
    }

    private static func perform(
      _ kind: String, _ written: WireObject, _ path: String, _ database: CloudDatabase
    ) throws(CloudError) -> JSONValue {
      switch kind {
      case "create", "update":
        let draft: SubscriptionDraft
        do throws(JSONError) {
          draft = try SubscriptionDraft(json: .object(written.members), ignoringUnknown: true)
        } catch { throw .badRequest("\(written.path): \(error.message)") }
        if kind == "update" { _ = try database.subscription(draft.subscription.id) }
        let text = draft.predicate ?? "TRUEPREDICATE"
        var predicate = draft.filter
        if draft.subscription.kind == .query, predicate == nil {
          do throws(PredicateError) { predicate = try PredicateParser.parse(text) } catch {
            throw .badRequest("\(written.path("query.predicate")): \(error.message)")
          }
        }
        let saved = try database.save(
          SubscriptionRequest(draft.subscription, isNamed: draft.isNamed, predicate: predicate))
        return .object(json(saved.subscription))
      case "delete":
        let id = try identity(written)
        try database.deleteSubscriptions([id])
        // W10.17: a guess, after the answer for a record.
        return .object([
          JSONMember("subscriptionID", .string(id.text)), JSONMember("deleted", .bool(true)),
        ])
      default: throw .badRequest("\(path) must be create, update or delete")
      }
    }
  }
#endif
