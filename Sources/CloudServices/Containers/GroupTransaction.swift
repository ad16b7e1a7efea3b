public import CloudModel
internal import RecordStore

/// Several operations as one transaction. Until it ends no other connection can write to the
/// environment, and only requests on this connection see its changes.
extension CloudEnvironment {
  /// Whether a transaction is open.
  public var isInTransaction: Bool { store.isHeld }

  /// Begins a transaction; the write lock is held until it ends.
  public func beginTransaction() throws(CloudError) {
    defer { owner.noteChange() }
    try operating { try store.hold() }
  }

  /// Commits the transaction. Throws `CloudError`, in which case no change is made.
  public func commitTransaction() throws(CloudError) {
    defer { owner.noteChange() }
    try operating { try store.release() }
  }

  /// Runs operations as one transaction: commits what they did, or rolls all of it back if `work`
  /// throws. An operation that fails changes nothing, and the others go on.
  ///
  /// Throws what `work` throws, and `CloudError` if nothing could be committed.
  public func together(_ work: () throws -> Void) throws {
    try operating { try store.hold() }
    do { try work() } catch {
      store.abandon()
      throw error
    }
    // SQLite itself ends a transaction when the disk is full.
    guard store.isHeld else {
      throw CloudError(.internalError, "The transaction was rolled back")
    }
    try operating { try store.release() }
  }

  /// Rolls the transaction back.
  public func rollBackTransaction() {
    store.abandon()
    owner.noteChange()
  }
}
