/// What carries requests to a server. Its methods wait for the answer, and threads may share it.
public protocol RemoteTransport: Sendable {
  /// Sends a request. Throws `RemoteFailure` if no answer arrives.
  func send(_ request: RemoteRequest) throws(RemoteFailure) -> RemoteResponse

  /// Writes the body of an answer with status 200 to a new file; other answers have their body.
  func download(_ url: String, to path: String) throws(RemoteFailure) -> RemoteResponse

  /// Sends a file as the body of a POST.
  func upload(_ path: String, to url: String) throws(RemoteFailure) -> RemoteResponse

  /// The ECDSA signature, in DER, of the SHA-256 of a message by a key on P-256 in PEM.
  func signature(of message: [UInt8], by key: String) throws(RemoteFailure) -> [UInt8]
}

/// A request to a server.
public struct RemoteRequest: Sendable {
  /// The method.
  public var method: String
  /// The address.
  public var url: String
  /// The header fields.
  public var headers: [(name: String, value: String)]
  /// The body.
  public var body: [UInt8]

  /// Creates a request.
  public init(
    _ method: String, _ url: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
  }
}

/// The answer of a server.
public struct RemoteResponse: Sendable {
  /// The status.
  public var status: Int
  /// The header fields, with names in lower case.
  public var headers: [String: String]
  /// The body.
  public var body: [UInt8]

  /// Creates an answer.
  public init(_ status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}

/// A request without an answer.
public struct RemoteFailure: Error, Sendable {
  /// What is known of the request.
  public var kind: Kind
  /// The reason.
  public var reason: String

  /// Creates a failure.
  public init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }

  /// What is known of the request.
  public enum Kind: Sendable {
    /// The server has not got it.
    case notSent
    /// The server may have done it.
    case unknown
    /// It will fail again: the server's certificate, a key that cannot be read.
    case permanent
    /// The command was interrupted.
    case interrupted
  }
}
