internal import Basics
internal import CloudModel

// Files that were restored from a snapshot.
extension DatabaseFile {
  /// Whether the system stopped before restored files were on the disk: their contents are unknown
  /// until everything was read.
  public var isUnsettled: Bool {
    guard let run = WriterLock.noted(at: lockPath).restoredIn else { return false }
    return run != Platform.systemRun
  }

  /// Throws `StoreError` for files that may be incomplete.
  public func requireWhole() throws(StoreError) {
    guard isUnsettled else { return }
    throw StoreError(
      .corrupt,
      "\(folder) was restored from a snapshot just before the system stopped",
      remedy: .restoreAgain)
  }

  /// Writes restored files to the disk, with the names of all directories above them.
  public func settle(_ lock: WriterLock) throws(StoreError) {
    try requireWhole()
    try onDisk { () throws(SystemError) in
      let containers = FileSystem.parent(of: FileSystem.parent(of: folder))
      try FileSystem.synchronizeAll(FileSystem.parent(of: containers))
    }
    lock.settle()
  }
}
