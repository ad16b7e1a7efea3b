public import Basics
internal import CloudModel
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The open store of one container and environment: records, zones, users, schema, assets.
///
/// Every access happens in a transaction: `beginRead` … `endRead`, or `beginWrite` … `commit`
/// (or `rollback`). One thread at a time.
public final class EnvironmentStore {
  let file: EnvironmentFile
  let connection: Connection
  let catalog: Catalog
  let users: UserTable
  let tables: RecordTables
  var changes: ChangeSet?
  /// The operation within a held transaction; nil for none.
  var part: TransactionPart?
  /// Whether a transaction stays open from one operation to the next (`hold`).
  public internal(set) var isHeld = false
  /// Receives the changes of records; nil for none.
  public var listener: ChangeListener?
  /// The changes of the transaction that the listener has not received yet.
  var heard: [RecordChange] = []
  /// What the operation changed, for subscriptions; nil where there are none, or they are not told.
  var journal: ChangeJournal?
  /// The subscriptions as they were matched last.
  var subscriptionIndex: SubscriptionIndex?
  /// The zones that were looked up for the journal, while only this process writes.
  var knownZones: [Int64: ChangedZone] = [:]
  /// The indexes that a bulk insertion does without until its end, by their types.
  var suspended: [(type: RecordType, indexes: [PhysicalIndex])] = []
  private(set) var lock: WriterLock?
  /// The last sequence number and the file's data version after the last commit of our own.
  private var lastCommit: (dataVersion: UInt32, sequence: Int64)?
  private(set) var waitMilliseconds: Int64
  let isReadOnly: Bool
  /// Whether rows that are not what was written are taken as they are.
  let isPatient: Bool
  /// Fewer records are looked through as soon as an index would be opened.
  var fewRecords = 10_000
  /// The same for feeds, which want the newest of a table's rows.
  var fewChanges = 1_000
  /// What an index finds is counted so far, in a millisecond or two.
  var countedRecords: Int64 = 50_000
  /// So many records are wanted at once, mostly.
  var pageRecords = 200.0
  /// What `incarnations` has read; only files that nobody has open get another one.
  var knownIncarnations: [Incarnation] = []
  /// Which file is open; another one of its name is another container.
  private let identity: FileSystem.Identity?
  /// The version of a file that was opened as one that nobody changes.
  private let unchanging: FileSystem.Version?
  private lazy var hasCatalogCopy = FileSystem.exists(file.catalogCopyPath)
  private static let walLimit = 4 << 20
  /// No store gets there: a number this large is damage.
  private static let lastNumber: Int64 = 1 << 62
  /// Opening a store reads the whole log, about a microsecond a page.
  private static let restingPages = 64

  /// Opens the store in a folder; a writer waits for others so long. `isPatient` opens one whose
  /// contents are damaged, to look at them, and changes nothing. Throws `StoreError`.
  public init(
    folder: String, waitMilliseconds: Int64, isPatient: Bool = false
  ) throws(StoreError) {
    file = EnvironmentFile(folder: folder)
    self.waitMilliseconds = waitMilliseconds
    let opened = try file.openWhole(isPatient: isPatient, waitMilliseconds: waitMilliseconds)
    (connection, identity, isReadOnly) = (opened.connection, opened.identity, opened.isReadOnly)
    unchanging = opened.unchanging
    connection.waitMilliseconds = waitMilliseconds
    self.isPatient = isPatient
    catalog = Catalog(connection, isPatient: isPatient)
    users = UserTable(connection, isPatient: isPatient)
    tables = RecordTables(connection)
  }

  /// Serves a request: its writers wait for others so long, and its work ends when it is
  /// interrupted.
  public func serve(waitMilliseconds: Int64, _ interruption: Interruption) {
    self.waitMilliseconds = waitMilliseconds
    connection.waitMilliseconds = waitMilliseconds
    connection.interruption = interruption
  }

  /// Ends long work when the request that it is for is interrupted. Throws `StoreError`.
  public func checkInterrupt() throws(StoreError) {
    if connection.interruption.isRaised { throw .interrupted }
  }

  /// Runs SQL; its failure becomes a `StoreError`.
  func sql<T>(_ call: () throws(SQLiteError) -> T) throws(StoreError) -> T {
    try file.sql(call)
  }

  // MARK: Transactions

  /// Begins to read one unchanging state. Throws `StoreError`.
  public func beginRead() throws(StoreError) {
    if isHeld { return }
    try sql { () throws(SQLiteError) in
      try connection.statement("BEGIN").run()
      if !catalog.isEmpty { try readState() }
    }
  }

  /// Ends reading.
  public func endRead() {
    if isHeld { return }
    _ = try? connection.statement("COMMIT").run()
  }

  /// Waits for the lock and begins to write. Throws `StoreError`.
  public func beginWrite() throws(StoreError) {
    if isHeld { return try beginPart() }
    if isReadOnly { throw StoreError(.readOnly, "\(file.databasePath) may not be written") }
    try beginWrite(under: takeLock(waitMilliseconds))
  }

