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

  /// Rolls the transaction back.
  public func rollBackTransaction() {
    store.abandon()
    owner.noteChange()
  }
}
