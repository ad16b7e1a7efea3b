internal import Basics
package import CloudModel
package import CloudServices
internal import Fixtures
internal import Foundation

/// A store as a process's iCloud.
package final class Cloud: Sendable {
  /// The store.
  package let store: CloudStore
  /// The store's folder, which is removed with the last reference; nil for a store that stays.
  private let temporary: TemporaryStore?
  /// Whether a container comes into being when it is named.
  private let makesContainers: Bool
  /// The writes to the store.
  let writers = WorkLane()
  private let conditions: Locked<CloudConditions>
  private let assetCache = Locked<AssetCache?>(nil)

  private init(
    _ store: CloudStore, _ temporary: TemporaryStore?, makesContainers: Bool,
    _ conditions: CloudConditions
  ) {
    (self.store, self.temporary) = (store, temporary)
    self.makesContainers = makesContainers
    self.conditions = Locked(conditions)
  }

  /// Opens a store that exists, or creates one; it stays. A container that is missing is an error.
  package convenience init(
    at path: String, _ conditions: CloudConditions = CloudConditions(),
    makesContainers: Bool = false
  ) throws(CloudError) {
    let store = CloudStore(path: path)
    _ = try store.create()
    self.init(store, nil, makesContainers: makesContainers, conditions)
  }

  /// Creates an empty store in a temporary folder, which is removed with the last reference.
  package convenience init(temporary conditions: CloudConditions = CloudConditions()) throws {
    try self.init(temporary: conditions, filling: { _ = try $0.create() })
  }

  /// Creates a store in a temporary folder; `fill` creates it and what is in it.
  package convenience init(
    temporary conditions: CloudConditions, filling fill: (CloudStore) throws -> Void
  ) throws {
    let temporary = try TemporaryStore(in: TemporaryFolder.path)
    try fill(temporary.store)
    self.init(temporary.store, temporary, makesContainers: true, conditions)
    LivingClouds.shared.add(self)
  }

  /// Removes the folder of a temporary store, at the end of the process.
  func remove() { temporary?.remove() }

  // MARK: CloudConditions

  /// Reads what requests have in common.
  package func withConditions<T>(_ body: (inout CloudConditions) throws -> T) rethrows -> T {
    try conditions.withLock(body)
  }

  /// A request of an account on a device.
  package func request(
    of account: Account?, on device: Device
  ) -> Request {
    request(of: account, on: device, .never)
  }

  /// A request of an app: on a device as the account that is signed in there.
  func request(
    of account: Account?, on device: Device, _ cancellation: Cancellation
  ) throws(CloudError) -> Request {
    let settings = device == .cli ? nil : try store.device(device)
    let acting = settings.map(\.account) ?? account
    return request(of: acting, on: device, cancellation.interruption)
  }

  private func request(
    of account: Account?, on device: Device, _ interruption: Interruption
  ) -> Request {
    let conditions = conditions.withLock { $0 }
    return Request(
      account: account, device: device, fixedClock: conditions.clock,
      randomness: conditions.randomness,
      patience: Patience(milliseconds: conditions.waitMilliseconds, interruption: interruption),
      isStrict: conditions.isStrict)
  }

  // MARK: Containers

  /// Opens a container's environment, which a temporary cloud creates if it is missing. Throws
  /// `badContainer`.
  package func environment(
    _ id: ContainerID, for request: Request
  ) throws(CloudError) -> CloudEnvironment {
    let environment = conditions.withLock { $0.environment }
    store.noteChanges(of: nil)
    do {
      return try store.environment(id, environment, for: request)
    } catch {
      guard makesContainers, error.code == .badContainer else { throw error }
      _ = try store.create(id, for: request)
      return try store.environment(id, environment, for: request)
    }
  }

  /// Where fetched assets are copied.
  var assets: AssetCache {
    get throws(CloudError) {
      try assetCache.withLock { (cache) throws(CloudError) in
        if let cache { return cache }
        let made = try AssetCache(beside: temporary)
        cache = made
        return made
      }
    }
  }
}

/// The temporary clouds of the process. Their folders are removed at its end, when Swift releases
/// nothing.
private final class LivingClouds: Sendable {
  static let shared = LivingClouds()

  private let clouds = Locked<[Living]>([])

  private struct Living: Sendable {
    weak let cloud: Cloud?
  }

  private init() {
    atexit { LivingClouds.shared.removeAll() }
  }

  func add(_ cloud: Cloud) {
    clouds.withLock { clouds in
      clouds.removeAll { $0.cloud == nil }
      clouds.append(Living(cloud: cloud))
    }
  }

  private func removeAll() {
    for living in clouds.withLock({ $0 }) { living.cloud?.remove() }
  }
}
