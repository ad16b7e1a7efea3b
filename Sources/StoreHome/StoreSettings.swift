public import Basics
public import CloudModel
internal import FieldCodecs

/// The contents of `store.json`, for all commands.
public struct StoreSettings: Sendable {
  /// The values that `ckdb use` saved, in their order.
  public var context = SavedContext()
  /// The queries that have names, in byte order of these.
  public var queries: [SavedQuery] = []
  /// The accounts with settings, by name.
  public var accounts: [String: AccountSettings] = [:]
  /// The collations of containers, by their identifiers.
  public var stringCompare: [String: StringCompare] = [:]

  /// The requested faults, oldest first.
  public var faults: [FaultRule] = []

  /// The quotas of public databases in bytes, by container.
  public var publicQuotas: [String: Int64] = [:]

  /// The numbers of the last changes of deleted environments, by container and environment: their
  /// successors continue after these.
  public var endedAt: SmallMap<String, SmallMap<Environment, Int64>> = [:]

  /// The settings of an account.
  public struct AccountSettings: Sendable, Equatable {
    /// Its status.
    public var status = AccountStatus.available
    /// The quota of its private databases in bytes; nil for none.
    public var quota: Int64?
    /// Where its data is restricted.
    public var restrictions: Set<Restriction> = []

    /// An environment of a container.
    public struct Restriction: Sendable, Hashable {
      /// The container's identifier.
      public let container: String
      /// The environment.
      public let environment: Environment

      /// Names an environment.
      public init(_ container: ContainerID, _ environment: Environment) {
        (self.container, self.environment) = (container.text, environment)
      }

      fileprivate init?(_ json: JSONValue) {
        guard let parts = json.array, parts.count == 2, let container = parts[0].string,
          let environment = parts[1].string.flatMap({ Environment(rawValue: $0) })
        else { return nil }
        (self.container, self.environment) = (container, environment)
      }

      fileprivate var texts: [String] { [container, environment.rawValue] }
    }

    /// The values of a new store.
    public init() {}
  }

  /// The settings of a new store.
  public init() {}

  init(_ json: JSONValue) {
    if case .object(let members)? = json["context"] {
      for member in members { context[member.name] = member.value.string }
    }
    queries = (json["queries"]?.array ?? []).compactMap { SavedQuery($0) }
    if case .object(let members)? = json["stringCompare"] {
      for member in members {
        stringCompare[member.name] = member.value.string.flatMap { StringCompare(rawValue: $0) }
      }
    }
    faults = (json["faults"]?.array ?? []).compactMap { FaultRule($0) }
    if case .object(let members)? = json["publicQuota"] {
      for case (let name, .int(let bytes)) in members.map({ ($0.name, $0.value) }) {
        publicQuotas[name] = bytes
      }
    }
    if case .object(let members)? = json["ended"] {
      for member in members {
        for environment in Environment.allCases {
          guard case .int(let sequence)? = member.value[environment.rawValue] else { continue }
          noteEnd(of: member.name, environment, at: sequence)
        }
      }
    }
    guard case .object(let members)? = json["accounts"] else { return }
    for member in members {
      var account = AccountSettings()
      if let status = member.value["status"]?.string.flatMap({ AccountStatus(name: $0) }) {
        account.status = status
      }
      if case .int(let bytes)? = member.value["quota"] { account.quota = bytes }
      let restrictions = member.value["restricted"]?.array ?? []
      account.restrictions = Set(restrictions.compactMap { AccountSettings.Restriction($0) })
      accounts[member.name] = account
    }
  }

  /// Removes the settings of a deleted container; returns false if there were none.
  public mutating func forget(_ id: ContainerID) -> Bool {
    var isKnown = stringCompare.removeValue(forKey: id.text) != nil
    if publicQuotas.removeValue(forKey: id.text) != nil { isKnown = true }
    for (name, account) in accounts {
      let others = account.restrictions.filter { $0.container != id.text }
      if others.count == account.restrictions.count { continue }
      accounts[name]?.restrictions = others
      isKnown = true
    }
    return isKnown
  }

  /// Remembers the last number of an environment that is deleted.
  mutating func noteEnd(of container: String, _ environment: Environment, at sequence: Int64) {
    let known = endedAt[container]?[environment] ?? 0
    if sequence > known { endedAt[container, default: [:]][environment] = sequence }
  }

  func json(format: Int64) -> JSONValue {
    var members = [
      JSONMember("format", .int(format)),
      JSONMember(
        "context", .object(context.entries.map { JSONMember($0.key, .string($0.value)) })),
    ]
    let kept = accounts.filter { $0.value != AccountSettings() }
      .sorted { utf8Precedes($0.key, $1.key) }
    if !kept.isEmpty {
      members.append(
        JSONMember("accounts", .object(kept.map { JSONMember($0.key, $0.value.json) })))
    }
    let compare = stringCompare.filter { $0.value != .caseSensitive }
      .sorted { utf8Precedes($0.key, $1.key) }
    if !compare.isEmpty {
      members.append(
        JSONMember(
          "stringCompare",
          .object(compare.map { JSONMember($0.key, .string($0.value.rawValue)) })))
    }
    if !publicQuotas.isEmpty {
      let quotas = publicQuotas.sorted { utf8Precedes($0.key, $1.key) }
      members.append(
        JSONMember("publicQuota", .object(quotas.map { JSONMember($0.key, .int($0.value)) })))
    }
    if !endedAt.isEmpty {
      let containers = endedAt.entries.sorted { utf8Precedes($0.key, $1.key) }
      members.append(
        JSONMember(
          "ended",
          .object(
            containers.map { container, ends in
              JSONMember(
                container,
                .object(
                  Environment.allCases.compactMap { environment in
                    ends[environment].map { JSONMember(environment.rawValue, .int($0)) }
                  }))
            })))
    }
    if !queries.isEmpty { members.append(JSONMember("queries", .array(queries.map(\.json)))) }
    if !faults.isEmpty { members.append(JSONMember("faults", .array(faults.map(\.json)))) }
    return .object(members)
  }
}

extension StoreSettings.AccountSettings {
  fileprivate var json: JSONValue {
    var members: [JSONMember] = []
    if status != .available { members.append(JSONMember("status", .string(status.name))) }
    if let quota { members.append(JSONMember("quota", .int(quota))) }
    if !restrictions.isEmpty {
      let all = restrictions.map(\.texts).sorted {
        $0.lexicographicallyPrecedes($1, by: utf8Precedes)
      }
      members.append(
        JSONMember("restricted", .array(all.map { .array($0.map { .string($0) }) })))
    }
    return .object(members)
  }
}
