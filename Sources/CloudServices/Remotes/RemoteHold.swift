public import CloudModel
internal import RecordStore
internal import StoreFiles

/// Keeps other processes from pulling into an environment or pushing from it, while it exists.
public final class RemoteHold {
  private let lock: WriterLock

  init(_ lock: WriterLock) { self.lock = lock }

  deinit { lock.unlock() }
}

extension CloudEnvironment {
  /// Waits until no other process pulls or pushes. Throws `zoneBusy` when patience ends.
  public func holdForRemotes() throws(CloudError) -> RemoteHold {
    try operating { RemoteHold(try store.lockRemotes()) }
  }
}
