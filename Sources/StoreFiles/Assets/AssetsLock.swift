internal import Basics

// A reader of contents outside a transaction keeps them in place with a shared lock.
extension DatabaseFile {
  /// The file of the lock.
  package var assetsLockPath: String { folder + "/\(Self.assetsLockName)" }

  static let assetsLockName = "assets.lock"
}

extension DatabaseFile {
  static let remotesLockName = "remotes.lock"
}

extension OpenDatabase {
  /// Waits until no other process pulls into the database or pushes from it.
  package func lockRemotes() throws(StoreError) -> WriterLock {
    let lock = try WriterLock(path: file.folder + "/" + DatabaseFile.remotesLockName)
    try lock.lock(patience)
    return lock
  }

  /// Keeps all contents in place until the lock is released; nil if the store is read-only and has
  /// no lock file.
  package func holdAssets() throws(StoreError) -> WriterLock? {
    guard !isReadOnly else { return nil }
    let lock = try WriterLock(path: file.assetsLockPath)
    try lock.lock(patience, isShared: true)
    return lock
  }

  /// Removes contents; while a reader holds them, they stay until `asset gc`.
  package func removeAssets(_ hashes: [String]) {
    guard !hashes.isEmpty, let lock = try? WriterLock(path: file.assetsLockPath), lock.tryLock()
    else { return }
    hashes.forEach(AssetFiles(folder: file.assetsPath, patience.interruption).remove)
    lock.unlock()
  }

  /// Waits until no reader holds contents, and locks them for removal.
  package func lockAssets() throws(StoreError) -> WriterLock {
    let lock = try WriterLock(path: file.assetsLockPath)
    try lock.lock(patience)
    return lock
  }
}
