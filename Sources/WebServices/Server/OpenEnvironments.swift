#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The environments that requests use: each stays open with its connection for the next request,
  /// until it is not used for some seconds. Opening one looks at a dozen files.
  final class OpenEnvironments: Sendable {
    private let store: CloudStore
    private let idle = Locked<[Entry]>([])
    /// Enough for the threads that usually read.
    private static let mostIdle = 64

    /// An idle environment; taking it out gives exclusive access.
    private struct Entry: @unchecked Sendable {
      let environment: CloudEnvironment
      /// The store's version when it was opened: a later one may have other files.
      let version: Int
      /// Whether no request used it since the last `closeUnused`.
      var isUnused = false
    }

    init(_ store: CloudStore) { self.store = store }

    /// Passes an environment for a request to `body`. Throws `badContainer` for an unknown
    /// container, and what `body` throws.
    func with<T>(
      _ container: ContainerID, _ environment: Environment, for request: Request,
      _ body: (CloudEnvironment) throws -> T
    ) throws -> T {
      let known = takeIdle(container, environment)
      let entry: Entry
      if let known, known.version == store.version {
        entry = known
      } else {
        let version = store.version
        entry = Entry(
          environment: try store.environment(container, environment, for: Request()),
          version: version)
      }
      defer { giveBack(entry) }
      return try body(entry.environment.acting(for: request))
    }

    /// As `with`, but opens nothing and does not wait: returns nil if the environment is not open,
    /// the store is busy, or faults are injected, which may have to be counted.
    func atOnce<T>(
      _ container: ContainerID, _ environment: Environment, for request: Request,
      _ body: (CloudEnvironment) throws -> T
    ) throws -> T? {
      guard let entry = takeIdle(container, environment), entry.version == store.version
      else { return nil }
      defer { giveBack(entry) }
      guard try store.faults().isEmpty else { return nil }
      var request = request
      request.patience.milliseconds = 0
      do { return try body(entry.environment.acting(for: request)) } catch let error as CloudError {
        if case .busy? = error.storage { return nil }
        throw error
      }
    }

    /// Takes an idle environment out of the list, and learns what other processes changed.
    private func takeIdle(_ container: ContainerID, _ environment: Environment) -> Entry? {
      let known = idle.withLock { idle -> Entry? in
        let place = idle.lastIndex {
          $0.environment.container == container && $0.environment.environment == environment
        }
        guard let place else { return nil }
        idle[place].isUnused = false
        return idle.remove(at: place)
      }
      // A test changes a setting with a command, and its next request must see that.
      store.noteChanges(of: known?.environment, atOnce: true)
      return known
    }

    private func giveBack(_ entry: Entry) {
      // Those that are dropped return their connections to the store, outside of the lock.
      let dropped = idle.withLock { idle -> [Entry] in
        let version = entry.version
        var dropped = idle.filter { $0.version != version }
        if !dropped.isEmpty { idle.removeAll { $0.version != version } }
        if idle.count < Self.mostIdle { idle.append(entry) } else { dropped.append(entry) }
        return dropped
      }
      _ = consume dropped
    }

    /// Closes the environments that no request used since the last call: a burst of requests may
    /// have opened dozens, each with a page cache.
    func closeUnused() {
      let closed = idle.withLock { idle in
        let unused = idle.filter(\.isUnused)
        idle.removeAll(where: \.isUnused)
        for place in idle.indices { idle[place].isUnused = true }
        return unused
      }
      _ = consume closed
      store.closeIdle()
    }

    /// Closes all idle environments, before the files of the store are replaced.
    func closeAll() {
      let closed = idle.withLock { idle in
        defer { idle = [] }
        return idle
      }
      _ = consume closed
    }
  }
#endif
