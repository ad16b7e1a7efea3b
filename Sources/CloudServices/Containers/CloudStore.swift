public import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles
internal import UbiquityStore

/// A store: containers, and the context that commands share. Any number of threads may use it.
public final class CloudStore: Sendable {
  let directory: StoreDirectory
  private let pool = ConnectionPool()
  private let known = Locked(KnownSettings())
  private let listeners = Locked<[(types: Set<RecordType>?, body: Listener)]>([])

  /// What the settings were when they were last read, and when they are looked at again.
  private struct KnownSettings {
    var values: StoreSettings?
    var version: FileSystem.Version?
    var nextLook: Int64 = 0
    /// A look costs as much as a tenth of a fetch.
    static let lookMilliseconds: Int64 = 100

    mutating func forget() { values = nil }
  }

  /// Names a store's directory; nothing is touched.
  public init(path: String) { directory = StoreDirectory(path: path, others: [.ubiquity]) }

  /// The store's directory.
  public var path: String { directory.path }

  /// Whether a store is there.
  public var exists: Bool { directory.exists }

  /// Makes the store; false when there is one already.
  public func create() throws(CloudError) -> Bool {
    try serving { try directory.create() }
  }

  /// Copies the whole store to a free path, as it is at one moment; writers wait
  /// meanwhile. A copy that need not last through a power loss is made quicker, and one that
  /// `replaces` takes the place of another store.
  public func copy(
    to path: String, for request: Request, isLasting: Bool = true, replaces: Bool = false,
    isTemplate: Bool = false, ofTemplate: Bool = false, _ meter: WorkMeter? = nil
  ) throws(CloudError) {
    try requireStore()
    try serving {
      try directory.copy(
        to: path, waitMilliseconds: request.waitMilliseconds, isLasting: isLasting,
        replaces: replaces, isTemplate: isTemplate, ofTemplate: ofTemplate, meter)
    }
  }

  /// What tells the files that this program writes from those of other versions.
  public static var format: String { StoreDirectory.databaseFormat }

  /// The version of the SQLite library.
  public static var sqliteVersion: String { StoreDirectory.sqliteVersion }

  // MARK: Listening

  /// Is given each change of a record before the transaction that makes it is committed, and where
  /// it happens; what it throws takes the transaction back.
  public typealias Listener =
    @Sendable (RecordChange, ContainerID, Environment) throws(CloudError) -> Void

  /// Reports the changes of records of some types, or of all (nil), whoever makes them through this
  /// store: a save, an import, a cascade, the deletion of a zone, a change of the schema.
  /// Environments that are opened from now on report.
  public func listen(to types: Set<RecordType>? = nil, _ listener: @escaping Listener) {
    listeners.withLock { $0.append((types, listener)) }
  }

  /// What an environment reports to; nil for nobody.
  func listener(in container: ContainerID, _ environment: Environment) -> ChangeListener? {
    let all = listeners.withLock { $0 }
    if all.isEmpty { return nil }
    var types: Set<RecordType>? = []
    for (wanted, _) in all { types = wanted.flatMap { types?.union($0) } }
    return ChangeListener(types: types) { change in
      for (wanted, listener) in all where wanted?.contains(change.type) ?? true {
        try listener(change, container, environment)
      }
    }
  }

  // MARK: Settings

  /// The values that were saved for all commands.
  public func context() throws(CloudError) -> [JSONMember] { try currentSettings().context }

  /// Changes the values that are saved for all commands, and returns them.
  @discardableResult
  public func changeContext(
    _ work: (inout [JSONMember]) -> Void
  ) throws(CloudError) -> [JSONMember] {
    try change { work(&$0.context) }
    return try context()
  }

  /// The queries that have names, in byte order of these.
  public func queries() throws(CloudError) -> [SavedQuery] { try currentSettings().queries }

