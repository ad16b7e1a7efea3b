public import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// The other half of a container, open: the keys and documents in iCloud of each account, and the
/// copies of each device.
///
/// Every access happens in a transaction: `beginRead` … `endRead`, or `beginWrite` … `commit` (or
/// `rollback`). One thread at a time.
public final class UbiquityStore {
  let database: OpenDatabase
  let connection: Connection
  /// The number of the last change; nil outside of write transactions.
  private var sequence: (before: Int64, now: Int64)?
  /// Contents whose rows were dropped in the transaction.
  var released: Set<String> = []
  /// Contents that the transaction adds.
  var staged: [AssetFiles.Draft] = []

  /// Opens the store in a folder; `patience` limits how long a writer waits for others.
  /// `allowsDamage` opens a damaged file for reading.
  public init(
    folder: String, patience: Patience, allowsDamage: Bool = false
  ) throws(StoreError) {
    database = try OpenDatabase(
      DatabaseFile(folder: folder, format: .ubiquity), patience: patience,
      allowsDamage: allowsDamage)
    connection = database.connection
  }

  /// Creates an empty store in a folder.
  public static func create(in folder: String) throws(StoreError) {
    try DatabaseFile(folder: folder, format: .ubiquity).create()
  }

  /// Keeps all contents in place until the lock is released; nil if the store is read-only.
  public func holdAssets() throws(StoreError) -> WriterLock? { try database.holdAssets() }

  /// The database file of a store in a folder.
  public static func file(in folder: String) -> DatabaseFile {
    DatabaseFile(folder: folder, format: .ubiquity)
  }

  /// Serves a request.
  public func serve(_ patience: Patience) { database.serve(patience) }

  /// Copies the log into the database and empties it; returns false if readers keep some of it.
  public func checkpoint() throws(StoreError) -> Bool { try database.checkpoint() }

  /// Ends the work with the store for now.
  public func rest() { database.rest() }

  /// Whether the open file is still the container's.
  public var isCurrent: Bool { database.isCurrent }

  /// Throws `StoreError` if damaged pages were read.
  public func requireWholePages() throws(StoreError) { try database.requireWholePages() }

  /// The file that each process writes last when it changes the store.
  public var commitFile: String { database.file.lockPath }

  /// Watches that file.
  public func watch() throws(StoreError) -> FileWatch {
    try onDisk { () throws(SystemError) in try FileWatch(commitFile) }
  }

  // MARK: Transactions

  /// Begins a read transaction.
  public func beginRead() throws(StoreError) {
    try connection.prepared("BEGIN").perform()
  }

  /// Ends a read transaction.
  public func endRead() { _ = try? connection.prepared("COMMIT").perform() }

  /// Waits for the lock and begins a write transaction.
  public func beginWrite() throws(StoreError) {
    let last = try database.beginWrite { () throws(StoreError) in
      let row = try connection.prepared(Self.readingState)
      guard try row.next() else { throw connection.damage("_state is empty") }
      defer { row.reset() }
      return try Row(UbiquityTables.state, in: row)["sequence"]
    }
    sequence = (last, last)
  }

  /// Commits all changes; a transaction without changes writes nothing. Throws `StoreError` if
  /// nothing was changed.
  public func commit() throws(StoreError) {
    guard let sequence, sequence.now > sequence.before else { return rollback() }
    let unheld: [String]
    do throws(StoreError) {
      unheld = try unheldFiles()
      try keepStaged()
      try database.run(UbiquityTables.state.update(["sequence": "?1"]), [sequence.now])
      try database.commit(at: sequence.now)
    } catch {
      database.giveUp()
      defer { database.unlock() }
      throw database.undoCommit(error)
    }
    self.sequence = nil
    database.removeAssets(unheld)
    database.endWrite()
  }

  /// Rolls back all changes.
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
    return try database.value("SELECT sequence FROM _state") ?? 0
  }

  // MARK: Settings

  private static let readingState = "SELECT \(UbiquityTables.state.selection()) FROM _state"

  /// The behavior of the key-value store.
  public func settings() throws(StoreError) -> KeyValueSettings {
    let found = try database.first(Self.readingState) { (statement) throws(StoreError) in
      let row = try Row(UbiquityTables.state, in: statement)
      var settings = KeyValueSettings()
      settings.limits = KeyValueLimits(rawValue: row["limits"]) ?? .seed
      settings.policy = KeyValuePolicy(rawValue: row["policy"]) ?? .timestamp
      settings.rate = (row["rate"] as String?).flatMap { Rate($0) }
      return settings
    }
    return found ?? KeyValueSettings()
  }

  /// Changes the behavior.
  public func set(_ settings: KeyValueSettings) throws(StoreError) {
    try run(
      on: UbiquityTables.state,
      UbiquityTables.state.update(["limits": "?1", "policy": "?2", "rate": "?3"]),
      [settings.limits.rawValue, settings.policy.rawValue, settings.rate?.text])
  }
}