  /// Begins to write if that can be had at once, and says whether it does. Throws `StoreError`.
  public func beginWriteIfFree() throws(StoreError) -> Bool {
    if isReadOnly || isHeld { return false }
    do throws(StoreError) {
      try beginWrite(under: takeLock(0))
      return true
    } catch {
      if case .busy = error.kind { return false }
      throw error
    }
  }

  private func beginWrite(under lock: WriterLock) throws(StoreError) {
    do throws(StoreError) {
      let sequence = try sql { () throws(SQLiteError) in
        try connection.statement("BEGIN IMMEDIATE").run()
        let isKnown = lastCommit?.dataVersion == connection.dataVersion
        if isKnown, let sequence = lastCommit?.sequence { return sequence }
        knownZones.removeAll()
        return try readStateAndSequence()
      }
      try file.check(sequence: sequence, lock.notedSequence)
      guard sequence >= 0, sequence < Self.lastNumber else {
        throw StoreError(.corrupt, "\(file.databasePath) has no numbers left for changes")
      }
      changes = ChangeSet(sequence: sequence)
    } catch {
      if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
      lock.unlock()
      throw error
    }
  }

  /// Waits for the lock. Throws `StoreError`, also when other files, or none, are in the place of
  /// those that are open: they are not ours to write.
  private func takeLock(_ waitMilliseconds: Int64) throws(StoreError) -> WriterLock {
    if isHeld { throw StoreError(.busy(holder: nil), "a transaction is open") }
    let lock = try preparedLock()
    try lock.lock(waitMilliseconds: waitMilliseconds, interruption: connection.interruption)
    guard isCurrent else {
      lock.unlock()
      throw file.isThere ? .replaced : StoreError(.deleted, "the container was deleted meanwhile")
    }
    if lock.restoredIn != nil { try file.settle(lock) }
    return lock
  }

  /// Whether what is open is still the container's: the same file, and where it is read as one
  /// that nobody changes, an unchanged one.
  public var isCurrent: Bool {
    guard FileSystem.identity(of: file.databasePath) == identity else { return false }
    guard let unchanging else { return true }
    return FileSystem.version(of: file.databasePath) == unchanging && !file.hasLog
  }

  /// The lock, and before its first use the switches that only writers need.
  private func preparedLock() throws(StoreError) -> WriterLock {
    if let lock { return lock }
    let made = try WriterLock(path: file.lockPath)
    try sql { () throws(SQLiteError) in
      try connection.execute(
        "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = \(2 * Self.walLimit)")
    }
    lock = made
    return made
  }

  /// Makes all changes last. Throws `StoreError`; nothing is changed then.
  public func commit() throws(StoreError) {
    if isHeld { return try endPart() }
    let unused: UnusedAssets?
    do throws(StoreError) {
      unused = try forgetUnusedAssets()
      try sql { () throws(SQLiteError) in
        try catalog.makePendingTables()
        try writeChanges()
      }
      try requireWholePages()
      try sql { () throws(SQLiteError) in try connection.statement("COMMIT").run() }
    } catch {
      giveUp()
      defer { lock?.unlock() }
      throw undoCommit(error)
    }
    lastCommit = changes.map { (connection.dataVersion, $0.sequence) }
    if let sequence = lastCommit?.sequence { lock?.note(sequence: sequence) }
    changes = nil
    if let unused {
      for hash in unused.hashes { assets.remove(hash) }
      unused.lock.unlock()
    }
    checkpointIfLong()
    copyCatalogIfStale()
    lock?.unlock()
  }

  /// Throws `StoreError` when pages that were read are not what was written. What they hold may be
  /// missing in what was read from them; a commit would give them checksums that fit.
  public func requireWholePages() throws(StoreError) {
    let pages = connection.damagedPages
    guard let first = pages.first else { return }
    let others = pages.count == 1 ? "" : " (and \(pages.count - 1) others)"
    throw StoreError(
      .corrupt, "page \(first)\(others) of \(file.databasePath) is not what was written")
  }

  /// Writes the second copy of the catalog after a change of it, and where there is none.
  private func copyCatalogIfStale() {
    if catalog.isCopyStale || !hasCatalogCopy { file.writeCatalogCopy(of: connection) }
    (catalog.isCopyStale, hasCatalogCopy) = (false, true)
  }

  /// Takes a commit back that failed when it was to be made lasting: the log may have all of it,
  /// so that the next process would find it there. Emptying the log leaves it out. Returns the
  /// error, which says so when that fails, too.
  private func undoCommit(_ error: StoreError) -> StoreError {
    guard error.kind == .inputOutput || error.kind == .full else { return error }
    if (try? connection.checkpoint(.truncate)) == true { return error }
    return StoreError(
      error.kind,
      error.message + "; whether the change was made shows when the disk works again")
  }

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
  /// readers keep some of it. Throws `StoreError`.
  public func checkpoint() throws(StoreError) -> Bool {
    var isDone = false
    try exclusively { () throws(SQLiteError) in isDone = try connection.checkpoint(.truncate) }
    return isDone
  }

