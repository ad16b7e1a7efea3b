internal import Basics
public import CloudModel
internal import UbiquityStore

// A person's keys in the key-value stores, for export and deletion (M8). Both environments of a
// container share one store.
extension CloudStore {
  /// The keys of an account in a container's key-value store, for iCloud and each of its devices;
  /// omits empty ones.
  public func keyValueData(
    of account: Account, in id: ContainerID, for request: Request
  ) throws(CloudError) -> [(device: Device?, entries: [KeyValueEntry])] {
    try require(id)
    guard let store = try KeyValueStore(id, of: self, for: request, nil).open() else { return [] }
    return try serving {
      try store.beginRead()
      defer { store.endRead() }
      let inCloud = try store.serverEntries(of: account).filter { $0.value != nil }
      var data: [(device: Device?, entries: [KeyValueEntry])] = []
      if !inCloud.isEmpty { data.append((nil, inCloud)) }
      for copy in try store.copies(of: account) {
        let entries = try store.entries(of: copy).map(\.entry)
        if !entries.isEmpty { data.append((copy.device, entries)) }
      }
      return data
    }
  }

  /// Deletes an account's keys and documents in a container, with its devices' copies and their
  /// events.
  public func purgeUbiquity(
    of account: Account, in id: ContainerID, for request: Request
  ) throws(CloudError) {
    try require(id)
    let app = DeviceApp(id, of: self, for: request, nil)
    guard try app.open() != nil else { return }
    try app.transaction { store in
      _ = try store.removeAll(of: account)
      _ = try store.removeDocuments(of: account)
    }
  }
}
