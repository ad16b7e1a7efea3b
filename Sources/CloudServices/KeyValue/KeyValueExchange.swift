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
  private var changed: Set<String> = []
  /// The keys that both sides had written.
  private var contested: Set<String> = []
  /// The keys whose writes would have exceeded the quota.
  private var rejected: Set<String> = []

  init(
    _ store: UbiquityStore, _ copy: DeviceCopy, _ account: Account, _ settings: KeyValueSettings
  ) {
    (self.store, self.copy) = (store, copy)
    (self.account, self.settings) = (account, settings)
  }

  /// Exchanges all there is; nothing is written where nothing changed.
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

  /// Takes what other devices wrote since the last time.
  mutating func pull() throws {
    for entry in try store.serverEntries(of: account, after: copy.seen)
    where entry.device != copy.device || !copy.isSynchronized {
      let local = try store.entry(entry.key, in: copy)
      if let local, local.isPending {
        contested.insert(entry.key)
        if settings.policy == .timestamp, local.entry.wins(over: entry) { continue }
      }
      result.received += 1
      try take(entry, insteadOf: local?.entry.value)
    }
  }

  /// Hands over what the device wrote, as far as it is later than what iCloud has and the quota
  /// allows.
  private mutating func push() throws {
    let pending = try store.pendingEntries(of: copy)
    if pending.isEmpty { return }
    var usage = try store.serverUsage(of: account)
    for entry in pending.sorted(by: Self.isEarlier) {
      let known = try store.serverEntry(entry.key, of: account)
      if settings.policy == .timestamp, let known, !entry.wins(over: known) {
        // One that was received before, from a device whose clock is ahead (K29).
        contested.insert(entry.key)
        try take(known, insteadOf: entry.value)
        continue
      }
      let keys = usage.keys + (entry.value == nil ? 0 : 1) - (known?.value == nil ? 0 : 1)
      let bytes = usage.bytes + (entry.value?.size ?? 0) - (known?.value?.size ?? 0)
      let isWithin = keys <= settings.limits.keys && bytes <= settings.limits.bytes
      guard isWithin || entry.value == nil else {
        rejected.insert(entry.key)
        try store.put(known ?? entry.removed, isPending: false, in: copy)
        continue
      }
      usage = (keys, bytes)
      try store.putOnServer(entry, of: account)
      try store.put(entry, isPending: false, in: copy)
      result.sent += 1
    }
  }

  private static func isEarlier(_ one: KeyValueEntry, _ other: KeyValueEntry) -> Bool {
    one.at != other.at ? one.at < other.at : utf8Precedes(one.key, other.key)
  }

  private mutating func take(_ entry: KeyValueEntry, insteadOf old: PropertyListValue?) throws {
    try store.put(entry, isPending: false, in: copy)
    if entry.value != old { changed.insert(entry.key) }
  }
}

extension KeyValueEntry {
  /// The same key without a value.
  fileprivate var removed: KeyValueEntry { KeyValueEntry(key, nil, at: at, device: device) }
}
