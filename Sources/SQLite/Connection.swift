public import Basics
internal import CSQLite

/// A connection to one database file, for one thread at a time.
public final class Connection {
  let handle: OpaquePointer
  /// The path of the file.
  public let path: String
  /// The kept statements, by the lengths of their texts, which the few in a program rarely share.
  private var statements: [[Statement]] = noStatements
  /// Statements that were given back, the last one at the end.
  private var idle: [Statement] = []
  private static var noStatements: [[Statement]] { Array(repeating: [], count: 64) }
  private let wal = WriteAheadLog()
  private lazy var watch = findWatch()
  /// How long a statement waits for another program's lock on the file, in milliseconds.
  public var waitMilliseconds: Int64 = 5000 {
    didSet { setBusyTimeout(waitMilliseconds) }
  }

  /// The mode of opening a file.
  public enum Mode: Sendable {
    /// For reading and writing; the file must exist.
    case readWrite
    /// For reading; SQLite may still create its -shm file.
    case readOnly
    /// For reading a file that no program changes; creates no other files.
    case immutable
  }

  private let progress = Progress()

  /// Opens an existing database file with the settings of `Connection+Opening.swift`; with
  /// `makesChecksums`, the pages of an empty file get checksums.
  public init(path: String, mode: Mode, makesChecksums: Bool = false) throws(SQLiteError) {
    ckdb_sqlite3_configure()
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(
      Self.name(path, isImmutable: mode == .immutable, makesChecksums: makesChecksums), &handle,
      Self.flags(mode), PageChecksums.vfs)
    guard let handle else { throw SQLiteError(code: code, message: "out of memory", path: path) }
    (self.handle, self.path) = (handle, path)
    sqlite3_extended_result_codes(handle, 1)
    guard code == SQLITE_OK else { throw error(code) }
    try harden()
    if makesChecksums { reserveChecksums() }
    // A raised interrupt ends a long statement. This many instructions take less than a
    // millisecond, so that short statements, including rollbacks, always complete.
    sqlite3_progress_handler(
      handle, 10_000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().end.isRaised ? 1 : 0
      }, Unmanaged.passUnretained(progress).toOpaque())
    // Replaces SQLite's own hook, which would run checkpoints; the pragma wal_autocheckpoint would
    // replace this one.
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue().pages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(wal).toOpaque())
  }

  /// The condition that interrupts a long statement.
  public var interruption: Interruption {
    get { progress.end }
    set { progress.end = newValue }
  }

  /// The interruption that the progress handler checks.
  private final class Progress {
    var end = Interruption.never
  }

  deinit {
    statements.removeAll()
    idle.removeAll()
    sqlite3_close_v2(handle)
  }

  /// The pages in the write-ahead log after the last commit of this connection.
  public var walPages: Int { wal.pages }

  private final class WriteAheadLog { var pages = 0 }

  // MARK: Statements

  /// Returns a statement that is compiled once and kept, for one user at a time.
  public func statement(_ sql: String) throws(SQLiteError) -> Statement {
    let place = sql.utf8.count % statements.count
    for known in statements[place] where known.sql == sql { return known }
    let statement = try Statement(sql, on: self, isKept: true)
    statements[place].append(statement)
    return statement
  }

  /// Returns a statement for one use.
  public func transientStatement(_ sql: String) throws(SQLiteError) -> Statement {
    try Statement(sql, on: self, isKept: false)
  }

  /// Returns a statement that others may use at the same time: one that was given back, or a new
  /// one. Compiling one takes as long as reading dozens of rows.
  public func takeStatement(_ sql: String) throws(SQLiteError) -> Statement {
    guard let place = idle.lastIndex(where: { utf8Equal($0.sql, sql) }) else {
      return try Statement(sql, on: self, isKept: true)
    }
    return idle.remove(at: place)
  }

  /// Keeps a statement for the next use.
  public func giveBack(_ statement: Statement) {
    statement.clear()
    if idle.count >= Self.mostIdle { idle.removeFirst() }
    idle.append(statement)
  }

  private static let mostIdle = 16

  /// Finalizes all kept statements, which a schema change makes useless.
  public func forgetStatements() {
    statements = Self.noStatements
    idle = []
  }

  /// Runs statements that return no rows.
  public func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, sql: sql) }
  }

  /// The first column of the first row as an integer; nil for no row.
  public func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try transientStatement(sql)
    return try statement.step() ? statement.int64(0) : nil
  }

  /// The first column of all rows.
  public func integers(_ sql: String) throws(SQLiteError) -> [Int64] {
    let statement = try transientStatement(sql)
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.int64(0)) }
    return numbers
  }

  /// The first column of the first row as text; nil for no row.
  public func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try transientStatement(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// A number that changes with every commit to the file, by any connection, as of this
  /// connection's last transaction.
  public var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Whether the file's path now names another file, or none.
  public var hasMoved: Bool {
    var answer: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer)
    return answer != 0
  }

  /// The rowid of the last insertion.
  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The rows that the last statement inserted, changed or deleted.
  public var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// An error with the connection's own message.
  func error(_ code: Int32, sql: String? = nil) -> SQLiteError {
    let extended = sqlite3_extended_errcode(handle)
    return SQLiteError(
      code: extended & 0xFF == code & 0xFF ? extended : code,
      message: String(cString: sqlite3_errmsg(handle)), sql: sql, path: path)
  }

  /// Reserves space for checksums in the pages of an empty file, or of one that `vacuum` rewrites.
  private func reserveChecksums() {
    var size = Int32(PageChecksums.size)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &size)
  }

  /// Whether the pages have room for checksums, according to the database and its log.
  public var hasRoomForChecksums: Bool {
    var size: Int32 = -1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &size)
    return size == PageChecksums.size
  }

  /// The numbers of the damaged pages read from the file so far.
  public var damagedPages: [UInt32] { watch.map { $0.damaged.sorted() } ?? [] }

  /// Rewrites the file, without free pages and with checksums. Throws `SQLiteError`, also for a
  /// damaged page, which must not get a valid checksum.
  public func vacuum() throws(SQLiteError) {
    reserveChecksums()
    watch?.isStrict = true
    defer { watch?.isStrict = false }
    // SQLite builds the new file as an attached database; otherwise attaching is forbidden.
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
    try execute("VACUUM")
  }

  /// Copies the database, as of its last commit, into an empty file. Throws `SQLiteError`, also for
  /// a damaged page.
  public func copy(to path: String) throws(SQLiteError) {
    watch?.isStrict = true
    defer { watch?.isStrict = false }
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
    defer { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
    let statement = try transientStatement("VACUUM INTO ?")
    let hasChecksums = watch?.hasChecksums ?? false
    statement.bind(Self.name(path, isImmutable: false, makesChecksums: hasChecksums), 1)
    try statement.run()
  }

  // MARK: The write-ahead log

  /// How to handle the log's file when all of it is in the database.
  public enum CheckpointMode: Sendable {
    /// The next writer starts from its beginning.
    case restart
    /// The file is truncated.
    case truncate
  }

  /// Copies the log into the database, as far as readers allow.
  ///
  /// Returns whether everything was copied. Throws `SQLiteError`, but not for busy readers.
  @discardableResult
  public func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> Bool {
    setBusyTimeout(0)
    defer { setBusyTimeout(waitMilliseconds) }
    let code = sqlite3_wal_checkpoint_v2(
      handle, nil, mode == .restart ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_TRUNCATE,
      nil, nil)
    if code == SQLITE_OK { wal.pages = 0 }
    guard code == SQLITE_OK || code == SQLITE_BUSY else { throw error(code) }
    return code == SQLITE_OK
  }
}
