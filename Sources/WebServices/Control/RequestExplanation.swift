#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import PredicateLanguage
  internal import WireFormat

  extension RecordOperation.Kind {
    /// What it may need: forced ones create a record that does not exist.
    fileprivate var permissions: [Permissions] {
      switch self {
      case .create: [.create]
      case .update, .replace, .delete, .forceDelete: [.write]
      case .forceUpdate, .forceReplace: [.create, .write]
      }
    }
  }

  extension Call {
    /// The rule that decides about the records of a request, how the store finds those of a query,
    /// and what CloudKit would object to, such as a missing index. It is that of the store as it is
    /// now. Empty for other requests.
    func explanation(of path: String?) -> [JSONMember] {
      guard let path, Self.explained.contains(path) else { return [] }
      // The client of the request itself may have gone.
      let asking = server.request(for: request.account, device: request.device) { [server] in
        !server.isEnding
      }
      let found = try? server.environments.with(container, environment, for: asking) {
        let database = try $0.database(scope)
        return path == "records/query" ? try explainQuery(database) : try explainChange(database)
      }
      return found ?? []
    }

    private static let explained = ["records/query", "records/modify"]

    /// The rule for the first record of a change.
    private func explainChange(_ database: CloudDatabase) throws -> [JSONMember] {
      guard let object = try body.requiredObjects("operations").first else { return [] }
      let operation = try RecordOperation(object)
      guard let type = operation.draft.type else { return [] }
      let rules = try operation.kind.permissions.map {
        try database.rule(for: $0, on: RecordType(stored: type))
      }
      return [JSONMember("rule", .string(Set(rules).sorted().joined(separator: "; ")))]
    }

    private func explainQuery(_ database: CloudDatabase) throws -> [JSONMember] {
      guard body["continuationMarker"] == nil else { return [] }
      var query = try Endpoint.queryRequest(self, database)
      query.isForCloudKit = false
      query.limit = try limit()
      var findings: [Finding] = []
      query.report = { findings = $0 }
      let plan = try database.plan(query)
      func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
      return [
        JSONMember("rule", .string(try database.rule(for: .read, on: query.type))),
        JSONMember(
          "plan",
          .object([
            JSONMember("steps", texts(plan.steps)), JSONMember("indexes", texts(plan.indexes)),
            JSONMember("examined", .int(Int64(plan.examined))),
            JSONMember("given", .int(Int64(plan.given))),
          ])), JSONMember("findings", texts(findings.map(\.message))),
      ]
    }

    /// Two requests with the same key have the same explanation; nil for none.
    func explanationKey(of path: String?) -> String? {
      guard let path, Self.explained.contains(path) else { return nil }
      let body = JSONValue.object(body.members).text
      return "\(path) \(environmentPath) \(scope.name) \(caller.text) \(body)"
    }
  }
#endif
