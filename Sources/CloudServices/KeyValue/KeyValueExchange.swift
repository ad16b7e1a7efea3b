internal import Basics
internal import CloudModel
internal import UbiquityStore

/// One synchronization of a device's copy with iCloud, within a transaction (kvs-documents.md,
/// part C).
struct KeyValueExchange {
  private let store: UbiquityStore
  private(set) var copy: DeviceCopy
  private let account: Account
  private let settings: KeyValueSettings
  private(set) var result = KeyValueSynchronization()
  /// The keys whose values changed on the device.
  private var changed: [String] = []
  /// The keys that both sides wrote.
  private var contested: Set<String> = []
  /// The keys whose writes would have exceeded the quota.
  private var rejected: [String] = []

  init(
    _ store: UbiquityStore, _ copy: DeviceCopy, _ account: Account, _ settings: KeyValueSettings
  ) {
    (self.store, self.copy) = (store, copy)
    (self.account, self.settings) = (account, settings)
  }

  /// Receives and sends all keys; writes nothing if nothing changed.
  mutating func run(at now: Timestamp) throws -> KeyValueSynchronization {
    if let rate = settings.rate {
      guard let next = rate.next(after: copy.free, at: now.milliseconds) else {
        result.isSynchronized = false
        result.throttledFor = rate.wait(after: copy.free, at: now.milliseconds)
        return result
      }
      copy.free = next
    }
    try pull()
    try push()
    let news = changed.sorted(by: utf8Precedes)
    if !news.isEmpty {
      try store.addEvent(
        copy.isSynchronized ? .serverChange : .initialSyncChange, news, of: copy, at: now)
    }
    if !rejected.isEmpty {
      try store.addEvent(
        .quotaViolationChange, rejected.sorted(by: utf8Precedes), of: copy, at: now)
    }
    result.conflicts = contested.count
    result.rejected = rejected.count
    let hasNews = result.sent + result.received > 0 || !contested.isEmpty || !rejected.isEmpty
    if hasNews || !copy.isSynchronized || settings.rate != nil {
      copy.isSynchronized = true
      copy.seen = try store.lastSequence()
      try store.update(copy)
    }
    return result
  }

  /// Receives the keys that other devices wrote since the last synchronization.
  mutating func pull() throws {
    let news = try store.news(of: account, for: copy)
    for key in news {
      if key.isPending {
        contested.insert(key.key)
        if settings.policy == .timestamp, key.local?.wins(over: key.server) == true { continue }
        try store.take(key.key, of: account, in: copy)
      }
      result.received += 1
      note(key)
    }
    if !news.isEmpty { try store.take(news, of: account, in: copy) }
  }

  /// Sends the device's pending keys, earlier writes first, if they are later than iCloud's and
  /// within the quota.
  private mutating func push() throws {
    let pending = try store.pendingKeys(of: account, in: copy).sorted { $0.precedes($1) }
    if pending.isEmpty { return }
    var usage = try store.serverUsage(of: account)
    for write in pending {
      if settings.policy == .timestamp, write.local?.wins(over: write.server) == false {
        // This write was received earlier, from a device whose clock is ahead (K29).
        contested.insert(write.key)
        try store.take(write.key, of: account, in: copy)
        note(write)
        continue
      }
      let keys = usage.keys + (write.localSize == nil ? 0 : 1) - (write.serverSize == nil ? 0 : 1)
      let bytes = usage.bytes + (write.localSize ?? 0) - (write.serverSize ?? 0)
      let isWithin = keys <= settings.limits.keys && bytes <= settings.limits.bytes
      guard isWithin || write.localSize == nil else {
        rejected.append(write.key)
        try store.take(write.key, of: account, in: copy)
        continue
      }
      usage = (keys, bytes)
      result.sent += 1
    }
    if result.sent > 0 { try store.send(pending, of: account, from: copy) }
  }

  /// Notes that the device takes iCloud's value of a key.
  private mutating func note(_ key: ExchangedKey) {
    if !key.isSame { changed.append(key.key) }
  }
}

extension ExchangedKey {
  /// Whether the device wrote this key before another.
  fileprivate func precedes(_ other: ExchangedKey) -> Bool {
    guard let time = local?.time, let otherTime = other.local?.time, time != otherTime else {
      return utf8Precedes(key, other.key)
    }
    return time < otherTime
  }
}
