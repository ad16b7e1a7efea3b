public import Basics
public import SQLite

/// An open database and the transactions of its writer. Each holds the lock, and survives a power
/// loss once `commit` has returned. One thread at a time.
public final class OpenDatabase {
  /// Its file.
  public let file: DatabaseFile
  /// The connection.
  public let connection: Connection
  /// Whether it is read-only.
  public let isReadOnly: Bool
  /// How long a writer waits for others, and what interrupts its work.
  public private(set) var patience: Patience
  private var lock: WriterLock?
  /// The last sequence number and the file's data version after our last commit.
  private var lastCommit: (dataVersion: UInt32, sequence: Int64)?
  /// The identity of the open file; another file under its name is another database.
  private let identity: FileSystem.Identity?
  /// The version of a file that was opened as unchanging; nil otherwise.
  private let unchanging: FileSystem.Version?
  private static let walLimit = 4 << 20
  /// No store ever gets there: a number this large is damage.
  private static let lastNumber: Int64 = 1 << 62
  /// Opening a store reads the whole log, about a microsecond a page.
  private static let restingPages = 64

  /// Whether the indexes that `mayTrust` was called with have all rows; nil if not compared yet.
  private var trustedIndexes: [String: Bool?] = [:]

  /// The tables whose sums triggers keep up to date.
  var summedTables: Set<String> = []

  /// The copy of the catalog.
  package var catalogCopy = CatalogKeeper()

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

  /// Opens a database; with `allowsDamage` also a damaged one, to examine it.
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

  /// Whether the open file is still the store's. A file that was opened as unchanging must be
  /// unchanged.
  public var isCurrent: Bool {
    guard FileSystem.identity(of: file.databasePath) == identity else { return false }
    guard let unchanging else { return true }
    return FileSystem.version(of: file.databasePath) == unchanging && !file.hasLog
  }

  // MARK: Transactions

  /// Waits for the lock and begins a write transaction; `read` reads the sequence number of the
  /// last change if other processes may have changed the file. Returns that number. Throws
  /// `StoreError`.
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

  /// Commits all changes; the last one has a number. The lock remains until `endWrite`.
  public func commit(at sequence: Int64) throws(StoreError) {
    try requireWholePages()
    try connection.prepared("COMMIT").perform()
    lastCommit = (connection.dataVersion, sequence)
    lock?.note(sequence: sequence)
  }

  /// Ends a write transaction that was committed.
  public func endWrite() {
    catalogCopy.update(file, connection)
    checkpointIfLong()
    lock?.unlock()
  }

  /// Rolls back all changes; the lock remains.
  public func giveUp() {
    if connection.isInTransaction { _ = try? connection.perform("ROLLBACK") }
    lastCommit = nil
    // Triggers that the transaction made are gone, too.
    summedTables = []
  }

  /// Releases the lock.
  public func unlock() { lock?.unlock() }

  /// Waits for the lock. Throws `StoreError`, also if the open files have been replaced or removed:
  /// they must not be written.
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

  /// The lock; before its first use, sets the switches that only writers need.
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

  /// Throws `StoreError` if damaged pages were read. What was read from them may be incomplete, and
  /// a commit would give them valid checksums.
  public func requireWholePages() throws(StoreError) {
    let pages = connection.damagedPages
    guard let first = pages.first else { return }
    let others = pages.count == 1 ? "" : " (and \(pages.count - 1) others)"
    throw StoreError(
      .corrupt, "page \(first)\(others) of \(file.databasePath) does not match its checksum")
  }

  /// Undoes a commit that could not be synchronized: the log may have all of it, and the next
  /// process would find it there. Emptying the log removes it. Returns the error, which says so if
  /// that fails, too.
  public func undoCommit(_ error: StoreError) -> StoreError {
    guard [.inputOutput, .unavailable, .full].contains(error.kind) else { return error }
    if (try? connection.checkpoint(.truncate)) == true { return error }
    return StoreError(
      error.kind,
      error.message + "; whether the change was made can be seen when the disk works again")
  }

  // MARK: The log

  /// Copies a long log into the database, under the lock.
  ///
  /// Its file is used again from the beginning, which is cheaper than growing it again; only the
  /// log of a large import is truncated. A checkpoint that fails leaves everything in the log,
  /// where it is as safe.
  private func checkpointIfLong() {
    let bytes = connection.walPages * 4096
    guard bytes > Self.walLimit else { return }
    _ = try? connection.checkpoint(bytes > 2 * Self.walLimit ? .truncate : .restart)
  }

  /// Copies the log into the database and empties it, waiting for writers. Returns false if readers
  /// keep some of it.
  public func checkpoint() throws(StoreError) -> Bool {
    try exclusively { () throws(StoreError) in try connection.emptyLog() }
  }

  /// Ends the work with the database for now: empties a log that the next process would have to
  /// read, unless another process writes.
  public func rest() {
    if catalogCopy.isWaiting { ifFree { catalogCopy.write(file, connection) } }
    guard connection.walPages > Self.restingPages else { return }
    ifFree { _ = try? connection.checkpoint(.truncate) }
  }

  /// Does optional work under the lock, unless another process writes.
  public func ifFree(_ work: () -> Void) {
    guard let lock, lock.tryLock() else { return }
    work()
    lock.unlock()
  }

  /// Whether a lookup may rely on an index to have all rows of its table. The first time the answer
  /// is no: reading the table once is as fast. The second time compares both, and remembers the
  /// result.
  public func mayTrust(index: String, of table: String) -> Bool {
    guard let trust = trustedIndexes[index] else {
      trustedIndexes[index] = .some(nil)
      return false
    }
    if let trust { return trust }
    // Do not fail on a damaged page of the index: the table has all rows.
    let isFound = try? hasRow(
      """
      SELECT 1 FROM (SELECT count(*) AS rows, sum(_id) AS sum FROM \(table) NOT INDEXED) t,
      (SELECT count(*) AS rows, sum(_id) AS sum FROM \(table) INDEXED BY \(index)) i
      WHERE t.rows = i.rows AND t.sum IS i.sum
      """)
    trustedIndexes[index] = isFound == true
    return isFound == true
  }

  /// Runs, under the lock, what cannot be part of a transaction.
  public func exclusively<T>(_ work: () throws(StoreError) -> T) throws(StoreError) -> T {
    if isReadOnly { throw StoreError(.readOnly, "\(file.databasePath) may not be written") }
    let lock = try takeLock(patience)
    defer { lock.unlock() }
    return try work()
  }
}
