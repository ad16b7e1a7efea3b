#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import Dashboard
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import NIOCore

  /// Answers the requests of a connection, one after the other.
  struct RequestHandler: Sendable {
    let server: WebServer

    /// The most bytes of a body that is JSON.
    static let bodyBytes = 10 << 20

    /// Answers a request.
    @concurrent func handle(
      _ request: HummingbirdCore.Request, _ writer: consuming ResponseWriter,
      _ channel: any NIOCore.Channel
    ) async throws {
      let began = Platform.monotonicMicroseconds
      var visit = Visit(request.head)
      var answer: Answer
      do {
        answer = try await self.answer(request, channel, &visit)
      } catch let error where error is WireFailure || error is CloudError || error is SystemError {
        answer = failed(error, visit)
      } catch is CancellationError {
        answer = failed(WireFailure(.tryAgainLater, "the server ends"), visit)
      }
      complete(&answer, visit)
      note(answer, visit, since: began)
      if answer.isSilent { throw ConnectionCut() }
      let head = HTTPResponse(status: .init(code: answer.status), headerFields: answer.headers)
      try await writer.write(response: head, body: answer.body)
    }

    private func failed(_ error: any Error, _ visit: Visit) -> Answer {
      var failure = WireFailure(any: error)
      if failure.status == 421, failure.redirectURL == nil { failure.redirectURL = visit.signInURL }
      return failure.answer(visit.id)
    }

    // MARK: Routes

    private func answer(
      _ request: HummingbirdCore.Request, _ channel: any NIOCore.Channel, _ visit: inout Visit
    ) async throws -> Answer {
      let head = request.head
      let authority = try server.origins.authority(of: head, at: channel.localAddress)
      visit.base = server.origins.ownOrigin(authority) + server.settings.basePath
      let raw = head.path ?? "/"
      guard raw.utf8.count <= RequestTarget.mostBytes else {
        throw WireFailure(status: 414, "the target is too long", closes: true)
      }
      guard let target = RequestTarget(raw) else {
        throw WireFailure(status: 400, "the target has an invalid escape", closes: true)
      }
      guard let below = target.parts(below: server.settings.basePath) else {
        throw Self.unknown(head, target)
      }
      let parts = Array(below)
      visit.path = target.path
      switch parts.first {
      case "database"? where parts.count >= 2 && parts[1] == "1":
        return try await database(request, parts, target, channel, &visit)
      case "healthz"? where parts.count == 1, "readyz"? where parts.count == 1:
        return try health(head, target, visit)
      default:
        return try await withTaskExecutorPreference(server.threads) {
          try await other(request, parts, target, channel, &visit)
        }
      }
    }

    /// Probes are answered even while all threads are busy.
    private func health(
      _ head: HTTPRequest, _ target: RequestTarget, _ visit: Visit
    ) throws -> Answer {
      guard head.isReading else { throw Self.unknown(head, target) }
      try requirePlain(head, visit)
      return Answer(text: "ok\n", type: "text/plain")
    }

    /// Answers everything outside of the databases, on the store's threads.
    @concurrent @inline(never) private func other(
      _ request: HummingbirdCore.Request, _ parts: [String], _ target: RequestTarget,
      _ channel: any NIOCore.Channel, _ visit: inout Visit
    ) async throws -> Answer {
      switch parts.first {
      case "assets"?:
        return try await asset(request, parts, channel, &visit)
      case "device"? where parts.count >= 2 && parts[1] == "1":
        return try await device(request, parts, target, channel, &visit)
      case "ckdb"? where parts.count >= 3 && parts[1] == "1":
        visit.endpoint = "ckdb"
        try requirePlain(request.head, visit)
        let body = try await body(of: request, upTo: Self.fixtureBytes)
        return try await ControlHandler(server: server).answer(
          request.head.method, parts[2...].joined(separator: "/"), request.headers, body)
      default: return try await page(request, parts, target, channel, &visit)
      }
    }

    /// The most bytes of a fixture.
    private static let fixtureBytes = 100 << 20

    /// Answers pages and descriptions: everything outside Web Services and `/ckdb`.
    private func page(
      _ request: HummingbirdCore.Request, _ parts: [String], _ target: RequestTarget,
      _ channel: any NIOCore.Channel, _ visit: inout Visit
    ) async throws -> Answer {
      let (head, isReading) = (request.head, request.head.isReading)
      switch parts.count == 1 ? parts[0] : "" {
      case "sign-in" where isReading:
        // Pages of other sites open it.
        return try SignInPage(target, server, for: channel.remoteAddress).page()
      case "sign-in" where head.method == .post:
        try requireOwnForm(head, visit)
        let form = try await body(of: request, upTo: 4096)
        return try SignInPage(target, server, for: channel.remoteAddress).answer(form)
      case "sign-in.js" where isReading:
        return Answer(text: SignInPage.script, type: "text/javascript; charset=UTF-8")
      case "metrics" where isReading:
        try requirePlain(head, visit)
        return Answer(text: server.metrics.text, type: "text/plain; version=0.0.4")
      case "openapi.json" where isReading:
        try requirePlain(head, visit)
        return Answer(json: Array(OpenAPI(base: visit.base).text.utf8))
      default:
        guard Dashboard.has(parts) else { throw Self.unknown(head, target) }
        return try await dashboard(request, parts, target, channel, &visit)
      }
    }

    /// A form must come from a page of this server.
    func requireOwnForm(_ head: HTTPRequest, _ visit: Visit) throws(WireFailure) {
      guard head.headerFields[.origin].map({ $0 == visit.origin }) ?? false,
        !head.headerFields.isCrossSite
      else { throw WireFailure(.accessDenied, "the form is not one of this server", closes: true) }
    }

    // MARK: Devices

    private func device(
      _ request: HummingbirdCore.Request, _ parts: [String], _ target: RequestTarget,
      _ channel: any NIOCore.Channel, _ visit: inout Visit
    ) async throws -> Answer {
      let head = request.head
      if parts.count == 4, parts[2] == "courier" {
        visit.path = "/device/1/courier"
        visit.endpoint = "courier"
        // The ticket gives access; its page may be on any allowed origin.
        try checkOrigin(head.headerFields, nil, &visit, anyToken: true)
        guard head.method == .get else { return Answer() }
        return try await DeviceHandler.poll(parts[3], server) { channel.isActive }
      }
      guard parts.count == 6, parts[4] == "tokens", ["create", "register"].contains(parts[5])
      else { throw Self.unknown(head, target) }
      let isCreating = parts[5] == "create"
      visit.endpoint = "tokens/\(parts[5])"
      let place = try await place(
        request, parts[2], parts[3], target, channel, &visit,
        takes: { $0 == .post ? nil : Self.unknown(head, target) })
      guard let place else { return Answer() }
      let handler = DeviceHandler(
        server: server, container: place.container, environment: place.environment,
        base: visit.base)
      return try isCreating ? handler.createToken(place) : handler.registerToken(place)
    }

    /// In the service's words (W10.5).
    static func unknown(_ head: HTTPRequest, _ target: RequestTarget) -> WireFailure {
      let name = target.parts.suffix(2).joined(separator: "/").truncated(toColumns: 80).visible
      return WireFailure(
        .notFound, "could not find handler for endpoint '\(head.method.rawValue) \(name)'")
    }

    /// Pages of other sites may use Web Services only (T3).
    func requirePlain(_ head: HTTPRequest, _ visit: Visit) throws(WireFailure) {
      let origin = head.headerFields[.origin]
      let isOwn = origin == nil || visit.base.hasPrefix(origin ?? "")
      guard isOwn, !head.headerFields.isCrossSite else {
        throw WireFailure(.accessDenied, "the origin is not allowed", closes: true)
      }
    }

    /// Collects a body. Throws `WireFailure` for one that is too large, as soon as that is known.
    func body(
      of request: HummingbirdCore.Request, upTo limit: Int
    ) async throws -> [UInt8] {
      let tooLarge = WireFailure(status: 413, "the body has more than \(limit) bytes", closes: true)
      if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
        throw tooLarge
      }
      var bytes: [UInt8] = []
      for try await piece in request.body {
        guard bytes.count + piece.readableBytes <= limit else { throw tooLarge }
        bytes.append(contentsOf: piece.readableBytesView)
      }
      return bytes
    }

    // MARK: Origins

    /// Refuses pages of other origins before their bodies are read (T2, T3), and lets those that
    /// are allowed read the answer (W1.4).
    func checkOrigin(
      _ headers: HTTPFields, _ token: APIToken?, _ visit: inout Visit, anyToken: Bool = false
    ) throws {
      guard let origin = headers[.origin] else {
        if headers.isCrossSite {
          throw WireFailure(.accessDenied, "the origin is not allowed", closes: true)
        }
        return
      }
      let isOfToken =
        try anyToken && server.store.apiTokens().contains { $0.origins.contains(origin) }
      guard origin == visit.origin || isOfToken || server.origins.allows(origin, by: token) else {
        throw WireFailure(.accessDenied, "the origin is not allowed", closes: true)
      }
      visit.allowedOrigin = origin
    }

    // MARK: Answers

    private func complete(_ answer: inout Answer, _ visit: Visit) {
      answer.headers[.requestID] = visit.id.text
      if answer.status == 405, answer.headers[.allow] == nil { answer.headers[.allow] = "OPTIONS" }
      if answer.headers[.contentTypeOptions] == nil {
        answer.headers[.contentTypeOptions] = "nosniff"
      }
      if answer.headers[.contentLength] == nil, let length = answer.body.contentLength {
        answer.headers[.contentLength] = String(length)
      }
      if answer.headers[.contentSecurityPolicy] == nil {
        answer.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
      }
      if visit.method == "HEAD" { answer.body = ResponseBody() }
      if let token = visit.renewedToken { answer.headers[.webAuthToken] = token }
      guard let origin = visit.allowedOrigin else { return }
      answer.headers[.accessControlAllowOrigin] = origin
      answer.headers[.vary] = "Origin"
      answer.headers[.accessControlExposeHeaders] =
        "X-Apple-CloudKit-Web-Auth-Token, X-Apple-Request-UUID"
      if visit.isPreflight {
        answer.headers[.accessControlAllowMethods] = "GET, POST, PUT, DELETE"
        answer.headers[.accessControlAllowHeaders] =
          "Content-Type, X-Apple-CloudKit-Request-KeyID, "
          + "X-Apple-CloudKit-Request-ISO8601Date, X-Apple-CloudKit-Request-SignatureV1"
        answer.headers[.accessControlMaxAge] = "600"
      }
    }

    private func note(_ answer: Answer, _ visit: Visit, since began: Int64) {
      let record = RequestRecord(
        id: visit.id, method: visit.method, path: visit.path, place: visit.place,
        endpoint: visit.endpoint,
        status: answer.status, failure: answer.failure, reason: answer.reason,
        caller: visit.caller?.text,
        request: visit.call,
        answer: answer.json.flatMap { $0.count <= RequestRecord.keptBytes ? $0 : nil },
        faults: visit.served.flatMap(\.faultNumbers),
        microseconds: Platform.monotonicMicroseconds - began,
        at: Timestamp(milliseconds: Platform.wallClockMilliseconds))
      let number = server.records.add(record)
      server.metrics.add(record)
      server.trafficCounter.add(record, number)
      server.log.write(record)
    }
  }

  extension HTTPRequest {
    /// Whether the request only reads.
    var isReading: Bool { method == .get || method == .head }
  }
#endif
