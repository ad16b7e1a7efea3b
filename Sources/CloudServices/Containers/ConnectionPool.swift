internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreFiles

/// The open connections to a store's environments. Each serves one request at a time; any number
/// may read, but only one has the write lock.
final class ConnectionPool: Sendable {
  /// The idle connections, by folder.
  private let idle = Locked(SmallMap<String, [Idle]>())

  /// An idle connection; taking it out of the pool gives exclusive access.
  private struct Idle: @unchecked Sendable {
    let store: EnvironmentStore
  }

  /// A request's use of a connection, which returns to the pool with the last reference.
  final class Lease {
    let store: EnvironmentStore
    private let folder: String
    private weak var pool: ConnectionPool?

    fileprivate init(_ store: EnvironmentStore, _ folder: String, _ pool: ConnectionPool?) {
      (self.store, self.folder, self.pool) = (store, folder, pool)
    }

    /// The use of a connection outside any pool.
    convenience init(_ store: EnvironmentStore) { self.init(store, "", nil) }

    deinit {
      store.abandon()
      pool?.giveBack(store, folder)
    }
  }

  /// Returns a connection to the environment in a folder; opens one if none is idle.
  func lease(_ folder: String, patience: Patience) throws(StoreError) -> Lease {
    while let known = take(folder) {
      // A restore or a repair may have replaced the files.
      if known.store.isCurrent { return Lease(known.store, folder, self) }
    }
    let opened = try EnvironmentStore(folder: folder, patience: patience)
    return Lease(opened, folder, self)
  }

  private func take(_ folder: String) -> Idle? {
    idle.withLock { $0[folder]?.popLast() }
  }

  private func giveBack(_ store: EnvironmentStore, _ folder: String) {
    let given = Idle(store: store)
    idle.withLock { $0[folder, default: []].append(given) }
  }

  /// Closes the idle connections, outside the lock.
  func closeIdle() {
    let closed = idle.withLock { idle in
      defer { idle = SmallMap() }
      return idle
    }
    _ = consume closed
  }

  /// Lets the idle connections rest.
  func rest() {
    let all = idle.withLock { idle in
      defer { idle = SmallMap() }
      return idle
    }
    for (folder, connections) in zip(all.keys, all.values) {
      for connection in connections {
        connection.store.rest()
        giveBack(connection.store, folder)
      }
    }
  }
}
