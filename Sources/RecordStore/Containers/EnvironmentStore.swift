public import Basics
internal import CloudModel
internal import SQLite
public import StoreFiles

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
  /// The file, its lock and its transactions.
  package let database: OpenDatabase
  var file: EnvironmentFile { database.file }
  let connection: Connection
  let catalog: Catalog
  let users: UserTable
  let tables: RecordTables
  /// What the open write transaction has done so far.
  var state = TransactionState()
  /// The state before the operation within a held transaction; nil for none.
  var part: TransactionState?
  /// Whether a transaction stays open from one operation to the next (`hold`).
  public internal(set) var isHeld = false
  /// The subscriptions as last matched.
  var subscriptionIndex: SubscriptionIndex?
  /// The zones that were looked up for the journal, while only this process writes.
  var knownZones: [Int64: ChangedZone] = [:]
  /// The row that `hasOther` found last.
  var newestParticipant: Int64?
  var patience: Patience { database.patience }
  var isReadOnly: Bool { database.isReadOnly }
  /// Whether damaged rows are read as they are.
  let allowsDamage: Bool
  /// Fewer records than this are scanned: that is faster than an index.
  var fewRecords = 10_000
  /// The same limit for feeds, which want the newest rows of a table.
  var fewChanges = 1_000
  /// The matches of an index are counted up to this limit, which takes a millisecond or two.
  var countedRecords: Int64 = 50_000
  /// The usual number of records that a caller wants at once.
  var pageRecords = 200.0
  /// The result of `incarnations`, which can change only while no one has the files open.
  var knownIncarnations: [Incarnation] = []

  /// Opens the store in a folder; `patience` limits how long a writer waits for others.
  /// `allowsDamage` opens a damaged file for reading.
  public init(
    folder: String, patience: Patience, allowsDamage: Bool = false
  ) throws(StoreError) {
    database = try OpenDatabase(
      EnvironmentFile(folder: folder), patience: patience, allowsDamage: allowsDamage)
    connection = database.connection
    self.allowsDamage = allowsDamage
    catalog = Catalog(database, allowsDamage: allowsDamage)
    users = UserTable(database, allowsDamage: allowsDamage)
    tables = RecordTables(connection)
  }

  /// Serves a request.
  public func serve(_ patience: Patience) { database.serve(patience) }

  /// Throws `interrupted` when the request no longer needs the result.
  public func checkInterrupt() throws(StoreError) { try connection.interruption.check() }

  // MARK: Transactions

  /// Begins a read transaction.
  public func beginRead() throws(StoreError) {
    if isHeld { return }
    try connection.prepared("BEGIN").perform()
    if !catalog.isEmpty { try readState() }
  }

  /// Ends a read transaction.
  public func endRead() {
    if isHeld { return }
    _ = try? connection.prepared("COMMIT").perform()
  }

  /// Waits for the lock and begins a write transaction.
  public func beginWrite() throws(StoreError) {
    if isHeld { return try beginPart() }
    try beginChanges(patience)
  }

  /// Begins a write transaction if that needs no waiting; returns whether it did.
  public func beginWriteIfFree() throws(StoreError) -> Bool {
    if isReadOnly || isHeld { return false }
    do throws(StoreError) {
      try beginChanges(patience.withoutWaiting)
      return true
    } catch {
      if case .busy = error.kind { return false }
      throw error
    }
  }

  private func beginChanges(_ patience: Patience) throws(StoreError) {
    let sequence = try database.beginWrite(patience: patience) {
      () throws(StoreError) in
      knownZones.removeAll()
      return try readStateAndSequence()
    }
    state.changes = ChangeSet(sequence: sequence)
  }

  /// Whether the open file is still the container's. A file that was opened as unchanging must be
  /// unchanged.
  public var isCurrent: Bool { database.isCurrent }

  /// Commits all changes. Throws `StoreError` if nothing was changed.
  public func commit() throws(StoreError) {
    if isHeld { return try endPart() }
    let unused: UnusedAssets?
    do throws(StoreError) {
      unused = try forgetUnusedAssets()
      try catalog.makePendingTables()
      try writeChanges()
      try database.commit(at: lastSequence)
    } catch {
      giveUp()
      defer { database.unlock() }
      throw database.undoCommit(error)
    }
    state = TransactionState()
    if let unused {
      for hash in unused.hashes { assets.remove(hash) }
      unused.lock.unlock()
    }
    database.endWrite()
  }

  /// Throws `StoreError` if damaged pages were read. What was read from them may be incomplete, and
  /// a commit would give them valid checksums.
  public func requireWholePages() throws(StoreError) { try database.requireWholePages() }

  /// Copies the log into the database and empties it, waiting for writers. Returns false if readers
  /// keep some of it.
  public func checkpoint() throws(StoreError) -> Bool {
    if isHeld { throw Self.open }
    return try database.checkpoint()
  }

  /// Ends the work with the store for now: empties a log that the next process would have to read,
  /// unless another process writes.
  public func rest() { database.rest() }

  /// Runs, under the lock, what cannot be part of a transaction.
  func exclusively<T>(_ work: () throws(StoreError) -> T) throws(StoreError) -> T {
    if isHeld { throw Self.open }
    return try database.exclusively(work)
  }

  private static var open: StoreError { StoreError(.busy(holder: nil), "a transaction is open") }

  /// Rolls back all changes.
  public func rollback() {
    if isHeld { return giveUpPart() }
    giveUp()
    database.unlock()
  }

  func giveUp() {
    database.giveUp()
    state = TransactionState()
    forget()
  }

  /// Forgets what was read from the file.
  func forget() {
    catalog.forget()
    users.forget()
    knownZones.removeAll()
    subscriptionIndex = nil
  }

  /// Runs a part of a write transaction as a savepoint: all of it or nothing. Rethrows the errors
  /// of `work`.
  public func attempt<T>(_ work: () throws -> T) throws -> T {
    let before = state
    try catalog.makePendingTables()
    try connection.perform("SAVEPOINT attempt")
    do {
      let result = try work()
      try connection.perform("RELEASE attempt")
      return result
    } catch {
      // An interrupted statement, or a full disk, has ended the whole transaction.
      if connection.isInTransaction {
        try connection.perform("ROLLBACK TO attempt; RELEASE attempt")
      }
      state = before
      forget()
      throw error
    }
  }

  /// Loads the schema again if another process has changed it.
  private func readState() throws(StoreError) {
    let statement = try connection.prepared("SELECT catalog FROM _state")
    try synchronizeCatalog(statement)
    statement.reset()
  }

  /// Steps to the row of `_state`, which begins with the number of the schema.
  private func synchronizeCatalog(_ statement: Statement) throws(StoreError) {
    guard try statement.next() else {
      throw connection.damage("the table _state is empty")
    }
    catalog.synchronize(version: statement.int64(0))
  }

  /// Loads the schema again if it has changed. Returns the sequence number of the last change in
  /// the file; every change belongs to a zone.
  private func readStateAndSequence() throws(StoreError) -> Int64 {
    let statement = try connection.prepared(Self.stateAndSequence)
    try synchronizeCatalog(statement)
    defer { statement.reset() }
    return statement.int64(1)
  }

  private static let sequence = """
    max(forgotten, ifnull((SELECT max(sequence) FROM _zone), 0),
      ifnull((SELECT max(sequence) FROM _zone_tombstone), 0))
    """
  private static let stateAndSequence = "SELECT catalog, \(sequence) FROM _state"
  /// An SQL query for the sequence number of a file's last change.
  static let lastSequence = "SELECT \(sequence) FROM _state"

  /// The sequence number of the last change in the file.
  public func lastStoredSequence() throws(StoreError) -> Int64 {
    try storedSequence()
  }

  func storedSequence() throws(StoreError) -> Int64 {
    let statement = try connection.prepared(Self.stateAndSequence)
    defer { statement.reset() }
    return try statement.next() ? statement.int64(1) : 0
  }

  func writeChanges() throws(StoreError) {
    guard let changes = state.changes else { return }
    for (number, change) in changes.zones.sorted(by: { $0.key < $1.key }) {
      let statement = try connection.prepared(Self.countingZone)
      var sums = if let known = changes.sums[number] { known } else { try zoneSums(number) }
      sums.add(change)
      statement.bind(Int64(change.all.count), 1)
      statement.bind(Int64(bitPattern: sums.checksum), 2)
      statement.bind(change.sequence, 3)
      statement.bind(change.bytes, 4)
      statement.bind(sums.types, 5)
      statement.bind(number, 6)
      try statement.perform()
    }
  }

  private static let countingZone =
    EnvironmentTables.zone.update([
      "records": "records + ?1", "checksum": "?2", "sequence": "?3", "bytes": "bytes + ?4",
      "types": "?5",
    ]) + " WHERE _id = ?6"

  private func zoneSums(_ number: Int64) throws(StoreError) -> ChangeSet.ZoneSums {
    let statement = try connection.prepared("SELECT checksum, types FROM _zone WHERE _id = ?")
    statement.bind(number, 1)
    guard try statement.next() else { return ChangeSet.ZoneSums() }
    defer { statement.reset() }
    return ChangeSet.ZoneSums(
      checksum: UInt64(bitPattern: statement.int64(0)), types: statement.text(1))
  }

  /// The sequence number of the last change, including uncommitted ones.
  public var lastSequence: Int64 { state.changes?.sequence ?? 0 }

  /// The sequence number that the next change will get.
  public var nextSequence: Int64 { (state.changes?.sequence ?? 0) + 1 }
}
