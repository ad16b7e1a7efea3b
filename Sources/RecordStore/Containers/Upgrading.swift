internal import Basics
internal import SQLite

extension EnvironmentFile {
  /// Where the database of before an upgrade is kept.
  func backupPath(version: UInt32) -> String { "\(folder)/records-\(version).sqlite" }

  /// The sequence number of the last change, as the lock's file remembers it; 0 for none.
  var notedSequence: Int64 { WriterLock.notedSequence(at: lockPath) }

  /// Brings the database to this version; a copy of before stays beside it. Waits for others who
  /// write or do the same. Throws `StoreError`.
  func upgrade(isReadOnly: Bool, waitMilliseconds: Int64) throws(StoreError) {
    let lock = try isReadOnly ? nil : WriterLock(path: lockPath)
    try lock?.lock(waitMilliseconds: waitMilliseconds)
    defer { lock?.unlock() }
    let version = try check().version
    guard version < Migrations.version else { return }
    guard !isReadOnly else {
      throw StoreError(
        .olderVersion,
        "\(databasePath) has version \(version) and may not be written, so that it cannot be "
          + "brought to version \(Migrations.version)")
    }
    do throws(SQLiteError) {
      let connection = try Connection(path: databasePath, mode: .readWrite)
      try connection.execute("PRAGMA synchronous = FULL")
      try keepCopy(of: connection, version)
      try Migrations.upgrade(connection, from: version)
      try connection.checkpoint(.truncate)
    } catch {
      throw StoreError(error, databasePath)
    }
  }

  /// Copies the database as it is now, whole or not at all.
  private func keepCopy(of connection: Connection, _ version: UInt32) throws(SQLiteError) {
    let path = backupPath(version: version)
    let draft = path + ".new"
    do throws(SystemError) {
      try FileSystem.remove(draft)
      _ = try FileHandle(create: draft)
    } catch { throw SQLiteError(code: 14, message: error.description) }
    try connection.copy(to: draft)
    do throws(SystemError) {
      try FileSystem.synchronize(draft)
      try FileSystem.rename(draft, to: path)
      try FileSystem.synchronizeDirectory(folder)
    } catch { throw SQLiteError(code: 10, message: error.description) }
  }
}
