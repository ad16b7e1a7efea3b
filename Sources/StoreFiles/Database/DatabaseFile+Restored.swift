internal import Basics
internal import CloudModel

// Files that a snapshot was restored to.
extension DatabaseFile {
  /// Whether the system stopped before restored files were on the disk: what they hold is not known
  /// before all of it was read.
  public var isUnsettled: Bool {
    guard let run = WriterLock.noted(at: lockPath).restoredIn else { return false }
    return run != Platform.systemRun
  }

  /// Throws `StoreError` for files that may not be whole.
  public func requireWhole() throws(StoreError) {
    guard isUnsettled else { return }
    throw StoreError(
      .corrupt,
      "\(folder) was restored from a snapshot just before the system stopped",
      remedy: .restoreAgain)
  }

  /// Brings restored files to the disk, with the names of all above them.
  public func settle(_ lock: WriterLock) throws(StoreError) {
    try requireWhole()
    try onDisk { () throws(SystemError) in
      let containers = FileSystem.parent(of: FileSystem.parent(of: folder))
      try FileSystem.synchronizeAll(FileSystem.parent(of: containers))
    }
    lock.settle()
  }
}
