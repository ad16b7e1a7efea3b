public import CloudModel
internal import PredicateLanguage
internal import RecordStore
internal import StoreFiles

/// An environment of a container, opened for a request: its schema, and the databases that share
/// it. Only one thread may use it at a time.
public final class CloudEnvironment {
  /// The container.
  public let container: ContainerID
  /// Development or production.
  public let environment: Environment
  /// The request that uses it.
  public let request: Request
  /// How its container compares strings.
  private let stringCompare: StringCompare
  /// The store it belongs to.
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
  }

  /// The same environment for another request, on the same connection.
  public func acting(for request: Request) -> CloudEnvironment {
    CloudEnvironment(container, environment, lease, of: owner, for: request, stringCompare)
  }

  /// Whether it belongs to a store.
  public func isPart(of store: CloudStore) -> Bool { owner === store }

  /// Returns one of its databases, as the request's account sees it.
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

  /// Throws `networkUnavailable` if the request's device is offline; `cli` never is.
  func requireNetwork() throws(CloudError) {
    guard request.needsNetwork, request.device != .cli,
      try owner.device(request.device)?.isOnline == false
    else { return }
    throw .offline(request.device)
  }

  /// Throws `CloudError` if a page that was read is damaged: data may be missing from the result.
  public func requireWholePages() throws(CloudError) {
    guard store.isCurrent else { return }
    try serving { try store.requireWholePages() }
  }

  /// The values that a predicate needs at a moment.
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

  /// Runs `work` on one consistent state.
  func read<T>(_ work: () throws -> T) throws(CloudError) -> T {
    try operating {
      try store.beginRead()
      defer { store.endRead() }
      return try work()
    }
  }

  /// Runs `work` in a transaction.
  func write<T>(_ work: () throws -> T) throws(CloudError) -> T {
    let result = try operating {
      try store.beginWrite()
      return try committing {
        try beginJournal()
        let result = try work()
        try fireSubscriptions()
        return result
      }
    }
    try request.faults.loseAnswer()
    return result
  }

  /// Runs `work` in a transaction; returns nil at once if another writer has the lock.
  func writeIfFree<T>(_ work: () throws -> T) throws(CloudError) -> T? {
    try operating { try store.beginWriteIfFree() ? try committing(work) : nil }
  }

  private func committing<T>(_ work: () throws -> T) throws -> T {
    do {
      let result = try work()
      try store.commit()
      return result
    } catch {
      store.rollback()
      throw error
    }
  }

  /// Runs `work` in a transaction and rolls it back, to see what would happen.
  func rehearse<T>(_ work: () throws -> T) throws(CloudError) -> T {
    let result = try operating {
      try store.beginWrite()
      defer { store.rollback() }
      return try work()
    }
    try request.faults.loseAnswer()
    return result
  }

  /// Runs an operation with the request's wait time and interruption.
  func operating<T>(_ work: () throws -> T) throws(CloudError) -> T {
    store.serve(request.patience)
    return try serving(work)
  }

  /// Forgets deletions, so that all change tokens expire, and returns free space to the file
  /// system.
  public func compact() throws(CloudError) {
    try write { try store.forgetDeletions() }
    try operating { try store.vacuum() }
  }

  /// Copies the log into the database and empties it. Throws `CloudError`, `zoneBusy` while a
  /// reader uses the log.
  public func checkpoint() throws(CloudError) {
    guard try operating({ try store.checkpoint() }) else { throw .readLog }
  }
}
