internal import SQLite
public import StoreFiles

/// A transaction over several operations: the lock and SQLite's transaction stay, and each
/// operation is a savepoint in it.
extension EnvironmentStore {
  /// Begins a write transaction that lasts until `release` or `abandon`: the operations until then
  /// are its parts.
  public func hold() throws(StoreError) {
    try beginWrite()
    isHeld = true
  }

  /// Makes the changes of all operations last. Throws `StoreError`; none is made then.
  public func release() throws(StoreError) {
    isHeld = false
    try commit()
  }

  /// Takes the changes of all operations back.
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

  /// Adds an operation to the transaction; what follows reads its changes.
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

  /// Takes an operation back, and the whole transaction where SQLite has ended it: an interrupted
  /// statement and a full disk do that.
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
