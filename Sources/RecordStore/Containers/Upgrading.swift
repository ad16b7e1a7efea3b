internal import Basics
internal import SQLite

extension EnvironmentFile {
  /// Where the database of before an upgrade is kept.
  func backupPath(version: UInt32) -> String { "\(folder)/records-\(version).sqlite" }

  /// The sequence number of the last change, as the lock's file remembers it; 0 for none.
  var notedSequence: Int64 { WriterLock.noted(at: lockPath).sequence }

  /// Brings the database to this version when its head says that it has an older one, or that its
  /// pages have no checksums. Throws `StoreError`.
  func upgradeIfOlder(_ head: Head, waitMilliseconds: Int64) throws(StoreError) {
    guard head.version < Migrations.version || !head.hasChecksums && !isReadOnly else { return }
    try upgrade(isReadOnly: isReadOnly, waitMilliseconds: waitMilliseconds)
  }

  /// Brings the database to this version; a copy of before stays next to it. Waits for others who
  /// write or do the same. Throws `StoreError`.
  func upgrade(isReadOnly: Bool, waitMilliseconds: Int64) throws(StoreError) {
    let lock = try isReadOnly ? nil : WriterLock(path: lockPath)
    try lock?.lock(waitMilliseconds: waitMilliseconds)
    defer { lock?.unlock() }
    let connection = try open(isReadOnly: isReadOnly)
    _ = try check()
    let version = try version(connection)
    if version < Migrations.version {
      guard !isReadOnly else {
        throw StoreError(
          .olderVersion,
          "\(databasePath) has version \(version) and may not be written, so that it cannot "
            + "be brought to version \(Migrations.version)")
      }
      try sql { () throws(SQLiteError) in try connection.execute("PRAGMA synchronous = FULL") }
      try keepCopy(of: connection, version)
      try sql { () throws(SQLiteError) in try Migrations.upgrade(connection, from: version) }
    }
    // Pages without checksums stay readable. If the disk has no room for the rewrite, the next
    // opening tries again.
    if !isReadOnly, !connection.hasRoomForChecksums { try? connection.vacuum() }
    if !isReadOnly {
      try sql { () throws(SQLiteError) in _ = try connection.checkpoint(.truncate) }
    }
  }

  /// Copies the database as it is now, whole or not at all.
  private func keepCopy(of connection: Connection, _ version: UInt32) throws(StoreError) {
    let path = backupPath(version: version)
    let draft = path + ".new"
    try onDisk { () throws(SystemError) in
      try FileSystem.remove(draft)
      _ = try FileHandle(create: draft)
    }
    try sql { () throws(SQLiteError) in
      try connection.copy(to: draft)
    }
    try onDisk { () throws(SystemError) in
      try FileSystem.synchronize(draft)
      try FileSystem.rename(draft, to: path)
      try FileSystem.synchronizeDirectory(folder)
    }
  }
}
