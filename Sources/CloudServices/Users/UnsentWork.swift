internal import Basics
public import CloudModel
internal import UbiquityStore

/// Data that exists only on a device: iCloud does not have it yet, or never will.
public struct UnsentWork: Sendable, Equatable {
  /// The kind of data.
  public enum Subject: Sendable, Equatable {
    /// The value of a key, or its removal.
    case key(String)
    /// The contents of a document, including a local-only one.
    case contents(DocumentPath)
    /// The new path of a document.
    case path(DocumentPath)
    /// The removal of a document.
    case removal(DocumentPath)
    /// Versions that lost on the device, and resolutions of conflicts.
    case versions(DocumentPath)
    /// Unsaved changes of an open document.
    case edit(DocumentPath)
  }

  /// The data.
  public let subject: Subject
  /// The container.
  public let container: ContainerID
  /// The account; nil for keys that were written while no account was signed in.
  public let account: Account?
  /// The device.
  public let device: Device
}

extension CloudStore {
  /// The data that exists only on a device, of one account or of all.
  public func unsentWork(
    on device: Device, of account: Account? = nil, for request: Request
  ) throws(CloudError) -> [UnsentWork] {
    var work: [UnsentWork] = []
    try forEachKeyValueStore(for: request) { (keys) throws(CloudError) in
      work +=
        try keys.reading { store in
          try store.unsentWork(
            in: store.copies(on: device), store.replicas(on: device), of: keys.container)
        } ?? []
    }
    return account == nil ? work : work.filter { $0.account == account }
  }

  /// The data of an account in a container that exists only on devices.
  public func unsentWork(
    of account: Account, in container: ContainerID, for request: Request
  ) throws(CloudError) -> [UnsentWork] {
    try DeviceApp(container, of: self, for: request, nil).reading { store in
      try store.unsentWork(
        in: store.copies(of: account), store.replicas(of: account), of: container)
    } ?? []
  }
}

extension UbiquityStore {
  fileprivate func unsentWork(
    in copies: [DeviceCopy], _ replicas: [Replica], of container: ContainerID
  ) throws -> [UnsentWork] {
    var work: [UnsentWork] = []
    for copy in copies {
      work += try pendingEntries(of: copy).map {
        UnsentWork(
          subject: .key($0.key), container: container, account: copy.account, device: copy.device)
      }
    }
    for replica in replicas {
      for item in try items(of: replica) {
        work += try unsentWork(on: item).map {
          UnsentWork(
            subject: $0, container: container, account: replica.account, device: replica.device)
        }
      }
    }
    return work
  }

  /// The data of a document that exists only on the device.
  func unsentWork(on item: DeviceItem) throws -> [UnsentWork.Subject] {
    var work: [UnsentWork.Subject] = []
    if item.isDeletedHere { return [] }
    let (path, changes) = (item.path, item.changes)
    if changes.contains(.contents) || path.isLocal { work.append(.contents(path)) }
    if changes.contains(.path) { work.append(.path(path)) }
    if changes.contains(.removal) { work.append(.removal(path)) }
    if changes.contains(.versions) { work.append(.versions(path)) }
    if try openDocument(item)?.hasUnsavedChanges == true { work.append(.edit(path)) }
    return work
  }
}
