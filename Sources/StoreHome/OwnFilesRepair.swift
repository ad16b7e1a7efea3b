internal import Basics
internal import CloudModel
public import StoreFiles

extension StoreDirectory {
  /// Removes what interrupted commands left, and replaces unreadable settings by new ones; the old
  /// ones remain next to them.
  public func repairOwnFiles() throws(StoreError) {
    if try isPartlyReplaced() { try changingSnapshots(settingsPatience) {} }
    let lock = try containersLock(settingsPatience)
    defer { lock.unlock() }
    // While the lock is held, no process makes or deletes a container.
    try onDisk { () throws(SystemError) in
      for name in try FileSystem.list(containersPath) where Self.isLeftover(name) {
        try FileSystem.remove("\(containersPath)/\(name)")
      }
    }
    try onDisk { () throws(SystemError) in
      for file in ownFiles where FileSystem.modeForOthers(of: file) != nil {
        try FileSystem.restrict(file)
      }
    }
    do throws(StoreError) { _ = try people() } catch  where error.kind == .corrupt {
      try setAside(peoplePath)
    }
    do throws(StoreError) { _ = try access() } catch  where error.kind == .corrupt {
      try setAside(accessPath)
    }
    guard let fault = settingsFault, fault.kind == .corrupt else { return }
    try setAside(settingsPath)
    try save(StoreSettings())
  }

  /// The files outside of databases, as far as they exist.
  var ownFiles: [String] {
    [settingsPath, accessPath, peoplePath].filter { FileSystem.exists($0) }
  }

  /// Moves a damaged file next to `store.json`. Those of earlier repairs remain.
  private func setAside(_ file: String) throws(StoreError) {
    let target = "\(path)/\(FileSystem.name(of: file)).damaged"
    var (free, number) = (target, 1)
    while FileSystem.exists(free) {
      number += 1
      free = "\(target)-\(number)"
    }
    try onDisk { () throws(SystemError) in try FileSystem.rename(file, to: free) }
  }

  /// Whether a name among the containers is that of one that was being made or deleted.
  static func isLeftover(_ name: String) -> Bool {
    name.hasPrefix(".new-") || name.hasPrefix(".deleted-")
  }

  private var settingsFault: StoreError? {
    do throws(StoreError) {
      _ = try settings()
      return nil
    } catch { return error }
  }
}
