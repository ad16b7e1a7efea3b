public import Basics
public import SQLite

// How a database is opened that others may replace at any moment.
extension DatabaseFile {
  /// A database that is open.
  public struct Opened {
    /// Its connection.
    public let connection: Connection
    /// Whether it may not be changed.
    public let isReadOnly: Bool
    /// Which file it is.
    public let identity: FileSystem.Identity?
    /// Its version, where it was opened as one that nobody changes.
    public let unchanging: FileSystem.Version?
  }

  /// Opens the database and its log, and checks both; with `allowsDamage` also damaged ones. Throws
  /// `StoreError`.
  ///
  /// A restore or a repair may put other files into their place between two steps. What was read
  /// and opened belongs together if the database is still in its place after all of it, else it is
  /// done again.
  public func openWhole(allowsDamage: Bool, patience: Patience) throws(StoreError) -> Opened {
    for _ in 0..<Self.tries {
      let identity = FileSystem.identity(of: databasePath)
      do throws(StoreError) {
        let opened = try openOnce(allowsDamage: allowsDamage, patience, identity)
        if !opened.connection.hasMoved, isStill(identity) { return opened }
      } catch {
        // What looks damaged may be the files of two states.
        if isStill(identity) { throw error }
      }
    }
    throw .replaced
  }

  /// Nobody replaces files so often in a row.
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
    // With a log or without one, something is read: SQLite opens the log then, not before.
    // Noted first: others may go on meanwhile.
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

  /// Looks at every page. Throws `StoreError` when one is missing or wrong.
  private func checkPages(_ connection: Connection) throws(StoreError) {
    let answer = try connection.string("PRAGMA integrity_check(1)")
    guard answer == "ok" else {
      throw StoreError(.corrupt, "\(databasePath) is truncated: \(answer ?? "")")
    }
  }

  /// Throws `StoreError` when the last change that was noted is missing.
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
  /// What was opened is not the store's any more.
  public static let replaced = StoreError(
    .busy(holder: nil), "the store's files were replaced meanwhile: try again")
}
