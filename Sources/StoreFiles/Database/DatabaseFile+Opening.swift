public import Basics
public import SQLite

// Opens a database whose files another process may replace at any moment.
extension DatabaseFile {
  /// An open database.
  public struct Opened {
    /// Its connection.
    public let connection: Connection
    /// Whether it is read-only.
    public let isReadOnly: Bool
    /// The identity of its file.
    public let identity: FileSystem.Identity?
    /// The version of a file that was opened as unchanging; nil otherwise.
    public let unchanging: FileSystem.Version?
  }

  /// Opens the database and its log, and checks both; with `allowsDamage` also damaged ones.
  ///
  /// A restore or a repair may replace the files between any two steps. What was read and opened
  /// belongs together if the database is still in its place at the end; otherwise everything is
  /// repeated.
  public func openWhole(allowsDamage: Bool, patience: Patience) throws(StoreError) -> Opened {
    for _ in 0..<Self.tries {
      let identity = FileSystem.identity(of: databasePath)
      do throws(StoreError) {
        let opened = try openOnce(allowsDamage: allowsDamage, patience, identity)
        if !opened.connection.hasMoved, isStill(identity) { return opened }
      } catch {
        // What looks damaged may be files of two different states.
        if isStill(identity) { throw error }
      }
    }
    throw .replaced
  }

  /// Files are not replaced this often in a row.
  private static let tries = 100

  private func isStill(_ identity: FileSystem.Identity?) -> Bool {
    FileSystem.identity(of: databasePath) == identity
  }

  private func openOnce(
    allowsDamage: Bool, _ patience: Patience, _ identity: FileSystem.Identity?
  ) throws(StoreError) -> Opened {
    let head = try check()
    if !allowsDamage {
      try requireWhole()
      try checkFolder()
      try upgradeIfOlder(head, patience: patience)
    }
    let (isReadOnly, hasLog) = (isReadOnly, hasLog)
    let unchanging = isReadOnly && !hasLog ? FileSystem.version(of: databasePath) : nil
    let connection = try open(isReadOnly: isReadOnly)
    let opened = Opened(
      connection: connection, isReadOnly: isReadOnly, identity: identity, unchanging: unchanging)
    // Read something, with or without a log: only then does SQLite open the log.
    // Note the state first: other processes may continue meanwhile.
    let noted = notedSequence
    let version = hasLog ? try version(connection) : head.version
    if allowsDamage {
      guard version == format.version else {
        throw StoreError(
          .olderVersion, "\(databasePath) has version \(version), but its tables do not match it")
      }
      return opened
    }
    if head.isShort { try checkPages(connection) }
    try check(sequence: lastSequence(connection), noted)
    return opened
  }

  /// Reads every page. Throws `StoreError` if one is missing or damaged.
  private func checkPages(_ connection: Connection) throws(StoreError) {
    let answer = try connection.string("PRAGMA integrity_check(1)")
    guard answer == "ok" else {
      throw StoreError(.corrupt, "\(databasePath) is truncated: \(answer ?? "")")
    }
  }

  /// Throws `StoreError` if the last change that the lock remembers is missing.
  public func check(sequence: Int64, _ noted: Int64) throws(StoreError) {
    guard sequence < noted else { return }
    throw StoreError(
      .corrupt,
      "\(databasePath) ends at change \(sequence), but change \(noted) was made: its log is "
        + "missing, or it is an older copy")
  }

  /// Whether there is a database.
  public var isThere: Bool { FileSystem.status(of: databasePath) != nil }
}

extension StoreError {
  /// The open files no longer belong to the store.
  public static let replaced = StoreError(
    .busy(holder: nil), "the store's files were replaced meanwhile: try again")
}
