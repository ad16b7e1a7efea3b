internal import SQLite
public import StoreFiles

/// A transaction over several operations: the lock and SQLite's transaction remain, and each
/// operation is a savepoint.
extension EnvironmentStore {
  /// Begins a write transaction that lasts until `release` or `abandon`; the operations in between
  /// are its parts.
  public func hold() throws(StoreError) {
    try beginWrite()
    isHeld = true
  }

  /// Commits the changes of all operations. Throws `StoreError` if none was made.
  public func release() throws(StoreError) {
    isHeld = false
    try commit()
  }

  /// Rolls back the changes of all operations.
  public func abandon() {
    guard isHeld else { return }
    isHeld = false
    rollback()
  }

  func beginPart() throws(StoreError) {
    try catalog.makePendingTables()
    try connection.perform("SAVEPOINT part")
    part = state
  }

  /// Adds an operation to the transaction; later ones see its changes.
  func endPart() throws(StoreError) {
    do throws(StoreError) {
      try catalog.makePendingTables()
      try writeChanges()
      try connection.perform("RELEASE part")
    } catch {
      giveUpPart()
      throw error
    }
    part = nil
    state.changes?.forgetZones()
  }

  /// Rolls back an operation, or the whole transaction if SQLite has ended it, as it does after an
  /// interrupted statement or on a full disk.
  func giveUpPart() {
    let isOpen =
      connection.isInTransaction
      && (try? connection.perform("ROLLBACK TO part; RELEASE part")) != nil
    guard isOpen, let part else { return abandon() }
    state = part
    self.part = nil
    forget()
  }
}
