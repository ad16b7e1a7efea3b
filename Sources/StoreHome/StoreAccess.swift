public import Basics
public import CloudModel
public import StoreFiles

/// Who may use a store over HTTP: API tokens, server-to-server keys, and the secret that signs web
/// auth tokens.
///
/// It lies outside of the containers: tokens and keys survive the restore of a snapshot, and copies
/// of the store have none.
public struct StoreAccess: Sendable, Equatable {
  /// The API tokens, oldest first.
  public var tokens: [APIToken] = []
  /// The keys, oldest first.
  public var keys: [ServerKey] = []
  /// The secret, 32 random bytes; empty before the first change.
  public var secret: [UInt8] = []

  /// No access.
  public init() {}

  /// Reads the output of `json`; nil for anything else: a token that cannot be read would be lost
  /// with the next change.
  init?(_ json: JSONValue) {
    guard let tokens = json["tokens"]?.array, let keys = json["keys"]?.array,
      let secret = json["secret"]?.string.flatMap({ Base64.decode($0) })
    else { return nil }
    self.tokens = tokens.compactMap { APIToken($0) }
    self.keys = keys.compactMap { ServerKey($0) }
    self.secret = secret
    guard self.tokens.count == tokens.count, self.keys.count == keys.count else { return nil }
  }

  var json: JSONValue {
    .object([
      JSONMember("secret", .string(Base64.encode(secret))),
      JSONMember("tokens", .array(tokens.map(\.json))),
      JSONMember("keys", .array(keys.map(\.json))),
    ])
  }
}

// MARK: JSON

/// The members that tokens and keys have in common.
private struct Scope {
  let container: ContainerID
  let environment: Environment
  let created: Timestamp

  init?(_ json: JSONValue) {
    guard let name = json["container"]?.string, let container = try? ContainerID(name),
      let environment = json["environment"]?.string.flatMap({ Environment(rawValue: $0) }),
      case .int(let created)? = json["created"]
    else { return nil }
    (self.container, self.environment) = (container, environment)
    self.created = Timestamp(milliseconds: created)
  }

  static func members(
    _ container: ContainerID, _ environment: Environment, _ created: Timestamp, _ name: String?
  ) -> [JSONMember] {
    [
      JSONMember("container", .string(container.text)),
      JSONMember("environment", .string(environment.rawValue)),
      JSONMember("created", .int(created.milliseconds)),
    ] + (name.map { [JSONMember("name", .string($0))] } ?? [])
  }
}

extension APIToken {
  fileprivate convenience init?(_ json: JSONValue) {
    guard let scope = Scope(json), let text = json["token"]?.string else { return nil }
    self.init(
      text, name: json["name"]?.string, container: scope.container,
      environment: scope.environment,
      origins: (json["origins"]?.array ?? []).compactMap(\.string),
      callback: json["callback"]?.string, created: scope.created)
  }

  fileprivate var json: JSONValue {
    var members = [JSONMember("token", .string(text))]
    members += Scope.members(container, environment, created, name)
    if !origins.isEmpty {
      members.append(JSONMember("origins", .array(origins.map { .string($0) })))
    }
    if let callback { members.append(JSONMember("callback", .string(callback))) }
    return .object(members)
  }
}

extension ServerKey {
  fileprivate init?(_ json: JSONValue) {
    guard let scope = Scope(json), let id = json["id"]?.string,
      let publicKey = json["publicKey"]?.string.flatMap({ Base64.decode($0) })
    else { return nil }
    self.init(
      id, name: json["name"]?.string, container: scope.container,
      environment: scope.environment, publicKey: publicKey, created: scope.created)
  }

  fileprivate var json: JSONValue {
    .object(
      [
        JSONMember("id", .string(id)),
        JSONMember("publicKey", .string(Base64.encode(publicKey))),
      ] + Scope.members(container, environment, created, name))
  }
}

// MARK: The file

extension StoreDirectory {
  var accessPath: String { path + "/access.json" }

  /// The current version of the file.
  public var accessVersion: FileSystem.Version? { FileSystem.version(of: accessPath) }

  /// Who may use the store over HTTP.
  public func access() throws(StoreError) -> StoreAccess {
    guard let json = try settingsFile(accessPath) else { return StoreAccess() }
    guard let access = StoreAccess(json) else {
      throw StoreError(.corrupt, "\(accessPath) is damaged")
    }
    return access
  }

  /// Changes who may use the store over HTTP, one process at a time; the first change makes the
  /// secret, so that no later request has to wait for another process. Throws `StoreError`, and the
  /// errors of `work`, which then changes nothing.
  public func changeAccess(_ work: (inout StoreAccess) throws -> Void) throws {
    let lock = try containersLock(settingsPatience)
    defer { lock.unlock() }
    let known = try access()
    var access = known
    try work(&access)
    if access.secret.isEmpty { access.secret = SystemRandom.bytes(32) }
    if access != known { try save(access.json, to: accessPath) }
  }
}
