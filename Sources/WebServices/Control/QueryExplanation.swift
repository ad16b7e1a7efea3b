#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import PredicateLanguage
  internal import WireFormat

  extension Call {
    /// How the store finds the records of a query, and what CloudKit would object to, such as a
    /// missing index; empty for other requests. It is that of the store as it is now.
    func explanation(of path: String?) -> [JSONMember] {
      guard path == "records/query", body["continuationMarker"] == nil else { return [] }
      // The client of the query itself may have gone.
      let asking = server.request(for: request.account, device: request.device) { [server] in
        !server.isEnding
      }
      let found = try? server.environments.with(container, environment, for: asking) {
        try explain(in: $0.database(scope))
      }
      return found ?? []
    }

    private func explain(in database: CloudDatabase) throws -> [JSONMember] {
      var query = try Endpoint.queryRequest(self, database)
      query.isForCloudKit = false
      query.limit = try limit()
      var findings: [Finding] = []
      query.report = { findings = $0 }
      let plan = try database.plan(query)
      func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
      return [
        JSONMember(
          "plan",
          .object([
            JSONMember("steps", texts(plan.steps)), JSONMember("indexes", texts(plan.indexes)),
            JSONMember("examined", .int(Int64(plan.examined))),
            JSONMember("given", .int(Int64(plan.given))),
          ])), JSONMember("findings", texts(findings.map(\.message))),
      ]
    }

    /// Two requests with the same text have the same explanation.
    var explanationKey: String {
      "\(environmentPath) \(scope.name) \(caller.text) \(JSONValue.object(body.members).text)"
    }
  }
#endif
