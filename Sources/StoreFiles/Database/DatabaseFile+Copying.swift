public import Basics
public import SQLite

// Copies of a database that no process writes.
extension DatabaseFile {
  /// The bytes of database and log.
  public var copiedBytes: Int64 {
    [databasePath, logPath].reduce(0) { $0 + (FileSystem.size(of: $1) ?? 0) }
  }

  /// Copies database, log and lock; synchronizes nothing.
  public func copy(to target: DatabaseFile, _ meter: WorkMeter?) throws(SystemError) {
    try FileSystem.makeDirectory(target.folder)
    try FileSystem.copy(databasePath, to: target.databasePath, meter)
    if hasLog { try FileSystem.copy(logPath, to: target.logPath, meter) }
    // It remembers the last committed change.
    try FileSystem.copy(lockPath, to: target.lockPath)
  }

  /// Moves the log of a copy into its database, which then has everything: it takes less time to
  /// copy again, and can be read where no file can be made. Synchronizes nothing.
  public func dissolveLog() throws(StoreError) {
    guard hasLog else { return }
    do {
      let connection = try openAlone()
      guard try connection.emptyLog() else { return }
    }
    try onDisk { () throws(SystemError) in try FileSystem.remove(logPath) }
  }

  /// Opens a database that no other process uses yet: without the -shm file, and changes are not
  /// synchronized.
  public func openAlone() throws(StoreError) -> Connection {
    let connection = try open(isReadOnly: false)
    try connection.perform("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF")
    return connection
  }
}
