internal import Basics
@_exported public import CloudKit
internal import CloudModel
internal import CloudServices
internal import Fixtures

/// A cloud for tests: iCloud with its accounts, their devices and their data, in a folder.
///
/// A temporary cloud is removed when nothing uses it any more, at the latest with the process.
///
/// ```swift
/// let cloud = try LocalCloud()
/// let ann = cloud.container("iCloud.org.example.app", account: "ann", device: "phone")
/// try await ann.privateCloudDatabase.save(CKRecord(recordType: "Note"))
/// ```
public final class LocalCloud: Sendable {
  let cloud: Cloud

  /// Creates an empty temporary cloud.
  public init() throws {
    cloud = try ckErrors { try Cloud(temporary: CloudConditions()) }
  }

  /// Creates a temporary cloud with the data of a fixture file or of a directory of fixtures. What
  /// was loaded before is copied from a cache. Throws `FixtureError` for faults of the fixture.
  public init(fixture: URL) throws { cloud = try FixtureCloud([fixture]).make() }

  /// Creates a temporary cloud with the data of several fixtures.
  public init(fixtures: [URL]) throws { cloud = try FixtureCloud(fixtures).make() }

  /// Opens the cloud in a directory, or creates one there. It stays.
  public init(at directory: URL) throws {
    cloud = try ckErrors { try Cloud(at: directory.path, makesContainers: true) }
  }

  private init(_ cloud: Cloud) { self.cloud = cloud }

  /// The cloud of the process, which code uses that names none: the store of `CKDB_STORE`, else a
  /// temporary one. Throws the `CKError` of its first use.
  public static var shared: LocalCloud {
    get throws { LocalCloud(try ckErrors { try ActingClient.cloudOfProcess() }) }
  }

  /// The directory of the cloud's store, for the command line: `ckdb --store DIRECTORY`.
  public var directory: URL { URL(fileURLWithPath: cloud.store.path, isDirectory: true) }

  // MARK: Acting

  /// The container of an app of an account; nil acts without an account. An app on a device acts as
  /// the account that is signed in there, at first this one.
  public func container(
    _ identifier: String, account: String? = "me", device: String? = nil
  ) -> CKContainer {
    let actor = actor(account, device)
    return CKContainer(identifier, in: cloud, as: actor.account, on: actor.device)
  }

  /// The key-value store of an app of an account on a device. It synchronizes by itself.
  public func keyValueStore(
    _ container: String, account: String? = "me", device: String? = nil
  ) -> NSUbiquitousKeyValueStore {
    let actor = actor(account, device)
    return NSUbiquitousKeyValueStore(container, in: cloud, as: actor.account, on: actor.device)
  }

  /// Runs code as an account on a device: containers that it makes, or gets by
  /// `CKContainer.default()`, are those of the account, also later.
  public func run<T>(
    as account: String?, device: String? = nil, container: String? = nil,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
  ) async rethrows -> T {
    let actor = actor(account, device)
    let client = ActingClient(
      in: cloud, as: actor.account, on: actor.device, container: container)
    return try await client.run(body)
  }

  func actor(_ account: String?, _ device: String?) -> (account: Account?, device: Device) {
    do throws(CloudError) {
      let known = try account.map { (name) throws(CloudError) in try Account(name) }
      guard let device else { return (known, .cli) }
      let named = try Device(device)
      if try cloud.store.device(named) == nil {
        _ = try cloud.store.add(named, NamedDevice(account: known))
      }
      return (known, named)
    } catch { preconditionFailure(error.message) }
  }

  // MARK: Time

  /// The fixed time of the cloud; nil for the system's clock.
  public var now: Date? {
    get {
      cloud.withConditions { conditions in
        conditions.clock.map {
          Date(timeIntervalSince1970: Double($0.milliseconds) / 1000)
        }
      }
    }
    set {
      cloud.withConditions { $0.clock = newValue?.timestamp }
    }
  }

  /// Moves the clock on, and stops it.
  public func advance(by seconds: TimeInterval) {
    cloud.withConditions { conditions in
      let now = conditions.clock?.milliseconds ?? Date().timestamp.milliseconds
      conditions.clock = Timestamp(milliseconds: now + Int64((seconds * 1000).rounded()))
    }
  }

  // MARK: Rules

  /// Whether to refuse what CloudKit would refuse but a local cloud need not, such as a query of a
  /// field without an index.
  public var isStrict: Bool {
    get { cloud.withConditions { $0.isStrict } }
    set { cloud.withConditions { $0.isStrict = newValue } }
  }

  /// Whether containers are used as in production, where saves do not change the schema.
  public var isInProduction: Bool {
    get { cloud.withConditions { $0.environment == .production } }
    set { cloud.withConditions { $0.environment = newValue ? .production : .development } }
  }

  /// A seed for all that is random; nil for the system's randomness.
  public var seed: UInt64? {
    get {
      cloud.withConditions { if case .seeded(let seed) = $0.randomness { seed } else { nil } }
    }
    set {
      cloud.withConditions { $0.randomness = newValue.map { .seeded($0) } ?? .system }
    }
  }

  /// A request of the cloud's owner.
  var request: Request { cloud.request(of: nil, on: .cli) }
}

extension Date {
  var timestamp: Timestamp {
    Timestamp(milliseconds: Int64((timeIntervalSince1970 * 1000).rounded()))
  }
}

/// Runs `body`, and throws its errors as `CKError`s, those of fixtures as they are.
func ckErrors<T>(_ body: () throws -> T) throws -> T {
  do { return try body() } catch let error as FixtureError { throw error } catch {
    throw CKError(any: error)
  }
}
