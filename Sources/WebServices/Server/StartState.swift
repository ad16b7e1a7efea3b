#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The state of the store after the start, which a reset brings back.
  struct StartState: Sendable {
    /// Whether the store may be reset at all.
    let mayReset: Bool
    private let clock: Timestamp?

    /// The snapshot of the state.
    private static let name = SnapshotName(stored: "server-start")

    init(_ settings: ServerSettings) {
      mayReset = settings.isOwn || settings.allowsReset
      clock = settings.clock
    }

    /// Saves the state, before the first request.
    func save(_ server: WebServer) throws(CloudError) {
      guard mayReset else { return }
      try server.store.saveSnapshot(Self.name, replaces: true, for: server.controlRequest)
    }

    /// Brings the state back. What was there becomes the snapshot `previous`.
    func restore(_ server: WebServer) throws { try restore(Self.name, server) }

    /// Brings the state of a snapshot back, and the clock of the start.
    func restore(_ name: SnapshotName, _ server: WebServer) throws {
      server.environments.closeAll()
      try server.store.restore(name, for: server.controlRequest)
      server.clock.withLock { $0 = clock }
    }
  }
#endif
