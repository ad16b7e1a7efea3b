public import Basics
public import SQLite

/// A database that is open, and the transactions of its writer: each holds the lock, and is there
/// after a power loss once `commit` has returned. One thread at a time.
public final class OpenDatabase {
  /// Its file.
  public let file: DatabaseFile
  /// The connection.
  public let connection: Connection
  /// Whether it may not be written.
  public let isReadOnly: Bool
  /// How long a writer waits for others, and what ends its work.
  public private(set) var patience: Patience
  private var lock: WriterLock?
  /// The last sequence number and the file's data version after the last commit of our own.
  private var lastCommit: (dataVersion: UInt32, sequence: Int64)?
  /// Which file is open; another one of its name is another database.
  private let identity: FileSystem.Identity?
  /// The version of a file that was opened as one that nobody changes.
  private let unchanging: FileSystem.Version?
  private static let walLimit = 4 << 20
  /// No store gets there: a number this large is damage.
  private static let lastNumber: Int64 = 1 << 62
  /// Opening a store reads the whole log, about a microsecond a page.
  private static let restingPages = 64

  /// The statements that insert rows: their texts are made once.
  private var insertions: [Insertion] = []

  private struct Insertion {
    let table: String
    let conflict: Table.Conflict
    let statement: Statement
  }

  /// The statement that inserts a row of a table.
  func insertion(
    into table: Table, _ conflict: Table.Conflict
  ) throws(StoreError) -> Statement {
    for known in insertions where known.conflict == conflict && known.table == table.name {
      return known.statement
    }
    let statement = try connection.prepared(table.insertion(conflict))
    insertions.append(Insertion(table: table.name, conflict: conflict, statement: statement))
    return statement
  }

  /// Opens a database; with `allowsDamage` also one whose contents are damaged, to examine them.
  public init(
    _ file: DatabaseFile, patience: Patience, allowsDamage: Bool = false
  ) throws(StoreError) {
    self.file = file
    self.patience = patience
    let opened = try file.openWhole(allowsDamage: allowsDamage, patience: patience)
    (connection, identity, isReadOnly) = (opened.connection, opened.identity, opened.isReadOnly)
    unchanging = opened.unchanging
    serve(patience)
  }

  /// Serves a request.
  public func serve(_ patience: Patience) {
    self.patience = patience
    connection.waitMilliseconds = patience.milliseconds
    connection.interruption = patience.interruption
  }

  /// Whether what is open is still the store's: the same file, and where it is read as one that
  /// nobody changes, an unchanged one.
  public var isCurrent: Bool {
    guard FileSystem.identity(of: file.databasePath) == identity else { return false }
    guard let unchanging else { return true }
    return FileSystem.version(of: file.databasePath) == unchanging && !file.hasLog
  }

  // MARK: Transactions

  /// Waits for the lock and begins to write; `read` reads the sequence number of the last change
  /// where others may have changed the file. Returns that number. Throws `StoreError`.
  public func beginWrite(
    patience: Patience? = nil, _ read: () throws(StoreError) -> Int64
  ) throws(StoreError) -> Int64 {
    if isReadOnly { throw StoreError(.readOnly, "\(file.databasePath) is read-only") }
    let lock = try takeLock(patience ?? self.patience)
    do throws(StoreError) {
      try connection.prepared("BEGIN IMMEDIATE").perform()
      let sequence =
        if let lastCommit, lastCommit.dataVersion == connection.dataVersion {
          lastCommit.sequence
        } else {
          try read()
        }
      try file.check(sequence: sequence, lock.notedSequence)
      guard sequence >= 0, sequence < Self.lastNumber else {
        throw StoreError(.corrupt, "\(file.databasePath) has run out of change numbers")
      }
      return sequence
    } catch {
      if connection.isInTransaction { _ = try? connection.perform("ROLLBACK") }
      lock.unlock()
      throw error
    }
  }

