public import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// The other half of a container, open: keys and documents that iCloud has for each account, and
/// the copies of each device.
///
/// Every access happens in a transaction: `beginRead` … `endRead`, or `beginWrite` … `commit` (or
/// `rollback`). One thread at a time.
public final class UbiquityStore {
  let database: OpenDatabase
  let connection: Connection
  /// The number of the last change; nil outside of write transactions.
  private var sequence: (before: Int64, now: Int64)?
  /// Contents that rows have let go of in the transaction.
  var released: Set<String> = []
  /// Contents that the transaction brings along.
  var staged: [AssetFiles.Draft] = []

  /// Opens the store in a folder; a writer waits for others so long. `isPatient` opens one whose
  /// contents are damaged, to look at them.
  public init(
    folder: String, waitMilliseconds: Int64, isPatient: Bool = false
  ) throws(StoreError) {
    database = try OpenDatabase(
      DatabaseFile(folder: folder, format: .ubiquity), waitMilliseconds: waitMilliseconds,
      isPatient: isPatient)
    connection = database.connection
  }

  /// Makes an empty store in a folder.
  public static func create(in folder: String) throws(StoreError) {
    try DatabaseFile(folder: folder, format: .ubiquity).create()
  }

  /// The database file of a store in a folder.
  public static func file(in folder: String) -> DatabaseFile {
    DatabaseFile(folder: folder, format: .ubiquity)
  }

  /// Serves a request: its writers wait for others so long, and its work ends when it is
  /// interrupted.
  public func serve(waitMilliseconds: Int64, _ interruption: Interruption) {
    database.serve(waitMilliseconds: waitMilliseconds, interruption)
  }

  /// Copies the log into the database and empties it; returns false when readers keep some of it.
  public func checkpoint() throws(StoreError) -> Bool { try database.checkpoint() }

  /// Ends the work with the store for now.
  public func rest() { database.rest() }

  /// Whether what is open is still the container's.
  public var isCurrent: Bool { database.isCurrent }

  /// Throws `StoreError` when pages that were read are not what was written.
  public func requireWholePages() throws(StoreError) { try database.requireWholePages() }

  /// What is written to last by each process that changes the store.
  public func watch() throws(StoreError) -> FileWatch {
    try onDisk { () throws(SystemError) in try FileWatch(database.file.lockPath) }
  }

  /// Runs SQL; its failure becomes a `StoreError`.
  func sql<T>(_ call: () throws(SQLiteError) -> T) throws(StoreError) -> T {
    try database.file.sql(call)
  }

  // MARK: Transactions

  /// Begins to read one unchanging state.
  public func beginRead() throws(StoreError) {
    try sql { () throws(SQLiteError) in try connection.statement("BEGIN").run() }
  }

  /// Ends reading.
  public func endRead() { _ = try? connection.statement("COMMIT").run() }

  /// Waits for the lock and begins to write.
  public func beginWrite() throws(StoreError) {
    let last = try database.beginWrite { () throws(SQLiteError) in
      let row = try connection.statement(
        "SELECT sequence, \(UbiquityTables.state.fits()) FROM _state")
      guard try row.step() else { throw SQLiteError(code: 11, message: "_state is empty") }
      try UbiquityTables.state.require(row, 1)
      defer { row.reset() }
      return row.int64(0)
    }
    sequence = (last, last)
  }

  /// Makes all changes last; a transaction that changed nothing writes nothing. Throws
  /// `StoreError`; nothing is changed then.
  public func commit() throws(StoreError) {
    guard let sequence, sequence.now > sequence.before else { return rollback() }
    let unheld: [String]
    do throws(StoreError) {
      unheld = try unheldFiles()
      try keepStaged()
      try sql { () throws(SQLiteError) in
        let statement = try connection.statement(
          "UPDATE _state SET sequence = ?1, seal = ckdb_seal(?1, limits, policy, rate)")
        statement.bind(sequence.now, 1)
        try statement.run()
      }
      try database.commit(at: sequence.now)
    } catch {
      database.giveUp()
      defer { database.unlock() }
      throw database.undoCommit(error)
    }
    self.sequence = nil
    unheld.forEach(assets.remove)
    database.endWrite()
  }

  /// Gives up all changes.
  public func rollback() {
    database.giveUp()
    sequence = nil
    released = []
    staged.forEach(assets.discard)
    staged = []
    database.unlock()
  }

  /// Notes that a change is about to be made; a transaction without one is not committed.
  func noteChange() { _ = nextSequence() }

  /// The number of a change that is about to be made; a transaction without one is not committed.
  func nextSequence() -> Int64 {
    sequence?.now += 1
    return sequence?.now ?? 0
  }

  /// The number of the last change.
  public func lastSequence() throws(StoreError) -> Int64 {
    if let sequence { return sequence.now }
    return try sql { () throws(SQLiteError) in
      try connection.integer("SELECT sequence FROM _state") ?? 0
    }
  }

  // MARK: Settings

  /// How the store behaves.
  public func settings() throws(StoreError) -> KeyValueSettings {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        "SELECT limits, policy, rate, \(UbiquityTables.state.fits()) FROM _state")
      var settings = KeyValueSettings()
      guard try row.step() else { return settings }
      try UbiquityTables.state.require(row, 3)
      defer { row.reset() }
      settings.limits = KeyValueLimits(rawValue: row.text(0)) ?? .seed
      settings.policy = KeyValuePolicy(rawValue: row.text(1)) ?? .timestamp
      settings.rate = row.isNull(2) ? nil : KeyValueRate(row.text(2))
      return settings
    }
  }

  /// Changes how it behaves.
  public func set(_ settings: KeyValueSettings) throws(StoreError) {
    noteChange()
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        UPDATE _state SET limits = ?1, policy = ?2, rate = ?3,
          seal = ckdb_seal(sequence, ?1, ?2, ?3)
        """)
      statement.bind(settings.limits.rawValue, 1)
      statement.bind(settings.policy.rawValue, 2)
      if let rate = settings.rate { statement.bind(rate.text, 3) } else { statement.bindNull(3) }
      try statement.run()
    }
  }
}
