public import Basics

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
}
