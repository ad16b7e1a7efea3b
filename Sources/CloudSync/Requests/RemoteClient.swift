public import Basics
internal import CloudModel
internal import Synchronization
internal import WireFormat

/// Sends requests to the container of a remote, signs them, and repeats those that may be repeated.
public final class RemoteClient: Sendable {
  let settings: RemoteSettings
  let transport: any RemoteTransport
  private let interruption: Interruption
  private let webAuthToken: Locked<String?>
  private let requests = Atomic<Int>(0)
  private let clock = Locked<Int64?>(nil)
  private let hasAnswered = Atomic<Bool>(false)
  private let waited = Locked<@Sendable (Double, String) -> Void>({ _, _ in })

  /// Creates a client.
  public init(
    _ settings: RemoteSettings, _ transport: any RemoteTransport, _ interruption: Interruption
  ) {
    (self.settings, self.transport) = (settings, transport)
    self.interruption = interruption
    if case .token(_, let token) = settings.credentials {
      webAuthToken = Locked(token)
    } else {
      webAuthToken = Locked(nil)
    }
  }

  /// How many requests were sent.
  public var requestCount: Int { requests.load(ordering: .relaxed) }

  /// Calls `report` before each wait, with its seconds and the reason.
  public func onWait(_ report: @escaping @Sendable (Double, String) -> Void) {
    waited.withLock { $0 = report }
  }

  /// The settings with the last token that the server gave.
  public var currentSettings: RemoteSettings {
    var settings = settings
    if case .token(let token, _) = settings.credentials {
      settings.credentials = .token(token, webAuthToken: webAuthToken.withLock { $0 })
    }
    return settings
  }

  // MARK: Requests

  /// Sends a request that changes nothing, or that may be repeated, until there is an answer.
  /// Throws `CloudError`, `RemoteError`.
  func ask(
    _ database: DatabaseScope, _ action: String, _ body: [UInt8]?
  ) throws -> WireObject {
    try repeating { try self.object(self.once(database, action, body)) }
  }

  /// Sends a request for records, as `ask` does.
  func page(_ database: DatabaseScope, _ action: String, _ body: [UInt8]) throws -> RemotePage {
    try repeating {
      let response = try self.once(database, action, body)
      // The body of an error is an object like any other.
      guard response.status == 200, let page = try? RemotePage(response.body) else {
        _ = try self.object(response)
        throw RemoteFailure(.unknown, "the answer of \(self.host) is not JSON")
      }
      return page
    }
  }

  /// Sends a request that must not be done twice. Throws `RemoteFailure` of kind `unknown` if it
  /// may have been done.
  func tell(_ database: DatabaseScope, _ action: String, _ body: [UInt8]) throws -> WireObject {
    try repeating(evenIfDone: false) { try self.object(self.once(database, action, body)) }
  }

  /// Sends a request once.
  private func once(
    _ database: DatabaseScope, _ action: String, _ body: [UInt8]?
  ) throws -> RemoteResponse {
    let target = "\(subpath(database))/\(action)"
    var request = RemoteRequest(body == nil ? "GET" : "POST", "", body: body ?? [])
    request.url = settings.url + (try sign(&request, target))
    if body != nil { request.headers.append(("content-type", "application/json")) }
    requests.add(1, ordering: .relaxed)
    let response = try transport.send(request)
    hasAnswered.store(true, ordering: .relaxed)
    keepToken(response)
    keepTime(response)
    return response
  }

  private func subpath(_ database: DatabaseScope) -> String {
    "/database/1/\(settings.container.text)/\(settings.environment.rawValue)/\(database.name)"
  }

  /// Adds the signature, or the tokens, and returns the target of the request.
  private func sign(_ request: inout RemoteRequest, _ target: String) throws -> String {
    switch settings.credentials {
    case .key(let id, let pem):
      let now = Platform.wallClockMilliseconds / 1000 * 1000
      let date = CivilTime.format(milliseconds: now).replacingUTF8(".000Z", with: "Z")
      let hash = Base64.encode(SHA256.hash(request.body))
      let signature = try transport.signature(
        of: Array("\(date):\(hash):\(target)".utf8), by: pem)
      request.headers += [
        ("X-Apple-CloudKit-Request-KeyID", id),
        ("X-Apple-CloudKit-Request-ISO8601Date", date),
        ("X-Apple-CloudKit-Request-SignatureV1", Base64.encode(signature)),
      ]
      return target
    case .token(let token, _):
      var query = "?ckAPIToken=\(token.percentEncoded)"
      if let session = webAuthToken.withLock({ $0 }) {
        query += "&ckWebAuthToken=\(session.percentEncoded)"
      }
      return target + query
    }
  }