  /// Changes the queries that have names.
  public func changeQueries(_ work: (inout [SavedQuery]) -> Void) throws(CloudError) {
    try change { settings in
      work(&settings.queries)
      settings.queries.sort { utf8Precedes($0.name, $1.name) }
    }
  }

  /// The status of an account.
  public func status(of account: Account) throws(CloudError) -> AccountStatus {
    try currentSettings().accounts[account.name]?.status ?? .available
  }

  /// Sets the status of an account in all containers.
  public func set(_ status: AccountStatus, of account: Account) throws(CloudError) {
    try change { $0.accounts[account.name, default: .init()].status = status }
  }

  /// How many bytes the private databases of an account may hold in an environment; nil for any
  /// number.
  public func quota(of account: Account) throws(CloudError) -> Int64? {
    try currentSettings().accounts[account.name]?.quota
  }

  /// Sets that number.
  public func set(quota: Int64?, of account: Account) throws(CloudError) {
    try change { $0.accounts[account.name, default: .init()].quota = quota }
  }

  /// How many bytes the public database of a container may hold in each environment; nil for any
  /// number.
  public func publicQuota(of id: ContainerID) throws(CloudError) -> Int64? {
    try currentSettings().publicQuotas[id.text]
  }

  /// Sets that number. Throws `badContainer` for an unknown container.
  public func set(publicQuota: Int64?, of id: ContainerID) throws(CloudError) {
    try require(id)
    try change { $0.publicQuotas[id.text] = publicQuota }
  }

  /// How a container compares texts.
  public func stringCompare(of id: ContainerID) throws(CloudError) -> StringCompare {
    try currentSettings().stringCompare[id.text] ?? .caseSensitive
  }

  /// Sets how a container compares texts. Throws `badContainer` for an unknown one.
  public func set(_ compare: StringCompare, of id: ContainerID) throws(CloudError) {
    try require(id)
    try change { $0.stringCompare[id.text] = compare }
  }

  /// The accounts that wrote into one of the containers, or of which something is kept, in byte
  /// order.
  public func accounts(for request: Request) throws(CloudError) -> [Account] {
    var names = Set(try currentSettings().accounts.keys).union(try people().persons.keys)
    try forEachEnvironment { (container, environment) throws(CloudError) in
      let open = try self.environment(container, environment, for: request)
      names.formUnion(try open.read { try open.store.accountNames() })
    }
    try forEachKeyValueStore(for: request) { (keys) throws(CloudError) in
      names.formUnion(try keys.accountNames())
    }
    return try names.sorted(by: utf8Precedes).map { (name) throws(CloudError) in
      try Account(name)
    }
  }

  /// Looks, a few times a second, whether another process has changed the settings, which are
  /// forgotten then, or replaced the files of an environment that is in use. Returns whether it
  /// has.
  public func noteChanges(of used: CloudEnvironment?) -> Bool {
    let now = Platform.monotonicMilliseconds
    let isOutdated = known.withLock { known -> Bool? in
      guard known.values != nil, now >= known.nextLook else { return nil }
      known.nextLook = now + KnownSettings.lookMilliseconds
      guard known.version != directory.settingsVersion else { return false }
      known.forget()
      return true
    }
    guard let isOutdated else { return false }
    return isOutdated || used?.store.isCurrent == false
  }

  func currentSettings() throws(CloudError) -> StoreSettings {
    if let values = known.withLock({ $0.values }) { return values }
    try requireStore()
    let version = directory.settingsVersion
    let read = try serving { try directory.settings() }
    known.withLock { known in
      // Another thread may have changed them meanwhile.
      if directory.settingsVersion == version { (known.values, known.version) = (read, version) }
    }
    return read
  }

  func change(_ work: (inout StoreSettings) -> Void) throws(CloudError) {
    try requireStore()
    known.withLock { $0.forget() }
    try serving { try directory.changeSettings(work) }
    known.withLock { $0.forget() }
  }

