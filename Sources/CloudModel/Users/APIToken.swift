internal import Basics

/// An API token: lets an app that speaks HTTP use an environment of a container (web-services.md,
/// §2.1). Immutable, and an object: requests pass it on at the cost of one reference.
public final class APIToken: Sendable, Equatable {
  /// The token: 64 hexadecimal digits.
  public let text: String
  /// A name for people; nil for none.
  public let name: String?
  /// The container.
  public let container: ContainerID
  /// Development or production.
  public let environment: Environment
  /// The origins whose pages may use it; empty for pages of this machine.
  public let origins: [String]
  /// Where the sign-in page sends the browser; nil if it informs the page that opened it.
  public let callback: String?
  /// When it was created.
  public let created: Timestamp

  /// Creates a token.
  public init(
    _ text: String, name: String? = nil, container: ContainerID, environment: Environment,
    origins: [String] = [], callback: String? = nil, created: Timestamp
  ) {
    (self.text, self.name, self.container) = (text, name, container)
    (self.environment, self.origins, self.callback) = (environment, origins, callback)
    self.created = created
  }

  /// No two tokens have the same text.
  public static func == (one: APIToken, other: APIToken) -> Bool {
    utf8Equal(one.text, other.text)
  }
}

/// A server-to-server key: lets a program act as a user of its own in the public database of an
/// environment (web-services.md, §2.2).
public struct ServerKey: Sendable, Equatable {
  /// The key's ID: 64 hexadecimal digits.
  public var id: String
  /// A name for people; nil for none.
  public var name: String?
  /// The container.
  public var container: ContainerID
  /// Development or production: the same public key has another ID in each.
  public var environment: Environment
  /// The public key: a point of the curve P-256, uncompressed (X9.63), 65 bytes.
  public var publicKey: [UInt8]
  /// When it was added.
  public var created: Timestamp

  /// Creates a key.
  public init(
    _ id: String, name: String?, container: ContainerID, environment: Environment,
    publicKey: [UInt8], created: Timestamp
  ) {
    (self.id, self.name, self.container) = (id, name, container)
    (self.environment, self.publicKey, self.created) = (environment, publicKey, created)
  }

  /// The account that the key acts as. No other key has it.
  public var account: Account { Account(stored: "key-\(id.prefix(16))") }
}
