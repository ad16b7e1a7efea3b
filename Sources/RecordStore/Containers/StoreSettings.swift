public import Basics
public import CloudModel

/// What `store.json` keeps for all commands.
public struct StoreSettings: Sendable {
  /// The values that `ckdb use` saved, in their order.
  public var context: [JSONMember] = []
  /// The accounts of which something is kept, by name.
  public var accounts: [String: AccountSettings] = [:]

  /// What is kept of an account.
  public struct AccountSettings: Sendable, Equatable {
    /// How it stands.
    public var status = AccountStatus.available
    /// How many bytes its private databases may hold; nil for any number.
    public var quota: Int64?

    /// What holds where nothing is kept.
    public init() {}
  }

  /// Nothing but a context.
  public init(context: [JSONMember] = []) { self.context = context }

  init(_ json: JSONValue) {
    if case .object(let members)? = json["context"] { context = members }
    guard case .object(let members)? = json["accounts"] else { return }
    for member in members {
      var account = AccountSettings()
      if let status = member.value["status"]?.string.flatMap({ AccountStatus(name: $0) }) {
        account.status = status
      }
      if case .int(let bytes)? = member.value["quota"] { account.quota = bytes }
      accounts[member.name] = account
    }
  }

  func json(format: Int64) -> JSONValue {
    var members = [
      JSONMember("format", .int(format)), JSONMember("context", .object(context)),
    ]
    let kept = accounts.filter { $0.value != AccountSettings() }
      .sorted { utf8Precedes($0.key, $1.key) }
    if !kept.isEmpty {
      members.append(
        JSONMember("accounts", .object(kept.map { JSONMember($0.key, $0.value.json) })))
    }
    return .object(members)
  }
}

extension StoreSettings.AccountSettings {
  fileprivate var json: JSONValue {
    var members: [JSONMember] = []
    if status != .available { members.append(JSONMember("status", .string(status.name))) }
    if let quota { members.append(JSONMember("quota", .int(quota))) }
    return .object(members)
  }
}
