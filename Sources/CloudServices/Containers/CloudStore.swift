public import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles
internal import StoreHome
internal import UbiquityStore

/// A store: containers, and the context that commands share. Threads may share it.
public final class CloudStore: Sendable {
  let directory: StoreDirectory
  private let pool = ConnectionPool()
  private let known = Locked(KnownSettings())

  /// The settings as last read, and the time of the next check for changes.
  private struct KnownSettings {
    var values: StoreSettings?
    var version: FileSystem.Version?
    var access: StoreAccess?
    var verified = VerifiedTokens(secret: [])
    var accessVersion: FileSystem.Version?
    var people: StorePeople?
    var peopleVersion: FileSystem.Version?
    var nextLook: Int64 = 0
    var nextAccessLook: Int64 = 0
    var changes = 0
    /// A check costs a tenth of a fetch.
    static let lookMilliseconds: Int64 = 100

    mutating func forget() {
      values = nil
      access = nil
      people = nil
      changes += 1
    }
  }

  /// Sets the store's directory; does not touch the file system.
  public init(path: String, _ interruption: Interruption = .never) {
    directory = StoreDirectory(
      path: path, environments: .records, others: [.ubiquity], interruption)
    VolatileFolder.at(path)
  }

  /// Lets the store be lost by a power loss: nothing is synchronized to the disk, until `keep`, a
  /// copy or a snapshot. Processes that use the store at the same time know it.
  public func makeVolatile() throws(CloudError) {
    try serving { try directory.makeVolatile() }
  }

  /// Makes the store survive a power loss from now on; waits for writers.
  public func keep(for request: Request) throws(CloudError) {
    try serving { try directory.keep(request.patience) }
  }

  /// The store's directory.
  public var path: String { directory.path }

  /// Whether the store exists.
  public var exists: Bool { directory.exists }

  /// Creates the store. Returns false if it already exists.
  public func create() throws(CloudError) -> Bool {
    try serving { try directory.create() }
  }

  /// Copies the whole store to a free path, as a consistent snapshot; writers wait meanwhile. A
  /// copy that need not survive a power loss (`isLasting` false) is faster; with `replaces` it
  /// replaces another store.
  public func copy(
    to path: String, for request: Request, isLasting: Bool = true, replaces: Bool = false,
    isTemplate: Bool = false, ofTemplate: Bool = false, _ meter: WorkMeter? = nil
  ) throws(CloudError) {
    try requireStore()
    try serving {
      try directory.copy(
        to: path, patience: request.patience, isLasting: isLasting,
        replaces: replaces, isTemplate: isTemplate, ofTemplate: ofTemplate, meter)
    }
  }

  /// The format version of the database files.
  public static var format: String { String(DatabaseFormat.records.version) }

  /// The version of the SQLite library.
  public static var sqliteVersion: String { StoreDirectory.sqliteVersion }

  // MARK: Settings

  /// The saved context of all commands.
  public func context() throws(CloudError) -> SavedContext { try setting { $0.context } }

  /// Changes the saved context of all commands, and returns it.
  @discardableResult
  public func changeContext(
    _ work: (inout SavedContext) -> Void
  ) throws(CloudError) -> SavedContext {
    try change { work(&$0.context) }
    return try context()
  }

  /// The saved queries, in byte order of their names.
  public func queries() throws(CloudError) -> [SavedQuery] { try setting { $0.queries } }

  /// Changes the saved queries.
  public func changeQueries(_ work: (inout [SavedQuery]) -> Void) throws(CloudError) {
    try change { settings in
      work(&settings.queries)
      settings.queries.sort { utf8Precedes($0.name, $1.name) }
    }
  }

  /// The status of an account.
  public func status(of account: Account) throws(CloudError) -> AccountStatus {
    try setting { $0.accounts[account.name]?.status } ?? .available
  }

  /// Sets the status of an account in all containers.
  public func set(_ status: AccountStatus, of account: Account) throws(CloudError) {
    try change { $0.accounts[account.name, default: .init()].status = status }
  }

