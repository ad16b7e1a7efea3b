#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  extension Endpoint {
    /// Users: the caller, and those that others may find.
    static let users = [
      Endpoint(
        "users/caller", "Describe the user who asks", methods: [.get, .post], keys: [], result: "",
        caller),
      Endpoint(
        "users/current", "Describe the user who asks (the former endpoint)",
        methods: [.get, .post], in: [.public], keys: [], result: "", current),
      Endpoint(
        "users/discover", "Find users by their addresses or names; with GET, all contacts",
        methods: [.get, .post], in: [.public],
        keys: [
          RequestKey(
            "lookupInfos",
            .list([
              RequestKey("emailAddress", .text), RequestKey("phoneNumber", .text),
              RequestKey("userRecordName", .text),
            ]))
        ], result: "users", discover),
      Endpoint(
        "users/lookup/email", "Find users by e-mail (the former endpoint)", in: [.public],
        keys: [RequestKey("users", .list([RequestKey("emailAddress", .text)])).required],
        result: "users"
      ) { call, database in
        try former(call.body.requiredObjects("users"), "emailAddress", call, database)
      },
      Endpoint(
        "users/lookup/id", "Find users by their names (the former endpoint)", in: [.public],
        keys: [RequestKey("users", .list([RequestKey("userRecordName", .text)])).required],
        result: "users"
      ) { call, database in
        try former(call.body.requiredObjects("users"), "userRecordName", call, database)
      },
      Endpoint(
        "users/lookup/contacts", "Find all contacts (the former endpoint)", in: [.public], keys: [],
        result: "users"
      ) { call, database in
        let found = try database.environment.discoverAll(by: database.requireActor())
        return Answer([JSONMember("users", .array(found.map { formerJSON($0, nil) }))])
      },
    ]

    private static func identity(
      _ call: Call, _ database: CloudDatabase
    ) throws -> UserIdentity {
      let account = try database.requireActor()
      let environment = database.environment
      let isFound = try environment.discoverability(of: account, database.status) == .granted
      return UserIdentity(
        userRecordName: environment.userRecordName(account),
        person: isFound ? try call.server.store.person(of: account) : nil, address: nil,
        hasAccount: true)
    }

    @Sendable private static func caller(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      guard case .object(let members) = try identity(call, database).wireJSON else {
        return Answer([])
      }
      return Answer(members)
    }

    @Sendable private static func current(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      let identity = try identity(call, database)
      guard case .object(var members) = formerJSON(identity, nil) else { return Answer([]) }
      members.append(JSONMember("isDiscoverable", .bool(identity.givenName != nil)))
      return Answer(members)
    }

    @Sendable private static func discover(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      let account = try database.requireActor()
      let found: [UserIdentity]
      if call.isGet {
        found = try database.environment.discoverAll(by: account)
      } else {
        // The live service refuses an empty request (W10.5).
        guard let objects = try call.body.objects("lookupInfos") else {
          throw CloudError.badRequest("discover request contains an invalid user id")
        }
        found = try database.environment.discover(objects.map(lookup), by: account)
      }
      return Answer([JSONMember("users", .array(found.map(\.wireJSON)))])
    }

    private static func lookup(_ object: WireObject) throws(CloudError) -> UserLookup {
      if let email = try object.text("emailAddress") {
        return .address(
          try object.checked("emailAddress") { () throws(CloudError) in
            try PersonAddress(email: email)
          })
      }
      if let phone = try object.text("phoneNumber") {
        return .address(
          try object.checked("phoneNumber") { () throws(CloudError) in
            try PersonAddress(phone: phone)
          })
      }
      return .name(UserRecordName(stored: try object.requiredText("userRecordName")))
    }

    // MARK: The former endpoints

    private static func former(
      _ objects: [WireObject], _ key: String, _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      let account = try database.requireActor()
      let found = try database.environment.discover(objects.map(lookup), by: account)
      return Answer([
        JSONMember(
          "users",
          .array(found.map { formerJSON($0, key == "emailAddress" ? $0.address : nil) }))
      ])
    }

    private static func formerJSON(
      _ identity: UserIdentity, _ address: PersonAddress?
    ) -> JSONValue {
      let members: [(String, String?)] = [
        ("userRecordName", identity.userRecordName?.text), ("firstName", identity.givenName),
        ("lastName", identity.familyName), ("emailAddress", address?.text),
      ]
      return .object(
        members.compactMap { name, text in text.map { JSONMember(name, .string($0)) } })
    }
  }
#endif