  /// Ends the work with the store for now: a log that the next process would have to read
  /// through is emptied, if nobody else writes.
  public func rest() {
    guard connection.walPages > Self.restingPages, let lock, lock.tryLock() else { return }
    _ = try? connection.checkpoint(.truncate)
    lock.unlock()
  }

  /// Runs what cannot be part of a transaction, under the lock. Throws `StoreError`.
  func exclusively(_ work: () throws(SQLiteError) -> Void) throws(StoreError) {
    if isReadOnly { throw StoreError(.readOnly, "\(file.databasePath) may not be written") }
    let lock = try takeLock(waitMilliseconds)
    defer { lock.unlock() }
    try sql(work)
  }

  /// Gives up all changes.
  public func rollback() {
    if isHeld { return giveUpPart() }
    giveUp()
    lock?.unlock()
  }

  func giveUp() {
    if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
    changes = nil
    journal = nil
    heard.removeAll()
    suspended = []
    lastCommit = nil
    forget()
  }

  /// Forgets what was read of the file.
  func forget() {
    catalog.forget()
    users.forget()
    knownZones.removeAll()
  }

  /// Does a part of a write transaction, all of it or nothing. Throws what `work` throws.
  public func attempt<T>(_ work: () throws -> T) throws -> T {
    let (before, known, noted) = (changes, heard.count, journal)
    try sql { () throws(SQLiteError) in
      try catalog.makePendingTables()
      try connection.execute("SAVEPOINT attempt")
    }
    do {
      let result = try work()
      try sql { () throws(SQLiteError) in try connection.execute("RELEASE attempt") }
      return result
    } catch {
      // An interrupted statement, or a full disk, has ended the whole transaction.
      if connection.isInTransaction {
        try sql { () throws(SQLiteError) in
          try connection.execute("ROLLBACK TO attempt; RELEASE attempt")
        }
      }
      (changes, journal) = (before, noted)
      heard.removeLast(heard.count - known)
      forget()
      throw error
    }
  }

  /// Takes note of what others changed in the schema.
  private func readState() throws(SQLiteError) {
    let statement = try connection.statement("SELECT catalog FROM _state")
    try synchronizeCatalog(statement)
    statement.reset()
  }

  /// Steps to the row of `_state`, which begins with the number of its schema.
  private func synchronizeCatalog(_ statement: Statement) throws(SQLiteError) {
    guard try statement.step() else {
      throw SQLiteError(code: 11, message: "the table _state is empty")
    }
    catalog.synchronize(version: statement.int64(0))
  }

  /// Takes note of the schema's changes and returns the sequence number of the last change in
  /// the file; every change is one in a zone.
  private func readStateAndSequence() throws(SQLiteError) -> Int64 {
    let statement = try connection.statement(Self.stateAndSequence)
    try synchronizeCatalog(statement)
    defer { statement.reset() }
    return statement.int64(1)
  }

  private static let sequence = """
    max(forgotten, ifnull((SELECT max(sequence) FROM _zone), 0),
      ifnull((SELECT max(sequence) FROM _zone_tombstone), 0))
    """
  private static let stateAndSequence = "SELECT catalog, \(sequence) FROM _state"
  /// Asks a file for the sequence number of its last change.
  static let lastSequence = "SELECT \(sequence) FROM _state"

  /// The sequence number of the last change in the file. Throws `StoreError`.
  public func lastStoredSequence() throws(StoreError) -> Int64 {
    try sql { () throws(SQLiteError) in try storedSequence() }
  }

  func storedSequence() throws(SQLiteError) -> Int64 {
    let statement = try connection.statement(Self.stateAndSequence)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(1) : 0
  }

  func writeChanges() throws(SQLiteError) {
    guard let changes else { return }
    for (number, change) in changes.zones.sorted(by: { $0.key < $1.key }) {
      let statement = try connection.statement(
        """
        UPDATE _zone SET records = records + ?1, checksum = ?2, sequence = ?3,
          bytes = bytes + ?4, seal = ckdb_seal(scope, owner, name, made, ?3, records + ?1, ?2,
          bytes + ?4, client) WHERE _id = ?5
        """)
      let old =
        if let known = changes.checksums[number] { known } else { try zoneChecksum(number) }
      statement.bind(Int64(change.records), 1)
      statement.bind(Int64(bitPattern: old &+ change.checksum), 2)
      statement.bind(change.sequence, 3)
      statement.bind(change.bytes, 4)
      statement.bind(number, 5)
      try statement.run()
    }
  }

  private func zoneChecksum(_ number: Int64) throws(SQLiteError) -> UInt64 {
    let statement = try connection.statement("SELECT checksum FROM _zone WHERE _id = ?")
    statement.bind(number, 1)
    guard try statement.step() else { return 0 }
    defer { statement.reset() }
    return UInt64(bitPattern: statement.int64(0))
  }

  /// The sequence number of the last change, also of those that are not committed yet.
  public var lastSequence: Int64 { changes?.sequence ?? 0 }

  /// The sequence number that the next change will get.
  public var nextSequence: Int64 { (changes?.sequence ?? 0) + 1 }
}