  /// The quota of an account's private databases in an environment, in bytes; nil for no limit.
  public func quota(of account: Account) throws(CloudError) -> Int64? {
    try setting { $0.accounts[account.name]?.quota }
  }

  /// Sets the quota of an account's private databases.
  public func set(quota: Int64?, of account: Account) throws(CloudError) {
    try change { $0.accounts[account.name, default: .init()].quota = quota }
  }

  /// The quota of a container's public database in each environment, in bytes; nil for no limit.
  public func publicQuota(of id: ContainerID) throws(CloudError) -> Int64? {
    try setting { $0.publicQuotas[id.text] }
  }

  /// Sets the public quota. Throws `badContainer` for an unknown container.
  public func set(publicQuota: Int64?, of id: ContainerID) throws(CloudError) {
    try require(id)
    try change { $0.publicQuotas[id.text] = publicQuota }
  }

  /// How a container compares strings.
  public func stringCompare(of id: ContainerID) throws(CloudError) -> StringCompare {
    try setting { $0.stringCompare[id.text] } ?? .caseSensitive
  }

  /// Sets how a container compares strings. Throws `badContainer` for an unknown container.
  public func set(_ compare: StringCompare, of id: ContainerID) throws(CloudError) {
    try require(id)
    try change { $0.stringCompare[id.text] = compare }
  }

  /// The accounts that have written to a container or have stored settings or personal data, in
  /// byte order.
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

  /// A number that changes with the settings, the people, the containers and the transactions of
  /// this store: an environment that was opened before may be outdated.
  public var version: Int { known.withLock { $0.changes } }

  func noteChange() { known.withLock { $0.forget() } }

  /// Checks, a few times a second or at once, whether another process changed the settings, which
  /// are then discarded, or replaced the files of the environment in use.
  public func noteChanges(of used: CloudEnvironment?, atOnce: Bool = false) {
    let now = Platform.monotonicMilliseconds
    let isDue = known.withLock { known in
      guard known.values != nil, atOnce || now >= known.nextLook else { return false }
      known.nextLook = now + KnownSettings.lookMilliseconds
      if known.version != directory.settingsVersion
        || known.people != nil && known.peopleVersion != directory.peopleVersion
      {
        known.forget()
      }
      return true
    }
    if isDue, used?.store.isCurrent == false { noteChange() }
  }

  /// Checks, a few times a second or at once, whether another process changed who may use the
  /// store, which is then read anew.
  @discardableResult
  func noteNewAccess(atOnce: Bool = false) -> Bool {
    let now = Platform.monotonicMilliseconds
    return known.withLock { known in
      guard known.access != nil, atOnce || now >= known.nextAccessLook else { return false }
      known.nextAccessLook = now + KnownSettings.lookMilliseconds
      if known.accessVersion == directory.accessVersion { return false }
      known.access = nil
      return true
    }
  }

  /// A part of the settings; nothing else is copied.
  func setting<T>(_ pick: (StoreSettings) -> T) throws(CloudError) -> T {
    if let known = known.withLock({ $0.values.map(pick) }) { return known }
    return pick(try currentSettings())
  }

  func currentSettings() throws(CloudError) -> StoreSettings {
    if let values = known.withLock({ $0.values }) { return values }
    try requireStore()
    let version = directory.settingsVersion
    let read = try serving { try directory.settings() }
    known.withLock { known in
      // Another thread may have changed the settings meanwhile.
      if directory.settingsVersion == version { (known.values, known.version) = (read, version) }
    }
    return read
  }

  func change(_ work: (inout StoreSettings) -> Void) throws(CloudError) {
    try requireStore()
    noteChange()
    defer { noteChange() }
    try serving { try directory.changeSettings(work) }
  }

  func currentAccess() throws(CloudError) -> StoreAccess {
    if let access = known.withLock({ $0.access }) { return access }
    try requireStore()
    let version = directory.accessVersion
    let read = try serving { try directory.access() }
    known.withLock { known in
      if directory.accessVersion == version {
        (known.access, known.accessVersion) = (read, version)
      }
    }
    return read
  }

