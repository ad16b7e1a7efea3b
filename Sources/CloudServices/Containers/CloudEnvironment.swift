public import CloudModel
internal import PredicateLanguage
internal import RecordStore
internal import StoreFiles

/// An environment of a container as a request meets it: its schema, and the databases that share
/// it. One thread uses it at a time.
public final class CloudEnvironment {
  /// The container.
  public let container: ContainerID
  /// Which environment it is.
  public let environment: Environment
  /// On whose behalf it is used, and how.
  public let request: Request
  /// How its container compares texts.
  private let stringCompare: StringCompare
  /// The store that it is part of.
  let owner: CloudStore
  private let lease: ConnectionPool.Lease
  let store: EnvironmentStore

  init(
    _ container: ContainerID, _ environment: Environment, _ lease: ConnectionPool.Lease,
    of owner: CloudStore, for request: Request, _ stringCompare: StringCompare
  ) {
    self.container = container
    self.environment = environment
    self.lease = lease
    self.owner = owner
    self.request = request
    self.stringCompare = stringCompare
    store = lease.store
    store.listener = owner.listener(in: container, environment)
  }

  /// The same environment for another request, by the same connection.
  public func acting(for request: Request) -> CloudEnvironment {
    CloudEnvironment(container, environment, lease, of: owner, for: request, stringCompare)
  }

  /// Whether it is an environment of a store.
  public func isPart(of store: CloudStore) -> Bool { owner === store }

  /// One of its databases, as the request's account sees it.
  public func database(_ scope: DatabaseScope) throws(CloudError) -> CloudDatabase {
    let account = request.account
    let quota =
      try scope == .public
      ? owner.publicQuota(of: container)
      : account.flatMap { (account) throws(CloudError) in try owner.quota(of: account) }
    let status = try account.map { (account) throws(CloudError) in try owner.status(of: account) }
    return CloudDatabase(
      environment: self, scope: scope, status: status ?? .available, quota: quota)
  }

  /// Throws `networkUnavailable` where the request's device is offline, which `cli` never is.
  func requireNetwork() throws(CloudError) {
    guard request.needsNetwork, request.device != .cli,
      try owner.device(request.device)?.isOnline == false
    else { return }
    throw .offline(request.device)
  }

  /// Throws `CloudError` when pages were read that are not what was written: something may be
  /// missing in what was read from them.
  public func requireWholePages() throws(CloudError) {
    guard store.isCurrent else { return }
    try serving { try store.requireWholePages() }
  }

  /// What a predicate is given at a moment.
  func givens(
    for predicate: Predicate, at now: Timestamp
  ) throws(StoreError) -> PredicateBinder.Givens {
    var givens = PredicateBinder.Givens(
      now: now, seed: request.seed(at: now), stringCompare: stringCompare)
    if predicate.hasPaths {
      givens.targets = []
      for type in try store.types() {
        if let table = try store.table(type) { givens.targets?.append(table.schema) }
      }
    }
    return givens
  }

  /// Reads one unchanging state.
  func read<T>(_ work: () throws -> T) throws(CloudError) -> T {
    try operating {
      try store.beginRead()
      defer { store.endRead() }
      return try work()
    }
  }

  /// Writes all or nothing.
  func write<T>(_ work: () throws -> T) throws(CloudError) -> T {
    try operating {
      try store.beginWrite()
      return try committing {
        try beginJournal()
        let result = try work()
        try fireSubscriptions()
        return result
      }
    }
  }

  /// Writes all or nothing if that can be done at once; nil where somebody else writes.
  func writeIfFree<T>(_ work: () throws -> T) throws(CloudError) -> T? {
    try operating { try store.beginWriteIfFree() ? try committing(work) : nil }
  }

  private func committing<T>(_ work: () throws -> T) throws -> T {
    do {
      let result = try work()
      try store.tellListener()
      try store.commit()
      return result
    } catch {
      store.rollback()
      throw error
    }
  }

  /// Writes, and takes everything back: what would happen.
  func rehearse<T>(_ work: () throws -> T) throws(CloudError) -> T {
    try operating {
      try store.beginWrite()
      defer { store.rollback() }
      return try work()
    }
  }

  /// Runs an operation under the request's conditions.
  func operating<T>(_ work: () throws -> T) throws(CloudError) -> T {
    store.serve(waitMilliseconds: request.waitMilliseconds, request.interruption)
    return try serving(work)
  }

  /// Forgets deletions, so that all change tokens expire, and gives free room back to the file
  /// system.
  public func compact() throws(CloudError) {
    try write { try store.forgetDeletions() }
    try operating { try store.vacuum() }
  }

  /// Copies the log into the database and empties it. Throws `CloudError`, `zoneBusy` while
  /// somebody reads what is in the log.
  public func checkpoint() throws(CloudError) {
    guard try operating({ try store.checkpoint() }) else { throw .readLog }
  }
}
