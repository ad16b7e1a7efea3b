#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import NIOCore
  internal import WireFormat

  /// Requests to Web Services: `/database/1/…`.
  extension RequestHandler {
    func database(
      _ request: HummingbirdCore.Request, _ parts: [String], _ target: RequestTarget,
      _ channel: any NIOCore.Channel, _ visit: inout Visit
    ) async throws -> Answer {
      let head = request.head
      guard parts.count >= 7,
        let scope = DatabaseScope.allCases.first(where: { $0.name == parts[4] })
      else { throw Self.unknown(head, target) }
      let path = parts[5...].joined(separator: "/")
      let endpoint = Endpoint.byPath[path]
      visit.endpoint = endpoint?.path
      let call = try await place(
        request, parts[2], parts[3], target, channel, &visit, scope: scope
      ) { method in
        // The endpoints of tokens moved to /device (W0.5).
        if path.hasPrefix("tokens/") {
          return WireFailure(status: 405, "the endpoint is under /device/1")
        }
        let isKnown = Endpoint.Method(rawValue: method.rawValue).map {
          endpoint?.methods.contains($0) ?? false
        }
        return isKnown ?? false ? nil : Self.unknown(head, target)
      }
      guard let call, let endpoint else { return Answer() }
      try require(endpoint, in: scope, for: call.caller)
      return try await answer(call, endpoint)
    }

    /// Identifies the caller and the place, and reads the body; nil for a preflight request.
    /// `fault` returns the error for a method that the path does not have.
    func place(
      _ request: HummingbirdCore.Request, _ name: String, _ environmentName: String,
      _ target: RequestTarget, _ channel: any NIOCore.Channel, _ visit: inout Visit,
      scope: DatabaseScope = .public, takes fault: (HTTPRequest.Method) -> WireFailure?
    ) async throws -> Call? {
      let (head, headers) = (request.head, request.headers)
      guard let environment = Environment(rawValue: environmentName) else {
        throw Self.unknown(head, target)
      }
      guard let container = try? ContainerID(name) else {
        throw WireFailure(.authenticationFailed, "Authentication failed")
      }
      let authentication = Authentication(
        store: server.store, container: container, environment: environment, target: target,
        headers: headers)
      let token = try authentication.token()
      try checkOrigin(headers, token, &visit)
      if head.method == .options { return nil }
      visit.signingIn = token.map { ($0, headers[.origin]) }
      if let failure = fault(head.method) { throw failure }
      let body = try await body(of: request, upTo: Self.bodyBytes)
      let caller = try authentication.caller(token, body: body)
      visit.caller = caller
      visit.renewedToken = try authentication.renewedToken(for: caller)
      let call = Call(
        server, container, environment, scope, caller: caller, isGet: head.method == .get, target,
        body: try body.withUnsafeBytes { bytes throws(CloudError) in try WireObject(body: bytes) },
        bodyBytes: body.count, base: visit.base, self.request(for: caller, target, channel))
      if call.isShort { visit.call = call }
      return call
    }

    private func answer(_ call: Call, _ endpoint: Endpoint) async throws -> Answer {
      let answer: Result<Answer, any Error>
      do { answer = .success(try await answerAtOnce(call, endpoint)) } catch {
        answer = .failure(error)
      }
      let latency = call.request.latency
      if latency > 0 { try await Task.sleep(for: .milliseconds(latency)) }
      return try answer.get()
    }

    private func answerAtOnce(_ call: Call, _ endpoint: Endpoint) async throws -> Answer {
      let work: @Sendable (CloudEnvironment) throws -> Answer = { environment in
        try endpoint.run(call, try environment.database(call.scope))
      }
      switch endpoint.access {
      case .reading:
        return try server.environments.with(
          call.container, call.environment, for: call.request, work)
      case .writing:
        guard !server.settings.isReadOnly else {
          throw WireFailure(.accessDenied, "the server is read-only")
        }
        return try await server.lanes.lane(call.container, call.environment)
          .write(for: call.request, work)
      }
    }

    /// Which callers may use which databases (W1.1, W2.2).
    private func require(
      _ endpoint: Endpoint, in scope: DatabaseScope, for caller: Caller
    ) throws(WireFailure) {
      if case .key = caller, scope != .public {
        throw WireFailure(.accessDenied, "private db access disabled for this account")
      }
      guard endpoint.scopes.contains(scope) else {
        throw WireFailure(
          .badRequest,
          "endpoint not applicable in the database type '\(scope.name)db'")
      }
    }

    private func request(
      for caller: Caller, _ target: RequestTarget, _ channel: any NIOCore.Channel
    ) -> CloudServices.Request {
      var device = Device(stored: "web")
      if let client = target["clientId"], let named = try? Device("web-\(client)") {
        device = named
      }
      let server = server
      return server.request(for: caller.account, device: device) {
        channel.isActive && !server.isEnding
      }
    }
  }
#endif
