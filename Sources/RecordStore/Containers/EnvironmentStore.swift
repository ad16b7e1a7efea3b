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
  /// The subscriptions as they were matched last.
  var subscriptionIndex: SubscriptionIndex?
  /// The zones that were looked up for the journal, while only this process writes.
  var knownZones: [Int64: ChangedZone] = [:]
  var patience: Patience { database.patience }
  var isReadOnly: Bool { database.isReadOnly }
  /// Whether rows that are not what was written are taken as they are.
  let allowsDamage: Bool
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
  private lazy var hasCatalogCopy = FileSystem.exists(file.catalogCopyPath)

  /// Opens the store in a folder; a writer waits for others so long. `allowsDamage` opens one whose
  /// contents are damaged, to look at them, and changes nothing.
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

  /// Begins to read one unchanging state.
  public func beginRead() throws(StoreError) {
    if isHeld { return }
    try connection.prepared("BEGIN").perform()
    if !catalog.isEmpty { try readState() }
  }

  /// Ends reading.
  public func endRead() {
    if isHeld { return }
    _ = try? connection.prepared("COMMIT").perform()
  }

  /// Waits for the lock and begins to write.
  public func beginWrite() throws(StoreError) {
    if isHeld { return try beginPart() }
    try beginChanges(patience)
  }

  /// Begins to write if that can be had at once, and says whether it does.
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

  /// Whether what is open is still the container's: the same file, and where it is read as one
  /// that nobody changes, an unchanged one.
  public var isCurrent: Bool { database.isCurrent }

  /// Makes all changes last. Throws `StoreError`; nothing is changed then.
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
    copyCatalogIfStale()
    database.endWrite()
  }

  /// Throws `StoreError` when pages that were read are not what was written. What they hold may be
  /// missing in what was read from them; a commit would give them checksums that fit.
  public func requireWholePages() throws(StoreError) { try database.requireWholePages() }

  /// Writes the second copy of the catalog after a change of it, and where there is none.
  private func copyCatalogIfStale() {
    if catalog.isCopyStale || !hasCatalogCopy { file.writeCatalogCopy(of: connection) }
    (catalog.isCopyStale, hasCatalogCopy) = (false, true)
  }

  /// Copies the log into the database and empties it, waiting for writers; returns false when
  /// readers keep some of it.
  public func checkpoint() throws(StoreError) -> Bool {
    if isHeld { throw Self.open }
    return try database.checkpoint()
  }

  /// Ends the work with the store for now: a log that the next process would have to read
  /// through is emptied, if nobody else writes.
  public func rest() { database.rest() }

  /// Runs what cannot be part of a transaction, under the lock. Throws `StoreError`.
  func exclusively<T>(_ work: () throws(StoreError) -> T) throws(StoreError) -> T {
    if isHeld { throw Self.open }
    return try database.exclusively(work)
  }

  private static var open: StoreError { StoreError(.busy(holder: nil), "a transaction is open") }

  /// Gives up all changes.
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

  /// Forgets what was read of the file.
  func forget() {
    catalog.forget()
    users.forget()
    knownZones.removeAll()
    subscriptionIndex = nil
  }

  /// Does a part of a write transaction, all of it or nothing. Throws what `work` throws.
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

  /// Takes note of what others changed in the schema.
  private func readState() throws(StoreError) {
    let statement = try connection.prepared("SELECT catalog FROM _state")
    try synchronizeCatalog(statement)
    statement.reset()
  }

  /// Steps to the row of `_state`, which begins with the number of its schema.
  private func synchronizeCatalog(_ statement: Statement) throws(StoreError) {
    guard try statement.next() else {
      throw connection.damage("the table _state is empty")
    }
    catalog.synchronize(version: statement.int64(0))
  }

  /// Takes note of the schema's changes and returns the sequence number of the last change in
  /// the file; every change is one in a zone.
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
  /// Asks a file for the sequence number of its last change.
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
      let old =
        if let known = changes.checksums[number] { known } else { try zoneChecksum(number) }
      statement.bind(Int64(change.records), 1)
      statement.bind(Int64(bitPattern: old &+ change.checksum), 2)
      statement.bind(change.sequence, 3)
      statement.bind(change.bytes, 4)
      statement.bind(number, 5)
      try statement.perform()
    }
  }

  private static let countingZone =
    EnvironmentTables.zone.update([
      "records": "records + ?1", "checksum": "?2", "sequence": "?3", "bytes": "bytes + ?4",
    ]) + " WHERE _id = ?5"

  private func zoneChecksum(_ number: Int64) throws(StoreError) -> UInt64 {
    let statement = try connection.prepared("SELECT checksum FROM _zone WHERE _id = ?")
    statement.bind(number, 1)
    guard try statement.next() else { return 0 }
    defer { statement.reset() }
    return UInt64(bitPattern: statement.int64(0))
  }

  /// The sequence number of the last change, also of those that are not committed yet.
  public var lastSequence: Int64 { state.changes?.sequence ?? 0 }

  /// The sequence number that the next change will get.
  public var nextSequence: Int64 { (state.changes?.sequence ?? 0) + 1 }
}
