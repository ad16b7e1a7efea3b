internal import Basics
public import CloudModel

/// A server's container, and how to sign in there.
public struct RemoteSettings: Sendable, Equatable {
  /// The name on this machine.
  public var name: RemoteName
  /// The address of the service, without a path at its end.
  public var url: String
  /// The container there.
  public var container: ContainerID
  /// The environment there.
  public var environment: CloudModel.Environment
  /// How requests are signed.
  public var credentials: RemoteCredentials

  /// Apple's service.
  public static let appleURL = "https://api.apple-cloudkit.com"

  /// Creates the settings of a remote.
  public init(
    _ name: RemoteName, url: String, _ container: ContainerID,
    _ environment: CloudModel.Environment, _ credentials: RemoteCredentials
  ) {
    (self.name, self.url, self.container) = (name, url, container)
    (self.environment, self.credentials) = (environment, credentials)
  }
}

/// The name of a remote.
public struct RemoteName: Sendable, Hashable {
  /// The name.
  public let text: String

  /// Checks a name: letters, digits, `-`, `_` and `.`, but not first a `.` or `-`; at most 64.
  /// Throws `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    let isPlain = text.utf8.allSatisfy {
      $0.isIdentifierByte || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
    }
    guard isPlain, !text.isEmpty, text.utf8.count <= 64, !text.hasPrefix("."),
      !text.hasPrefix("-")
    else {
      throw CloudError(
        .invalidArguments,
        "not a name of a remote: '\(text.visible)' (letters, digits, '-', '_' and '.')")
    }
    self.text = text
  }
}

/// How requests to a server are signed. Nothing prints it.
public enum RemoteCredentials: Sendable, Equatable {
  /// A server-to-server key: its ID, and the private key in PEM. It reaches the public database.
  case key(id: String, pem: String)
  /// An API token, and the web auth token of a user who signed in.
  case token(String, webAuthToken: String?)

  /// Whether it reaches private databases.
  public var reachesPrivate: Bool {
    if case .token(_, .some) = self { true } else { false }
  }

  /// The kind, for people.
  public var kind: String {
    switch self {
    case .key: "key"
    case .token(_, nil): "API token"
    case .token: "API token and web auth token"
    }
  }
}
