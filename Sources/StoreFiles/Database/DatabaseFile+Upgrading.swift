public import Basics
public import SQLite

extension DatabaseFile {
  /// The path of the copy from before an upgrade.
  public func backupPath(version: UInt32) -> String { "\(folder)/\(format.name)-\(version).sqlite" }

  /// The sequence number of the last change that the lock's file remembers; 0 for none.
  public var notedSequence: Int64 { WriterLock.noted(at: lockPath).sequence }

  /// The sequence number of the last change.
  public func lastSequence() throws(StoreError) -> Int64 {
    try lastSequence(open(isReadOnly: isReadOnly))
  }

  /// The sequence number of the last change of an open database.
  public func lastSequence(_ connection: Connection) throws(StoreError) -> Int64 {
    try connection.number(format.lastSequence) ?? 0
  }

  /// The sequence number of the last change, as far as it is known of a file that may be damaged.
  public var lastKnownSequence: Int64 { max((try? lastSequence()) ?? 0, notedSequence) }

  /// Makes the next change have a number after a given one, in files that no other process uses
  /// yet. Synchronizes nothing.
  public func advance(to sequence: Int64) throws(StoreError) {
    _ = try check()
    let connection = try openAlone()
    try connection.perform("BEGIN IMMEDIATE")
    try format.advance(connection, sequence)
    // A new checksum would match.
    if let page = connection.damagedPages.first {
      throw connection.damage("page \(page) does not match its checksum")
    }
    try connection.perform("COMMIT")
    try connection.emptyLog()
    let last = try connection.number(format.lastSequence) ?? sequence
    try WriterLock.note(sequence: last, at: lockPath)
  }

  /// Upgrades the database if its header has an older version, or if its pages have no checksums.
  public func upgradeIfOlder(_ head: Head, patience: Patience) throws(StoreError) {
    guard head.version < format.version || !head.hasChecksums && !isReadOnly else { return }
    try upgrade(isReadOnly: isReadOnly, patience: patience)
  }

  /// The error for an older version that cannot be upgraded because it is read-only. The file is
  /// not damaged.
  func notUpgradable(from version: UInt32) -> StoreError {
    StoreError(
      .readOnly,
      "\(databasePath) has version \(version) and is read-only, so it cannot be upgraded to "
        + "version \(format.version)")
  }

  /// Upgrades the database; a copy from before stays next to it. Waits for other writers.
  public func upgrade(isReadOnly: Bool, patience: Patience) throws(StoreError) {
    let lock = try isReadOnly ? nil : WriterLock(path: lockPath)
    try lock?.lock(patience)
    defer { lock?.unlock() }
    let connection = try open(isReadOnly: isReadOnly)
    _ = try check()
    let version = try version(connection)
    if version < format.version {
      guard !isReadOnly else { throw notUpgradable(from: version) }
      try connection.perform("PRAGMA synchronous = FULL")
      try keepCopy(of: connection, version)
      try format.upgrade(connection, from: version)
      try onDisk { () throws(SystemError) in
        for path in folders { try FileSystem.makeDirectory(path) }
      }
    }
    // Pages without checksums remain readable. If the disk has no room for the rewrite, the next
    // opening tries again.
    if !isReadOnly, !connection.hasRoomForChecksums { try? connection.vacuum() }
    if !isReadOnly {
      try connection.emptyLog()
    }
  }

  /// Upgrades an older database before it is examined; the examination reports why that failed.
  public func tryUpgrade(patience: Patience) {
    guard let head = try? check() else { return }
    try? upgradeIfOlder(head, patience: patience)
  }

  /// Copies the database as it is now, completely or not at all.
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