  func requireStore() throws(CloudError) {
    guard exists else {
      var error = CloudError(
        .internalError, "no store in \(path)", remedy: .makeStore)
      error.storage = .notConfigured
      throw error
    }
    directory.finishIfPartlyReplaced()
  }

  // MARK: Containers

  /// The containers, in byte order.
  public func containers() throws(CloudError) -> [ContainerID] {
    try requireStore()
    return try serving { try directory.containers().map { try ContainerID($0) } }
  }

  /// Gives each environment of each container to `body`, in byte order of the containers. Throws
  /// `CloudError`, and what `body` throws.
  func forEachEnvironment(
    _ body: (ContainerID, Environment) throws(CloudError) -> Void
  ) throws(CloudError) {
    for id in try containers() {
      for environment in Environment.allCases { try body(id, environment) }
    }
  }

  /// Makes a container; false when there is one already.
  public func create(_ id: ContainerID, for request: Request) throws(CloudError) -> Bool {
    try serving { try directory.create(id, waitMilliseconds: request.waitMilliseconds) }
  }

  /// Makes a container with what `fill` puts into one of its environments, whole or not at all;
  /// false when there is one already. Throws `CloudError`, and what `fill` throws.
  public func create(
    _ id: ContainerID, filling environment: Environment, for request: Request,
    by fill: (CloudEnvironment) throws -> Void
  ) throws -> Bool {
    do {
      return try directory.create(id, waitMilliseconds: request.waitMilliseconds) { folder in
        let opened = try EnvironmentStore(
          folder: folder(environment), waitMilliseconds: request.waitMilliseconds)
        let draft = CloudEnvironment(
          id, environment, ConnectionPool.Lease(opened), of: self, for: request,
          try stringCompare(of: id))
        try fill(draft)
        try draft.checkpoint()
      }
    } catch let error as StoreError { throw CloudError(error) }
  }

  /// Deletes a container and all that is in it: a local extra, CloudKit never does (R1.1.4).
  /// Throws `badContainer` for an unknown one.
  public func delete(_ id: ContainerID, for request: Request) throws(CloudError) {
    try require(id)
    pool.closeIdle()
    try serving { try directory.delete(id, waitMilliseconds: request.waitMilliseconds) }
    var settings = try currentSettings()
    if settings.forget(id) { try change { _ = $0.forget(id) } }
    try changePeople { $0.discoverability[id.text] = nil }
  }

  /// Closes all environments that are not in use and forgets the settings, as when all of it
  /// becomes another.
  func forgetAll() {
    pool.closeIdle()
    known.withLock { $0.forget() }
  }

  /// Ends the work with all environments that are not in use for now.
  public func rest() { pool.rest() }

  private func unknown(_ id: ContainerID) -> CloudError {
    let known = (try? directory.containers()) ?? []
    return CloudError(
      .badContainer, "Container '\(id.text)' does not exist",
      remedy: .nearest(to: id.text, among: known) ?? .makeContainer(id))
  }

  /// Throws `badContainer` for an unknown container.
  func require(_ id: ContainerID) throws(CloudError) {
    directory.finishIfPartlyReplaced()
    guard try serving({ try directory.contains(id) }) else {
      try requireStore()
      throw unknown(id)
    }
  }

  /// An environment of a container for a request, which has its connection to itself as long as
  /// the environment, or a database of it, is kept. Throws `badContainer` for an unknown container
  /// (R1.1.6).
  public func environment(
    _ id: ContainerID, _ environment: Environment, for request: Request
  ) throws(CloudError) -> CloudEnvironment {
    try require(id)
    let lease = try serving {
      try pool.lease(
        directory.folder(id, environment), waitMilliseconds: request.waitMilliseconds)
    }
    return CloudEnvironment(
      id, environment, lease, of: self, for: request, try stringCompare(of: id))
  }
}

/// Runs a service's work; whatever fails below becomes a `CloudError`.
func serving<T>(_ work: () throws -> T) throws(CloudError) -> T {
  do { return try work() } catch { throw CloudError(any: error) }
}
