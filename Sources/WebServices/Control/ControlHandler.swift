#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs
  internal import Fixtures
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import NIOCore
  internal import WireFormat

  /// `/ckdb/1/…`, for tests in any language. CloudKit has no such routes. They affect the whole
  /// store, so they need the admin token.
  struct ControlHandler {
    let server: WebServer

    /// The routes.
    static let routes: [(method: HTTPRequest.Method, path: String)] = [
      (.post, "reset"), (.post, "snapshots"), (.post, "restore"), (.post, "fixtures"),
      (.get, "faults"), (.post, "faults"), (.delete, "faults"), (.post, "clock"),
      (.get, "requests"),
    ]

    /// Answers a request. Throws `WireFailure`, `CloudError`.
    func answer(
      _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields, _ body: [UInt8]
    ) async throws -> Answer {
      try authorize(headers)
      guard Self.routes.contains(where: { $0.path == path }) else {
        throw WireFailure(.notFound, "there is no /ckdb/1/\(path.visible)")
      }
      guard Self.routes.contains(where: { $0.path == path && $0.method == method }) else {
        throw WireFailure(status: 405, "the method is not allowed")
      }
      let object = try body.withUnsafeBytes { bytes throws(CloudError) in
        path == "fixtures"
          ? try WireObject(body: .init(rebasing: bytes[..<0]))
          : try WireObject(body: bytes)
      }
      switch (method, path) {
      case (.get, "requests"): return requests(headers)
      case (.get, _): return try faults()
      default:
        guard !server.settings.isReadOnly else {
          throw WireFailure(.accessDenied, "the server is read-only")
        }
        let server = server
        return try await Task(executorPreference: server.slowThreads) {
          try ControlHandler(server: server).change(method, path, object, body)
        }.value
      }
    }

    private func authorize(_ headers: HTTPFields) throws(WireFailure) {
      let words = (headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
      guard words.count == 2, words[0] == "Bearer", server.isAdminToken(words[1]) else {
        throw WireFailure(.authenticationFailed, "the request needs the admin token")
      }
    }

    private func change(
      _ method: HTTPRequest.Method, _ path: String, _ object: WireObject, _ body: [UInt8]
    ) throws -> Answer {
      switch path {
      case "reset":
        try requireReset()
        try server.start.restore(server)
        return Answer([])
      case "snapshots":
        try requireReset()
        try server.store.saveSnapshot(
          name(object), replaces: true, for: server.controlRequest)
        return Answer([], status: 201)
      case "restore":
        try requireReset()
        try server.start.restore(name(object), server)
        return Answer([])
      case "fixtures":
        try requireReset()
        return try loadFixture(body)
      case "faults":
        if method == .delete {
          _ = try server.store.clearFaults([])
          return Answer([])
        }
        let added = try server.store.add(FaultRule(object), for: server.controlRequest)
        return Answer(json: Array(added.json.text.utf8), status: 201)
      default: return try setClock(object)
      }
    }

    private func requireReset() throws(WireFailure) {
      guard server.start.mayReset else {
        throw WireFailure(
          .accessDenied, "only a temporary store, or one served with --allow-reset, can be reset")
      }
    }

    private func name(_ object: WireObject) throws(CloudError) -> SnapshotName {
      let text = try object.requiredText("name")
      return try object.checked("name") { () throws(CloudError) in try SnapshotName(text) }
    }

    private func setClock(_ object: WireObject) throws -> Answer {
      var time: Timestamp?
      switch object["now"] {
      case nil: break
      case .int(let number)?: time = Timestamp(given: number)
      case .string(let text)?: time = Timestamp(text)
      default: throw object.fault("now", mustBe: "a date or milliseconds")
      }
      if object["now"] != nil, time == nil {
        throw CloudError.badRequest("now must be a date or milliseconds since 1970")
      }
      server.clock.withLock { [time] in $0 = time }
      return Answer([JSONMember("now", time.map { .string($0.text) } ?? .null)])
    }

    private func faults() throws -> Answer {
      Answer([JSONMember("faults", .array(try server.store.faults().map(\.json)))])
    }

    // MARK: Fixtures

    /// Loads a fixture, all or nothing. Answers with the errors in its text and their positions.
    private func loadFixture(_ body: [UInt8]) throws -> Answer {
      let folder = try FileSystem.makeTemporaryDirectory(in: server.store.path, prefix: "fixture-")
      defer { try? FileSystem.remove(folder) }
      let path = folder + "/fixture.json"
      try FileSystem.replace(path, with: body)
      let loader: FixtureLoader
      do {
        loader = try FixtureLoader([path], FixtureSettings(server.controlRequest))
      } catch let error as RecordReadingError {
        throw CloudError.badRequest("\(error.position.text): \(error.message)")
      }
      guard let id = try loader.container(in: server.store) else {
        throw CloudError.badRequest("the fixture must name one of the containers")
      }
      let summary = try loader.load(into: server.store, id) {
        try server.store.environment(id, .development, for: server.controlRequest)
      }
      guard summary.faults.isEmpty else {
        let faults = summary.faults.map { fault in
          JSONValue.string("\(fault.position.text): \(fault.error.message)")
        }
        return Answer(
          [
            JSONMember("serverErrorCode", .string("BAD_REQUEST")),
            JSONMember("reason", .string("the fixture has faults")),
            JSONMember("faults", .array(faults)),
          ], status: 400)
      }
      if let clock = loader.clock { server.clock.withLock { $0 = clock } }
      return Answer([
        JSONMember("created", .int(Int64(summary.created))),
        JSONMember("changed", .int(Int64(summary.changed))),
        JSONMember("unchanged", .int(Int64(summary.unchanged))),
      ])
    }

    // MARK: Requests

    /// The last requests. The newest queries and changes come with their explanations.
    private func list() -> [JSONValue] {
      var known: [String: [JSONMember]] = [:]
      let newestFirst = server.records.last.reversed().map { record in
        guard let key = record.explanationKey else { return record.json(with: []) }
        if known[key] == nil, known.count < Self.mostExplained { known[key] = record.explanation }
        return record.json(with: known[key] ?? [])
      }
      return newestFirst.reversed()
    }

    /// A plan reads what the query read.
    private static let mostExplained = 50

    private func requests(_ headers: HTTPFields) -> Answer {
      guard headers[.accept]?.contains("text/event-stream") == true else {
        return Answer([JSONMember("requests", .array(list()))])
      }
      var answer = Answer()
      answer.headers[.contentType] = "text/event-stream"
      answer.headers[.cacheControl] = "no-store"
      let follower = server.records.follow()
      answer.body = ResponseBody { writer in
        try await writer.write(ByteBuffer(string: ": the requests that come\n\n"))
        for await record in follower {
          let json = try await server.onThreads { record.json(with: record.explanation) }
          try await writer.write(ByteBuffer(string: "data: \(json.text)\n\n"))
        }
        try await writer.finish(nil)
      }
      return answer
    }
  }

  extension FaultRule {
    /// Reads a fault of a request, with the words of the command line (cli.md §7). Throws
    /// `invalidArguments`.
    fileprivate init(_ object: WireObject) throws(CloudError) {
      let operation = try object.requiredText("operation")
      guard let known = Operation(rawValue: operation) else {
        throw .badRequest("operation: '\(operation.visible)' is not an operation")
      }
      if known == .push {
        let effect = try object.requiredText("effect")
        guard let read = PushEffect(rawValue: effect) else {
          throw .badRequest("effect: '\(effect.visible)' is not lost, late, duplicated, reordered")
        }
        self.init(read)
      } else {
        let latency = try Self.latency(object)
        self.init(try Self.code(object, isRequired: latency == nil), of: known)
        self.latency = latency
      }
      type = try object.text("type").map { RecordType(stored: $0) }
      zone = try object.text("zone").map { ZoneID(stored: $0) }
      name = try object.text("name").map { RecordName(stored: $0) }
      every = try object.count("every")
      isAfter = try object.flag("after") ?? false
      times = try object.count("times")
      retryAfter = object["retryAfter"]?.number
      probability = object["probability"]?.number
      if let text = try object.text("rate") {
        guard let read = Rate(text) else { throw object.fault("rate", mustBe: "such as 40/1s") }
        rate = read
      }
    }

    /// A CKError, by its name or number.
    private static func code(
      _ object: WireObject, isRequired: Bool
    ) throws(CloudError) -> CloudError.Code? {
      let text: String
      switch object["code"] {
      case nil where !isRequired: return nil
      case .int(let number)?: text = String(number)
      default: text = try object.requiredText("code")
      }
      guard let code = CloudError.Code(text: text) else {
        throw .badRequest("code: '\(text.visible)' is not a CKError")
      }
      return code
    }

    /// A delay in seconds.
    private static func latency(_ object: WireObject) throws(CloudError) -> Double? {
      guard let value = object["latency"] else { return nil }
      guard let seconds = value.number, (0...mostLatency).contains(seconds) else {
        throw object.fault("latency", mustBe: "seconds, at most \(Int(mostLatency))")
      }
      return seconds
    }
  }
#endif
