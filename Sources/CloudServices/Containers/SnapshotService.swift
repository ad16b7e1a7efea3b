public import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome

extension CloudStore {
  /// The snapshots, in byte order of their names.
  public func snapshots() throws(CloudError) -> [SnapshotFacts] {
    try requireStore()
    return try serving { try directory.snapshots() }
  }

  /// The names of the snapshots, in byte order.
  public func snapshotNames() throws(CloudError) -> [SnapshotName] {
    try requireStore()
    return try serving { try directory.snapshotNames() }
  }

  /// Opens a snapshot as a store. Throws `CloudError` for an unknown snapshot.
  public func snapshot(_ name: SnapshotName) throws(CloudError) -> CloudStore {
    try requireStore()
    let copy = CloudStore(path: directory.snapshot(name).path, directory.interruption)
    guard copy.exists else { throw try missing(name) }
    return copy
  }

  /// Saves a consistent copy of the store under a name.
  public func saveSnapshot(
    _ name: SnapshotName, replaces: Bool, for request: Request, _ meter: WorkMeter? = nil
  ) throws(CloudError) {
    try requireStore()
    try serving {
      try directory.saveSnapshot(
        name, replaces: replaces, patience: request.patience, meter)
    }
  }

  /// Restores the store from a snapshot; its current state becomes the snapshot `previous`.
  public func restore(
    _ name: SnapshotName, for request: Request, _ meter: WorkMeter? = nil
  ) throws(CloudError) {
    _ = try snapshot(name)
    forgetAll()
    defer { noteChange() }
    try serving {
      try directory.restore(name, patience: request.patience, meter)
    }
  }

  /// Deletes a snapshot. Throws `CloudError` for an unknown snapshot.
  public func deleteSnapshot(
    _ name: SnapshotName, for request: Request
  ) throws(CloudError) {
    _ = try snapshot(name)
    try serving {
      try directory.deleteSnapshot(name, patience: request.patience)
    }
  }

  private func missing(_ name: SnapshotName) throws(CloudError) -> CloudError {
    let names = try snapshotNames().map(\.text)
    return CloudError(
      .unknownItem, "no snapshot '\(name.text)'",
      remedy: .nearest(to: name.text, among: names) ?? .listSnapshots)
  }
}