  /// Each answer has a new token; the former one stays valid (W10.1).
  private func keepToken(_ response: RemoteResponse) {
    guard let token = response.headers["x-apple-cloudkit-web-auth-token"], !token.isEmpty else {
      return
    }
    webAuthToken.withLock { if $0 != nil { $0 = token } }
  }

  /// The seconds by which this machine's clock is ahead of the server's; nil if it is not known.
  var clockDifference: Int64? { clock.withLock { $0 } }

  private func keepTime(_ response: RemoteResponse) {
    guard let time = response.headers["date"].flatMap({ HTTPDate.seconds($0) }) else { return }
    clock.withLock { $0 = Platform.wallClockMilliseconds / 1000 - time }
  }

  /// The object of an answer. Throws `RemoteError` for an answer that is an error.
  private func object(_ response: RemoteResponse) throws -> WireObject {
    if (300..<400).contains(response.status) {
      let place = response.headers["location"].map { ": \($0.withoutQuery)" } ?? ""
      throw RemoteError(status: response.status, "redirects are refused\(place)")
    }
    let object = try? response.body.withUnsafeBytes { try WireObject(body: $0) }
    guard let object else {
      guard response.status < 400 else {
        throw RemoteError(status: response.status, "the answer is not JSON")
      }
      // A proxy may have cut it, or put a page of its own in its place.
      throw RemoteFailure(.unknown, "the answer of \(host) is not JSON")
    }
    if let error = RemoteError(object, status: response.status) { throw error }
    if response.status >= 400 { throw RemoteError(status: response.status, "no reason") }
    return object
  }

  /// The host of the service, for messages.
  var host: String { settings.url.withoutQuery }

  // MARK: Repeating

  private static let attempts = 10
  private static let firstAttempts = 4
  private static let longestWait = 30.0
  /// The service may ask for this much patience, in seconds; more ends the command.
  private static let longestRetry = 600.0

  /// Does work again after failures that pass, as long as the service asks, or longer and longer.
  func repeating<T>(evenIfDone: Bool = true, _ work: () throws -> T) throws -> T {
    var attempt = 0
    while true {
      try checkInterrupt()
      attempt += 1
      do { return try work() } catch let error as RemoteError {
        let mayRepeat = error.isTemporary || evenIfDone && error.isServerFault
        let isPatient = (error.retryAfter ?? 0) <= Self.longestRetry
        guard mayRepeat, isPatient, attempt < Self.attempts else {
          if error.isServerFault, !error.isTemporary, !evenIfDone {
            throw RemoteFailure(.unknown, "\(error.code): \(error.reason)")
          }
          throw error
        }
        try wait(attempt, atLeast: error.retryAfter, error.code)
      } catch let failure as RemoteFailure {
        let mayRepeat = failure.kind == .notSent || evenIfDone && failure.kind == .unknown
        // A server that never answered is not there; one that did comes back.
        let attempts = hasAnswered.load(ordering: .relaxed) ? Self.attempts : Self.firstAttempts
        guard mayRepeat, attempt < attempts else { throw failure }
        try wait(attempt, atLeast: nil, failure.reason)
      }
    }
  }

  /// Waits before the next attempt. Chance keeps clients that failed together from coming back
  /// together.
  func wait(_ attempt: Int, atLeast least: Double?, _ reason: String) throws {
    let usual = min(Self.longestWait, 0.1 * Double(1 << min(attempt, 10)))
    let least = least.map { min($0, Self.longestRetry) }
    let seconds =
      if let least { least + Double.random(in: 0...0.1) * max(least, 0.1) } else {
        usual * Double.random(in: 0.5...1)
      }
    if seconds >= 1 { waited.withLock { $0 }(seconds, reason) }
    let end = Platform.monotonicMilliseconds + Int64(seconds * 1000)
    while case let left = end - Platform.monotonicMilliseconds, left > 0 {
      try checkInterrupt()
      Platform.sleep(milliseconds: min(left, 20))
    }
  }

  func checkInterrupt() throws {
    if interruption.isRaised { throw RemoteFailure(.interrupted, "interrupted") }
  }
}

extension String {
  /// The text as a value of a query.
  var percentEncoded: String {
    var text = ""
    for byte in utf8 {
      if byte.isIdentifierByte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + [byte].hexadecimal.uppercased()
      }
    }
    return text
  }

  /// An address without what may be secret.
  var withoutQuery: String { String(prefix { $0 != "?" && $0 != "#" }) }
}
