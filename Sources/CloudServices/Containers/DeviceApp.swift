internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles
internal import StoreHome
internal import UbiquityStore

/// An app on a device, using the keys (`KeyValueStore`) or documents (`DocumentStore`) of a
/// container. Only one thread may use it at a time.
public class DeviceApp {
  /// The container.
  public let container: ContainerID
  /// The request that uses it.
  public let request: Request
  let owner: CloudStore
  /// The settings of the device; nil for a device that was never used, and for `cli`.
  let settings: NamedDevice?
  private var opened: UbiquityStore?

  init(
    _ container: ContainerID, of owner: CloudStore, for request: Request, _ settings: NamedDevice?
  ) {
    (self.container, self.owner) = (container, owner)
    (self.request, self.settings) = (request, settings)
  }

  deinit { opened?.rest() }

  // MARK: Time and device

  /// The time on the device's clock.
  var now: Timestamp { now(on: settings) }

  func now(on device: NamedDevice?) -> Timestamp {
    Timestamp(milliseconds: request.now.milliseconds &+ (device?.clockOffset ?? 0))
  }

  // MARK: Transactions

  /// Runs `work` on one consistent state; nil if the store does not exist yet.
  func reading<T>(_ work: (UbiquityStore) throws -> T) throws(CloudError) -> T? {
    guard let store = try open() else { return nil }
    return try serving {
      try store.beginRead()
      defer { store.endRead() }
      return try work(store)
    }
  }

  /// Keeps the contents of documents in place while `work` runs.
  func holdingContents<T>(_ work: () throws -> T) throws -> T {
    guard let store = try open() else { return try work() }
    let hold = try serving { try store.holdAssets() }
    defer { hold?.unlock() }
    return try work()
  }

  /// Runs `work` in a transaction.
  func transaction<T>(_ work: (UbiquityStore) throws -> T) throws(CloudError) -> T {
    let store = try openOrMake()
    return try serving {
      try store.beginWrite()
      do {
        let result = try work(store)
        try store.commit()
        return result
      } catch {
        store.rollback()
        throw error
      }
    }
  }

  /// Adds the device when it is first used.
  func noteDevice() throws(CloudError) {
    guard settings == nil, request.device != .cli else { return }
    try owner.changePeople { people in
      if people.devices[request.device.name] == nil {
        people.devices[request.device.name] = NamedDevice(account: request.account)
      }
    }
  }

  // MARK: Files

  /// Returns the open store; nil if it does not exist yet.
  func open() throws(CloudError) -> UbiquityStore? {
    if let opened, opened.isCurrent {
      opened.serve(request.patience)
      return opened
    }
    guard try serving({ try owner.directory.hasUbiquityFolder(container) }) else { return nil }
    let folder = owner.directory.ubiquityFolder(container)
    let store = try serving {
      try UbiquityStore(folder: folder, patience: request.patience)
    }
    store.serve(request.patience)
    opened = store
    return store
  }

  /// Returns the open store, which is created if there is none.
  func openOrMake() throws(CloudError) -> UbiquityStore {
    if let store = try open() { return store }
    try serving {
      try owner.directory.makeUbiquityFolder(
        container, patience: request.patience
      ) { (folder) throws(StoreError) in try UbiquityStore.create(in: folder) }
    }
    guard let store = try open() else {
      throw CloudError(.internalError, "the files for keys and documents were not created")
    }
    return store
  }

  /// Throws `CloudError` if a page that was read is damaged.
  public func requireWholePages() throws(CloudError) {
    guard let opened, opened.isCurrent else { return }
    try serving { try opened.requireWholePages() }
  }
}

extension Timestamp {
  /// The time of a write that follows one on the same device: later than `known`, even if the clock
  /// does not advance. A clock that is slower than that loses (K29).
  func following(_ known: Timestamp?) -> Timestamp {
    guard let known, known >= self, known.milliseconds - milliseconds < Self.tickMilliseconds
    else { return self }
    return Timestamp(milliseconds: known.milliseconds + 1)
  }

  private static let tickMilliseconds: Int64 = 100
}

extension CloudStore {
  /// Copies the log of a container's keys and documents into their database and empties it. Throws
  /// `CloudError`, `zoneBusy` while a reader uses the log.
  public func checkpointKeysAndDocuments(of id: ContainerID, for request: Request)
    throws(CloudError)
  {
    guard let store = try DeviceApp(id, of: self, for: request, nil).open() else { return }
    guard try serving({ try store.checkpoint() }) else { throw .readLog }
  }

  /// Returns the settings of a request's device; nil for a device that was never used, and for
  /// `cli`. Throws `badContainer` for an unknown container, and `invalidArguments` if another
  /// account is signed in on the device.
  func requireDevice(of request: Request, in id: ContainerID) throws(CloudError) -> NamedDevice? {
    try require(id)
    guard request.device != .cli, let settings = try device(request.device) else { return nil }
    guard settings.account == request.account else {
      throw CloudError(
        .invalidArguments,
        settings.account.map { "\($0.name) is signed in on \(request.device.name)" }
          ?? "no account is signed in on \(request.device.name)",
        remedy: .advice("act as the account that is signed in on the device"))
    }
    return settings
  }
}
