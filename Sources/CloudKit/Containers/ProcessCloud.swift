internal import Basics
internal import CloudModel
internal import CloudServices
internal import Fixtures
internal import Foundation

/// The cloud of a process that names none: the store of the variable `CKDB_STORE`, else a temporary
/// one.
enum ProcessCloud {
  /// The cloud and who acts in it. Throws `missingEntitlement` for a store that is not temporary
  /// unless `CKDB_ALLOW_STORE` is 1.
  static let shared: Result<Defaults, CloudError> = Result {
    () throws(CloudError) in try read(ProcessInfo.processInfo.environment)
  }

  /// A cloud, and who acts in it by default.
  struct Defaults: Sendable {
    /// The cloud.
    let cloud: Cloud
    /// The account; nil if none is signed in.
    let account: Account?
    /// The device.
    let device: Device
    /// The container that is named; nil for none.
    let container: String?
  }

  private static func read(_ variables: [String: String]) throws(CloudError) -> Defaults {
    let variables = variables.filter { !$0.value.isEmpty }
    let store = variables["CKDB_STORE"]
    if let store, !TemporaryStore.isTemporary(store), variables["CKDB_ALLOW_STORE"] != "1" {
      throw CloudError(
        .missingEntitlement,
        "CKDB_STORE names the store \(store), which is not temporary: set CKDB_ALLOW_STORE=1 to "
          + "let this program use it, or unset CKDB_STORE")
    }
    var saved = SavedContext()
    if let store {
      let named = CloudStore(path: store)
      if named.exists { saved = try named.context() }
    }
    func text(_ variable: String, _ option: String) -> String? {
      variables[variable] ?? saved[option]
    }
    var conditions = CloudConditions()
    try read("CKDB_ENVIRONMENT", text("CKDB_ENVIRONMENT", "environment")) {
      conditions.environment = try Environment(rawValue: $0) ?? invalid()
    }
    try read("CKDB_CLOCK", text("CKDB_CLOCK", "clock")) {
      conditions.clock = try Timestamp($0) ?? invalid()
    }
    try read("CKDB_SEED", text("CKDB_SEED", "seed")) {
      conditions.randomness = .seeded(try UInt64($0) ?? invalid())
    }
    try read("CKDB_WAIT", text("CKDB_WAIT", "wait")) {
      guard let seconds = Double($0), seconds >= 0, seconds < 1e9 else { return try invalid() }
      conditions.waitMilliseconds = Int64(seconds * 1000)
    }
    conditions.isStrict = ["1", "true", "yes"].contains(text("CKDB_STRICT", "strict") ?? "")
    let user = text("CKDB_USER", "user") ?? "me"
    return Defaults(
      cloud: try cloud(store, conditions), account: user == "none" ? nil : try Account(user),
      device: try text("CKDB_DEVICE", "device").map { (name) throws(CloudError) in
        try Device(name)
      } ?? .cli,
      container: text("CKDB_CONTAINER", "container"))
  }

  private static func cloud(
    _ store: String?, _ conditions: CloudConditions
  ) throws(CloudError) -> Cloud {
    if let store { return try Cloud(at: store, conditions) }
    do { return try Cloud(temporary: conditions) } catch let error as CloudError {
      throw error
    } catch {
      throw CloudError(.internalError, "cannot make a temporary store: \(error)")
    }
  }

  private struct Invalid: Error {}

  private static func invalid<T>() throws -> T { throw Invalid() }

  /// Reads a setting. Throws `invalidArguments` for a text that it cannot have.
  private static func read(
    _ variable: String, _ text: String?, _ body: (String) throws -> Void
  ) throws(CloudError) {
    guard let text else { return }
    do { try body(text) } catch {
      throw CloudError(.invalidArguments, "\(variable) cannot be '\(text.visible)'")
    }
  }
}
