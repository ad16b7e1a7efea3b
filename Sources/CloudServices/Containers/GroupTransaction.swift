public import CloudModel
internal import RecordStore

/// Several operations as one transaction. Until its end nobody else writes to the environment, and
/// only requests by this environment's connection see its changes.
extension CloudEnvironment {
  /// Whether a transaction is open.
  public var isInTransaction: Bool { store.isHeld }

  /// Begins a transaction; the writers' lock is held until its end.
  public func beginTransaction() throws(CloudError) { try operating { try store.hold() } }

  /// Makes its changes last. Throws `CloudError`; none is made then.
  public func commitTransaction() throws(CloudError) { try operating { try store.release() } }

  /// Takes its changes back.
  public func rollBackTransaction() { store.abandon() }
}
