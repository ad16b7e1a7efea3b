internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreHome
internal import UbiquityStore

// The key-value store of a fixture: iCloud's keys for each account, and the copies of devices.
extension FixtureKeyValues: StoredFixtureEntry {
  static func all(in directory: ShareDirectory) throws -> [FixtureKeyValues] {
    let environment = directory.environment
    return try environment.owner.fixtureKeyValues(
      in: environment.container, for: environment.request)
  }

  /// Checks the keys, which are loaded after the records.
  func loadAfterRecords(
    _ loading: inout FixtureEntryLoading, _ transaction: WriteTransaction
  ) throws {
    let environment = loading.environment
    let store = KeyValueStore(
      environment.container, of: environment.owner, for: environment.request, nil)
    let limits = try store.behavior().limits
    for member in values { try limits.check(key: member.key) }
  }

  static func load(
    _ given: [FixtureKeyValues], in id: ContainerID, of store: CloudStore, for request: Request
  ) throws(CloudError) {
    try store.load(given, in: id, for: request)
  }
}

extension CloudStore {
  /// The keys of a container, iCloud's first, then by device.
  fileprivate func fixtureKeyValues(
    in id: ContainerID, for request: Request
  ) throws(CloudError) -> [FixtureKeyValues] {
    let keys = KeyValueStore(id, of: self, for: request, nil)
    guard let store = try keys.open() else { return [] }
    return try serving {
      try store.beginRead()
      defer { store.endRead() }
      var all: [FixtureKeyValues] = []
      for name in try store.accountNames() {
        let account = Account(stored: name)
        let inCloud = try store.serverEntries(of: account).compactMap(\.member)
        if !inCloud.isEmpty { all.append(FixtureKeyValues(on: nil, of: account, inCloud)) }
        for copy in try store.copies(of: account) {
          var keys = FixtureKeyValues(
            on: copy.device, of: account, try store.entries(of: copy).compactMap(\.entry.member))
          keys.pending = try store.pendingEntries(of: copy).map(\.key)
          if !keys.values.isEmpty || !keys.pending.isEmpty { all.append(keys) }
        }
      }
      return all
    }
  }

  /// Replaces the keys of the accounts and devices that a fixture names.
  fileprivate func load(
    _ given: [FixtureKeyValues], in id: ContainerID, for request: Request
  ) throws(CloudError) {
    if given.isEmpty { return }
    let devices = try people().devices
    let keys = KeyValueStore(id, of: self, for: request, nil)
    try keys.transaction { store in
      for part in given.filter({ $0.device == nil }) + given.filter({ $0.device != nil }) {
        let account = part.owner
        if let device = part.device {
          let signedIn = device == .cli ? account : devices[device.name]?.account ?? account
          try load(part, of: account, on: device, isCurrent: signedIn == account, request, store)
        } else {
          try loadServer(part, of: account, request, store)
        }
      }
    }
  }

  private func loadServer(
    _ part: FixtureKeyValues, of account: Account, _ request: Request, _ store: UbiquityStore
  ) throws {
    var old = Dictionary(
      uniqueKeysWithValues: try store.serverEntries(of: account).compactMap(\.member)
        .map { (Array($0.key.utf8), $0) })
    // The pending keys of devices are later.
    let time = Timestamp(milliseconds: request.now.milliseconds - 1)
    for member in part.values where old.removeValue(forKey: Array(member.key.utf8)) != member {
      try store.putOnServer(
        KeyValueEntry(member.key, member.value, at: time, device: request.device),
        of: account)
    }
    for member in old.values.sorted(by: { utf8Precedes($0.key, $1.key) }) {
      try store.putOnServer(
        KeyValueEntry(member.key, nil, at: time, device: request.device), of: account)
    }
  }

  private func load(
    _ part: FixtureKeyValues, of account: Account, on device: Device, isCurrent: Bool,
    _ request: Request, _ store: UbiquityStore
  ) throws {
    var copy = try store.copy(of: account, on: device) ?? store.makeCopy(of: account, on: device)
    let pending = Set(part.pending.map { Array($0.utf8) })
    for (entry, _) in try store.entries(of: copy) { try store.remove(entry.key, from: copy) }
    for key in part.pending {
      try store.put(
        KeyValueEntry(key, nil, at: request.now, device: device), isPending: true, in: copy)
    }
    for member in part.values {
      try store.put(
        KeyValueEntry(member.key, member.value, at: request.now, device: device),
        isPending: pending.contains(Array(member.key.utf8)), in: copy)
    }
    for var other in try store.copies(on: device)
    where isCurrent && device != .cli && other.number != copy.number && other.isCurrent {
      other.isCurrent = false
      try store.update(other)
    }
    copy.isCurrent = isCurrent
    copy.isSynchronized = true
    copy.seen = try store.lastSequence()
    try store.update(copy)
  }
}

extension KeyValueEntry {
  /// The key with its value; nil for one that was removed.
  fileprivate var member: PropertyListValue.Member? { value.map { .init(key, $0) } }
}
