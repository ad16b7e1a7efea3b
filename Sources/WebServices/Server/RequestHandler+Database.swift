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
      try endpoint.require(scope, for: call.caller)
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
      visit.place = (name, environmentName)
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
      func read() throws -> Call {
        let caller = try authentication.caller(token, body: body)
        visit.caller = caller
        visit.renewedToken = try authentication.renewedToken(for: caller)
        return Call(
          server, container, environment, scope, caller: caller, isGet: head.method == .get,
          target,
          body: try body.withUnsafeBytes { bytes throws(CloudError) in try WireObject(body: bytes)
          },
          bodyBytes: body.count, base: visit.base,
          self.request(for: caller.account, target, channel))
      }
      let call = body.count > Self.shortBytes ? try await server.onThreads(read) : try read()
      visit.served = [call.request]
      if call.isShort { visit.call = call }
      return call
    }

    /// The most bytes of a body that are parsed on the event loop.
    private static let shortBytes = 16_384
    /// The most bytes of a body whose items are fetched on the event loop: a few of them.
    private static let briefBytes = 192

    private func answer(_ call: Call, _ endpoint: Endpoint) async throws -> Answer {
      let answer: Result<Answer, any Error>
      do { answer = .success(try await answerAtOnce(call, endpoint)) } catch {
        answer = .failure(error)
      }
      try await delay(call.request)
      return try answer.get()
    }

    /// Waits for the delay of injected faults. Returns early if the client disconnects, or the
    /// server shuts down.
    func delay(_ request: CloudServices.Request) async throws {
      guard request.latency > 0 else { return }
      let end = Platform.monotonicMilliseconds + request.latency
      while !request.patience.interruption.isRaised, !server.isEnding,
        case let left = end - Platform.monotonicMilliseconds, left > 0
      {
        try await Task.sleep(for: .milliseconds(min(left, 100)))
      }
    }

    private func answerAtOnce(_ call: Call, _ endpoint: Endpoint) async throws -> Answer {
      let (container, environment) = (call.container, call.environment)
      let work: @Sendable (CloudEnvironment) throws -> Answer = { environment in
        try endpoint.run(call, try environment.database(call.scope))
      }
      switch endpoint.access {
      case .fetching where call.bodyBytes <= Self.briefBytes:
        let answer = try server.environments.atOnce(
          container, environment, for: call.request, work)
        if let answer { return answer }
        fallthrough
      case .fetching, .reading:
        return try await server.onThreads {
          try server.environments.with(container, environment, for: call.request, work)
        }
      case .writing:
        guard !server.settings.isReadOnly else {
          throw WireFailure(.accessDenied, "the server is read-only")
        }
        return try await server.lanes.lane(container, environment).write(for: call.request, work)
      }
    }

    /// A request to the services, wanted until its connection ends or the server must.
    func request(
      for account: Account?, _ target: RequestTarget?, _ channel: any NIOCore.Channel
    ) -> CloudServices.Request {
      var device = Device(stored: "web")
      if let client = target?["clientId"], let named = try? Device("web-\(client)") {
        device = named
      }
      let server = server
      return server.request(for: account, device: device) { channel.isActive && !server.stopsWork }
    }
  }
#endif
