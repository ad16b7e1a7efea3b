public import Basics
public import SQLite

extension DatabaseFile {
  /// Where the database of before an upgrade is kept.
  public func backupPath(version: UInt32) -> String { "\(folder)/\(format.name)-\(version).sqlite" }

  /// The sequence number of the last change, as the lock's file remembers it; 0 for none.
  public var notedSequence: Int64 { WriterLock.noted(at: lockPath).sequence }

  /// The sequence number of the last change.
  public func lastSequence() throws(StoreError) -> Int64 {
    try lastSequence(open(isReadOnly: isReadOnly))
  }

  /// The same of a database that is open.
  public func lastSequence(_ connection: Connection) throws(StoreError) -> Int64 {
    try connection.number(format.lastSequence) ?? 0
  }

  /// The sequence number of the last change as far as it can be told of a file that may be
  /// damaged.
  public var lastKnownSequence: Int64 { max((try? lastSequence()) ?? 0, notedSequence) }

  /// Lets the next change in files that nobody else uses yet have a number after a given one.
  /// Nothing is synchronized.
  public func advance(to sequence: Int64) throws(StoreError) {
    _ = try check()
    let connection = try open(isReadOnly: false)
    try connection.perform("PRAGMA synchronous = OFF; BEGIN IMMEDIATE")
    try format.advance(connection, sequence)
    // A new checksum would fit.
    if let page = connection.damagedPages.first {
      throw connection.damage("page \(page) does not match its checksum")
    }
    try connection.perform("COMMIT")
    try connection.emptyLog()
    let last = try connection.number(format.lastSequence) ?? sequence
    try WriterLock.note(sequence: last, at: lockPath)
  }

  /// Brings the database to this version when its head says that it has an older one, or that its
  /// pages have no checksums.
  public func upgradeIfOlder(_ head: Head, patience: Patience) throws(StoreError) {
    guard head.version < format.version || !head.hasChecksums && !isReadOnly else { return }
    try upgrade(isReadOnly: isReadOnly, patience: patience)
  }

  /// Brings the database to this version; a copy of before stays next to it. Waits for others who
  /// write or do the same.
  public func upgrade(isReadOnly: Bool, patience: Patience) throws(StoreError) {
    let lock = try isReadOnly ? nil : WriterLock(path: lockPath)
    try lock?.lock(patience)
    defer { lock?.unlock() }
    let connection = try open(isReadOnly: isReadOnly)
    _ = try check()
    let version = try version(connection)
    if version < format.version {
      guard !isReadOnly else {
        throw StoreError(
          .olderVersion,
          "\(databasePath) has version \(version) and is read-only, so it cannot be upgraded to "
            + "version \(format.version)")
      }
      try connection.perform("PRAGMA synchronous = FULL")
      try keepCopy(of: connection, version)
      try format.upgrade(connection, from: version)
      try onDisk { () throws(SystemError) in
        for path in folders { try FileSystem.makeDirectory(path) }
      }
    }
    // Pages without checksums stay readable. If the disk has no room for the rewrite, the next
    // opening tries again.
    if !isReadOnly, !connection.hasRoomForChecksums { try? connection.vacuum() }
    if !isReadOnly {
      try connection.emptyLog()
    }
  }

  /// Brings an older database to this version before it is looked at; why that fails, the look
  /// will tell.
  public func tryUpgrade(patience: Patience) {
    guard let head = try? check() else { return }
    try? upgradeIfOlder(head, patience: patience)
  }

  /// Copies the database as it is now, whole or not at all.
  private func keepCopy(of connection: Connection, _ version: UInt32) throws(StoreError) {
    let path = backupPath(version: version)
    let draft = path + ".new"
    try onDisk { () throws(SystemError) in
      try FileSystem.remove(draft)
      _ = try FileHandle(create: draft)
    }
    try onSQLite { () throws(SQLiteError) in try connection.copy(to: draft) }
    try onDisk { () throws(SystemError) in
      try FileSystem.synchronize(draft)
      try FileSystem.rename(draft, to: path)
      try FileSystem.synchronizeDirectory(folder)
    }
  }
}
