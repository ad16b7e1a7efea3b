internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome
internal import UbiquityStore

// Which copy a device shows: that of the account signed in on it.
extension KeyValueStore {
  /// Returns the copy that the device shows, and creates it if there is none. It replaces another
  /// account's copy (K26).
  func currentCopy(in store: UbiquityStore) throws -> DeviceCopy {
    let (account, device) = (request.account, request.device)
    if let known = try store.copy(of: account, on: device), known.isCurrent { return known }
    let shown = try device == .cli ? nil : store.copies(on: device).first { $0.isCurrent }
    guard var shown else { return try store.makeCopy(of: account, on: device) }
    let before = try store.entries(of: shown).map(\.entry)
    shown.isCurrent = false
    try store.update(shown)
    var copy = try store.copy(of: account, on: device) ?? store.makeCopy(of: account, on: device)
    copy.isCurrent = true
    if shown.account == nil { try forward(from: shown, to: copy, in: store) }
    if let account, try canSynchronize(account, settings) {
      var exchange = KeyValueExchange(store, copy, account, try store.settings())
      try exchange.pull()
      copy = exchange.copy
      // If nothing was received yet, the next keys are the initial sync.
      copy.isSynchronized = copy.isSynchronized || exchange.result.received > 0
      copy.seen = try store.lastSequence()
    }
    try store.update(copy)
    let after = try store.entries(of: copy).map(\.entry)
    try store.addEvent(
      .accountChange, KeyValueEntry.changedKeys(from: before, to: after), of: copy, at: now)
    return copy
  }

  /// Shows the keys of the account that signed in on the device, if any. Keys written on the
  /// default device without an account become the account's.
  func followAccount() throws(CloudError) {
    try transaction { store in
      let device = request.device
      guard device == .cli else {
        if try !store.copies(on: device).isEmpty { _ = try currentCopy(in: store) }
        return
      }
      guard request.account != nil, let unsigned = try store.copy(of: nil, on: device),
        try !store.pendingEntries(of: unsigned).isEmpty
      else { return }
      let copy = try currentCopy(in: store)
      let before = try store.entries(of: copy).map(\.entry)
      try forward(from: unsigned, to: copy, in: store)
      let after = try store.entries(of: copy).map(\.entry)
      try store.addEvent(
        .accountChange, KeyValueEntry.changedKeys(from: before, to: after), of: copy, at: now)
    }
  }

  /// Moves keys that were written without an account to the account that signs in (K34).
  private func forward(
    from unsigned: DeviceCopy, to copy: DeviceCopy, in store: UbiquityStore
  ) throws {
    for entry in try store.pendingEntries(of: unsigned) {
      let known = try store.entry(entry.key, in: copy)
      if known?.isPending != true || entry.written.wins(over: known?.entry.written) {
        try store.put(entry, isPending: true, in: copy)
      }
      try store.remove(entry.key, from: unsigned)
    }
  }

  /// Whether an account's data can currently synchronize between a device and iCloud.
  func canSynchronize(_ account: Account, _ settings: NamedDevice?) throws(CloudError) -> Bool {
    if settings?.isOnline == false { return false }
    return try owner.status(of: account) == .available
  }
}

extension CloudStore {
  /// Shows the keys and documents of the account that signed in on a device.
  public func noteAccount(
    _ account: Account?, on device: Device, for request: Request
  ) throws(CloudError) {
    var request = request
    (request.account, request.device) = (account, device)
    try forEachKeyValueStore(for: request) { (keys) throws(CloudError) in
      try keys.followAccount()
      try DocumentStore(keys.container, of: self, for: request, keys.settings).followAccount()
    }
  }

  /// Calls `body` for each existing key-value store.
  func forEachKeyValueStore(
    for request: Request, _ body: (KeyValueStore) throws(CloudError) -> Void
  ) throws(CloudError) {
    let settings = try request.device == .cli ? nil : device(request.device)
    for id in try containers() where try serving({ try directory.hasUbiquityFolder(id) }) {
      try body(KeyValueStore(id, of: self, for: request, settings))
    }
  }
}

extension KeyValueEntry {
  /// When and where it was written.
  var written: DeviceMoment { DeviceMoment(at, on: device) }

  /// The keys whose values differ, in byte order.
  static func changedKeys(from old: [KeyValueEntry], to new: [KeyValueEntry]) -> [String] {
    var values: [String: PropertyListValue] = [:]
    for entry in old { values[entry.key] = entry.value }
    var changed: [String] = []
    for entry in new where values.removeValue(forKey: entry.key) != entry.value {
      changed.append(entry.key)
    }
    return (changed + values.keys).sorted(by: utf8Precedes)
  }
}
