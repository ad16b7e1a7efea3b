internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles
internal import UbiquityStore

/// The key-value store of a container as the app on a device sees it (`NSUbiquitousKeyValueStore`).
/// Only one thread may use it at a time.
public final class KeyValueStore: DeviceApp {
  // MARK: Values

  /// Returns the value of a key; nil for none. Reads only the copy on the device (K02).
  public func value(_ key: String) throws(CloudError) -> PropertyListValue? {
    try read { store, copy in try store.entry(key, in: copy)?.entry.value } ?? nil
  }

  /// The keys that have a value, in byte order, and whether iCloud does not have each of them yet.
  public func entries() throws(CloudError) -> [(entry: KeyValueEntry, isPending: Bool)] {
    try read { store, copy in try store.entries(of: copy) } ?? []
  }

  /// How many keys have a value, and the size of the values in bytes.
  public func usage() throws(CloudError) -> (keys: Int, bytes: Int) {
    try read { store, copy in try store.usage(of: copy) } ?? (0, 0)
  }

  /// Sets keys, or removes those without a value, all or none (K36). `time` is when they were
  /// written, nil for now. Throws `invalidArguments` for a key that is empty or too long, and
  /// `quotaExceeded`: the old values then stay, and the device gets an event with the keys (K16,
  /// K17).
  public func set(
    _ values: [(key: String, value: PropertyListValue?)], at time: Timestamp? = nil
  ) throws(CloudError) {
    let excess = try write { store, copy -> Excess? in
      let limits = try store.settings().limits
      for (key, value) in values {
        // A key that an earlier profile allowed may still be removed.
        let isThere = try value == nil && store.entry(key, in: copy) != nil
        if !isThere { try limits.check(key: key) }
      }
      if let excess = try findExcess(of: values, in: copy, limits, store) {
        let keys = Set(values.map(\.key)).sorted(by: utf8Precedes)
        try store.addEvent(.quotaViolationChange, keys, of: copy, at: now)
        return excess
      }
      for (key, value) in values {
        let time = try time ?? now.following(store.entry(key, in: copy)?.entry.at)
        try store.put(
          KeyValueEntry(key, value, at: time, device: request.device), isPending: true, in: copy)
      }
      return nil
    }
    if let excess { throw excess.error }
  }

  /// A limit that a write would exceed.
  private struct Excess {
    let what: String
    let unit: String
    let count: Int
    let most: Int
    var isValue = false

    var error: CloudError {
      CloudError(
        .quotaExceeded,
        "\(what) would have \(count) \(unit); at most \(most) are allowed; nothing was changed",
        remedy: isValue ? nil : .advice("remove keys first"))
    }
  }

  /// Returns the limit that a write would exceed; nil for none. A write that does not grow anything
  /// is always allowed, because limits may have been larger before.
  private func findExcess(
    of values: [(key: String, value: PropertyListValue?)], in copy: DeviceCopy,
    _ limits: KeyValueLimits, _ store: UbiquityStore
  ) throws -> Excess? {
    let before = try store.usage(of: copy)
    var after = before
    for (key, value) in values {
      if let old = try store.entry(key, in: copy)?.entry.value {
        after.keys -= 1
        after.bytes -= old.size
      }
      guard let value else { continue }
      after.keys += 1
      after.bytes += value.size
      if value.size > limits.valueBytes, after.bytes > before.bytes {
        return Excess(
          what: "the value of '\(key.visible)'", unit: "bytes", count: value.size,
          most: limits.valueBytes, isValue: true)
      }
    }
    if after.keys > max(limits.keys, before.keys) {
      return Excess(what: "the store", unit: "keys", count: after.keys, most: limits.keys)
    }
    if after.bytes > max(limits.bytes, before.bytes) {
      return Excess(
        what: "all values", unit: "bytes", count: after.bytes, most: limits.bytes)
    }
    return nil
  }

  // MARK: Settings

  /// The settings of the store, on all devices.
  public func behavior() throws(CloudError) -> KeyValueSettings {
    try reading { try $0.settings() } ?? KeyValueSettings()
  }

  /// Changes the settings.
  public func change(_ work: (inout KeyValueSettings) -> Void) throws(CloudError) {
    try transaction { store in
      var settings = try store.settings()
      work(&settings)
      try store.set(settings)
    }
  }

  // MARK: Events

  /// The events of the device after a number, oldest first, whatever account was signed in.
  public func events(after number: Int64 = 0) throws(CloudError) -> [KeyValueEvent] {
    try reading { store in
      let copies =
        try request.device == .cli
        ? [store.copy(of: request.account, on: .cli)].compactMap(\.self)
        : store.copies(on: request.device)
      return try copies.flatMap { try store.events(of: $0, after: number) }
        .sorted { $0.number < $1.number }
    } ?? []
  }

  // MARK: Transactions

  /// Reads the copy on the device; nil if there is none.
  func read<T>(_ work: (UbiquityStore, DeviceCopy) throws -> T) throws(CloudError) -> T? {
    try reading { store in
      guard let copy = try store.copy(of: request.account, on: request.device), copy.isCurrent
      else { return nil }
      return try work(store, copy)
    } ?? nil
  }

  /// Writes the copy on the device, all or nothing. The first write creates it.
  func write<T>(_ work: (UbiquityStore, DeviceCopy) throws -> T) throws(CloudError) -> T {
    try noteDevice()
    return try transaction { store in try work(store, try currentCopy(in: store)) }
  }

  /// The accounts that have keys in this store.
  func accountNames() throws(CloudError) -> [String] {
    try reading { try $0.accountNames() } ?? []
  }
}

extension CloudStore {
  /// Returns the key-value store of a container for a request. Throws `badContainer` for an unknown
  /// container, and `invalidArguments` if another account is signed in on its device.
  public func keyValueStore(
    _ id: ContainerID, for request: Request
  ) throws(CloudError) -> KeyValueStore {
    KeyValueStore(id, of: self, for: request, try requireDevice(of: request, in: id))
  }
}