  /// Makes all changes last; the last one has a number. The lock stays until `endWrite`.
  public func commit(at sequence: Int64) throws(StoreError) {
    try requireWholePages()
    try connection.prepared("COMMIT").perform()
    lastCommit = (connection.dataVersion, sequence)
    lock?.note(sequence: sequence)
  }

  /// Ends a write transaction that was committed.
  public func endWrite() {
    checkpointIfLong()
    lock?.unlock()
  }

  /// Gives up all changes; the lock stays.
  public func giveUp() {
    if connection.isInTransaction { _ = try? connection.perform("ROLLBACK") }
    lastCommit = nil
  }

  /// Gives the lock back.
  public func unlock() { lock?.unlock() }

  /// Waits for the lock. Throws `StoreError`, also when other files, or none, are in the place of
  /// those that are open: they are not ours to write.
  private func takeLock(_ patience: Patience) throws(StoreError) -> WriterLock {
    let lock = try preparedLock()
    try lock.lock(patience)
    guard isCurrent else {
      lock.unlock()
      throw file.isThere ? .replaced : StoreError(.deleted, "the container was deleted meanwhile")
    }
    if lock.restoredIn != nil { try file.settle(lock) }
    return lock
  }

  /// The lock, and before its first use the switches that only writers need.
  private func preparedLock() throws(StoreError) -> WriterLock {
    if let lock { return lock }
    let made = try WriterLock(path: file.lockPath)
    try connection.perform(
      """
      PRAGMA synchronous = FULL; PRAGMA journal_size_limit = \(2 * Self.walLimit);
      \(file.format.writerSwitches)
      """)
    lock = made
    return made
  }

  /// Throws `StoreError` when pages that were read are not what was written. What they hold may be
  /// missing in what was read from them; a commit would give them checksums that fit.
  public func requireWholePages() throws(StoreError) {
    let pages = connection.damagedPages
    guard let first = pages.first else { return }
    let others = pages.count == 1 ? "" : " (and \(pages.count - 1) others)"
    throw StoreError(
      .corrupt, "page \(first)\(others) of \(file.databasePath) does not match its checksum")
  }

  /// Takes a commit back that failed when it was to be made lasting: the log may have all of it,
  /// so that the next process would find it there. Emptying the log leaves it out. Returns the
  /// error, which says so when that fails, too.
  public func undoCommit(_ error: StoreError) -> StoreError {
    guard error.kind == .inputOutput || error.kind == .full else { return error }
    if (try? connection.checkpoint(.truncate)) == true { return error }
    return StoreError(
      error.kind,
      error.message + "; whether the change was made can be seen when the disk works again")
  }

  // MARK: The log

  /// Copies a log that has grown long into the database, under the lock.
  ///
  /// Its file is used again from the beginning, which costs less than growing it anew; only
  /// the log of a large import is cut off. A checkpoint that fails leaves everything in the
  /// log, where it is as safe.
  private func checkpointIfLong() {
    let bytes = connection.walPages * 4096
    guard bytes > Self.walLimit else { return }
    _ = try? connection.checkpoint(bytes > 2 * Self.walLimit ? .truncate : .restart)
  }

  /// Copies the log into the database and empties it, waiting for writers; returns false when
  /// readers keep some of it.
  public func checkpoint() throws(StoreError) -> Bool {
    try exclusively { () throws(StoreError) in try connection.emptyLog() }
  }

  /// Ends the work with the database for now: a log that the next process would have to read
  /// through is emptied, if nobody else writes.
  public func rest() {
    guard connection.walPages > Self.restingPages, let lock, lock.tryLock() else { return }
    _ = try? connection.checkpoint(.truncate)
    lock.unlock()
  }

  /// Runs what cannot be part of a transaction, under the lock. Throws `StoreError`.
  public func exclusively<T>(_ work: () throws(StoreError) -> T) throws(StoreError) -> T {
    if isReadOnly { throw StoreError(.readOnly, "\(file.databasePath) may not be written") }
    let lock = try takeLock(patience)
    defer { lock.unlock() }
    return try work()
  }
}
