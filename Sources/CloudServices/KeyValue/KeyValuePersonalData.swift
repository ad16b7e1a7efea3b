internal import Basics
public import CloudModel
internal import UbiquityStore

// What the key-value stores hold of a person, and how it goes (M8). Both environments of a
// container share one store.
extension CloudStore {
  /// The keys of an account in a container's key-value store, for iCloud and each of its devices;
  /// none where there is nothing. Throws `CloudError`.
  public func keyValueData(
    of account: Account, in id: ContainerID, for request: Request
  ) throws(CloudError) -> [(device: Device?, entries: [KeyValueEntry])] {
    try require(id)
    guard let store = try KeyValueStore(id, of: self, for: request, nil).open() else { return [] }
    return try serving {
      try store.beginRead()
      defer { store.endRead() }
      let inCloud = try store.serverEntries(of: account, after: 0).filter { $0.value != nil }
      var data: [(device: Device?, entries: [KeyValueEntry])] = []
      if !inCloud.isEmpty {
        data.append((nil, inCloud.sorted { utf8Precedes($0.key, $1.key) }))
      }
      for copy in try store.copies(of: account) {
        let entries = try store.entries(of: copy).map(\.entry)
        if !entries.isEmpty { data.append((copy.device, entries)) }
      }
      return data
    }
  }

  /// Deletes them, with the copies of the account's devices and their events. Throws `CloudError`.
  public func purgeKeyValues(
    of account: Account, in id: ContainerID, for request: Request
  ) throws(CloudError) {
    try require(id)
    let keys = KeyValueStore(id, of: self, for: request, nil)
    guard try keys.open() != nil else { return }
    try keys.transaction { _ = try $0.removeAll(of: account) }
  }
}