  /// What is known of web auth tokens with a secret.
  func verifiedTokens<T>(_ secret: [UInt8], _ work: (inout VerifiedTokens) -> T) -> T {
    known.withLock { known in
      if !known.verified.isOf(secret) { known.verified = VerifiedTokens(secret: secret) }
      return work(&known.verified)
    }
  }

  func people() throws(CloudError) -> StorePeople { try peopleFacts { $0 } }

  /// A part of what is known of the people; nothing else is copied.
  func peopleFacts<T>(_ pick: (StorePeople) -> T) throws(CloudError) -> T {
    if let known = known.withLock({ $0.people.map(pick) }) { return known }
    try requireStore()
    let version = directory.peopleVersion
    let read = try serving { try directory.people() }
    known.withLock { known in
      if directory.peopleVersion == version {
        (known.people, known.peopleVersion) = (read, version)
      }
    }
    return pick(read)
  }

  func changeAccess(_ work: (inout StoreAccess) throws -> Void) throws(CloudError) {
    try requireStore()
    defer { noteChange() }
    try serving { try directory.changeAccess(work) }
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

  /// Calls `body` for each environment of each container, in byte order of the containers. Throws
  /// `CloudError`, and what `body` throws.
  func forEachEnvironment(
    _ body: (ContainerID, Environment) throws(CloudError) -> Void
  ) throws(CloudError) {
    for id in try containers() {
      for environment in Environment.allCases { try body(id, environment) }
    }
  }

  /// Creates a container. Returns false if it already exists.
  public func create(_ id: ContainerID, for request: Request) throws(CloudError) -> Bool {
    defer { noteChange() }
    return try serving { try directory.create(id, patience: request.patience) }
  }

  /// Creates a container and lets `fill` populate one of its environments, all or nothing. Returns
  /// false if the container already exists. Throws `CloudError`, and what `fill` throws.
  public func create(
    _ id: ContainerID, filling environment: Environment, for request: Request,
    by fill: (CloudEnvironment) throws -> Void
  ) throws -> Bool {
    defer { noteChange() }
    do {
      return try directory.create(id, patience: request.patience) { folder in
        let opened = try EnvironmentStore(
          folder: folder(environment), patience: request.patience)
        let draft = CloudEnvironment(
          id, environment, ConnectionPool.Lease(opened), of: self, for: request,
          try stringCompare(of: id))
        try fill(draft)
        try draft.checkpoint()
      }
    } catch let error as StoreError { throw CloudError(error) }
  }

  /// Deletes a container with everything in it: a local extra, as CloudKit never does (R1.1.4).
  /// Throws `badContainer` for an unknown container.
  public func delete(_ id: ContainerID, for request: Request) throws(CloudError) {
    try require(id)
    closeIdle()
    try serving { try directory.delete(id, patience: request.patience) }
    var settings = try currentSettings()
    if settings.forget(id) { try change { _ = $0.forget(id) } }
    try changePeople { $0.discoverability[id.text] = nil }
    try changeAccess { access in
      access.tokens.removeAll { $0.container == id }
      access.keys.removeAll { $0.container == id }
    }
  }

  /// Closes all idle environments and discards the cached settings, before the whole store is
  /// replaced.
  func forgetAll() {
    closeIdle()
    noteChange()
  }

  /// Closes the connections that nothing uses.
  public func closeIdle() { pool.closeIdle() }

  /// Lets all idle environments rest: their logs are emptied if possible.
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

  /// Returns an environment of a container for a request. It has a connection of its own until it
  /// and its databases are released. Throws `badContainer` for an unknown container (R1.1.6).
  public func environment(
    _ id: ContainerID, _ environment: Environment, for request: Request
  ) throws(CloudError) -> CloudEnvironment {
    try require(id)
    let lease = try serving {
      try pool.lease(
        directory.folder(id, environment), patience: request.patience)
    }
    return CloudEnvironment(
      id, environment, lease, of: self, for: request, try stringCompare(of: id))
  }
}

/// Runs a service's work and converts every error to a `CloudError`.
func serving<T>(_ work: () throws -> T) throws(CloudError) -> T {
  do { return try work() } catch { throw CloudError(any: error) }
}
