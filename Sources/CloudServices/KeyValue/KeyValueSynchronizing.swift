internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome
internal import UbiquityStore

// Synchronizing keys with iCloud.
extension KeyValueStore {
  /// Whether the device's memory and its store agree, which `synchronize()` returns without a
  /// network (K35): false if no account is signed in.
  public func isSignedIn() throws(CloudError) -> Bool {
    guard let account = request.account else { return false }
    return try owner.status(of: account) == .available
  }

  /// Synchronizes the device's keys with iCloud, in one transaction; `rate` overrides the store's.
  /// Does nothing if the device is offline or no account is signed in (K33, K34).
  public func synchronize(
    rate: Rate? = nil
  ) throws(CloudError) -> KeyValueSynchronization {
    guard let account = request.account, try canSynchronize(account, settings), try isReachable()
    else { return .unsynchronized }
    var result = KeyValueSynchronization()
    let isIdle = try rate == nil ? hasNothingToExchange(account) : false
    if !isIdle {
      result = try write { store, copy in
        try exchange(copy, account, now: now, rate: rate, in: store)
      }
    }
    try request.faults.loseAnswer()
    return result
  }

  /// Whether the app may synchronize: not if an injected fault says that it lacks the entitlement,
  /// for which `synchronize()` returns false (kvs-documents.md, part A). Throws other faults.
  private func isReachable() throws(CloudError) -> Bool {
    do throws(CloudError) { try owner.strike(.kvs, request) } catch {
      guard error.code == .missingEntitlement else { throw error }
      return false
    }
    return true
  }

  /// Whether a synchronization would change nothing; then it need not even take a lock.
  private func hasNothingToExchange(_ account: Account) throws(CloudError) -> Bool {
    guard try behavior().rate == nil else { return false }
    return try !hasWork(for: account)
  }

  /// Whether a synchronization could send or receive something.
  public func hasWork() throws(CloudError) -> Bool {
    try request.account.map { (account) throws(CloudError) in try hasWork(for: account) } ?? false
  }

  private func hasWork(for account: Account) throws(CloudError) -> Bool {
    try read { store, copy in
      try !copy.isSynchronized || store.hasPending(in: copy)
        || store.hasNews(of: account, for: copy)
    } ?? true
  }

  /// Synchronizes all devices of the account, in byte order, until none has news for another.
  public func synchronizeAll(
    rate: Rate? = nil
  ) throws(CloudError) -> [(device: Device, result: KeyValueSynchronization)] {
    guard let account = request.account else { return [] }
    let known = try owner.people().devices
    let isSignedIn = try owner.status(of: account) == .available
    let isAvailable = try isSignedIn ? isReachable() : false
    let results: [(device: Device, result: KeyValueSynchronization)] = try write { store, _ in
      for (name, settings) in known.sorted(by: { utf8Precedes($0.key, $1.key) })
      where settings.account == account {
        let device = Device(stored: name)
        if try store.copies(on: device).isEmpty {
          _ = try store.makeCopy(of: account, on: device)
        }
      }
      let copies = try store.copies(of: account).filter {
        $0.isCurrent && ($0.device == .cli || known[$0.device.name]?.account ?? account == account)
      }
      let devices = copies.map(\.device)
      guard isAvailable else { return devices.map { ($0, .unsynchronized) } }
      return try synchronize(devices, known) { device, settings, isSecondRound in
        guard let copy = try store.copy(of: account, on: device) else { return nil }
        if isSecondRound, try !store.hasNews(of: account, for: copy) { return nil }
        return try exchange(copy, account, now: now(on: settings), rate: rate, in: store)
      }
    }
    try request.faults.loseAnswer()
    return results
  }

  private func exchange(
    _ copy: DeviceCopy, _ account: Account, now: Timestamp, rate: Rate?,
    in store: UbiquityStore
  ) throws -> KeyValueSynchronization {
    var settings = try store.settings()
    if let rate { settings.rate = rate }
    var exchange = KeyValueExchange(store, copy, account, settings)
    return try exchange.run(at: now)
  }
}

extension KeyValueSynchronization: DeviceSynchronization {
  static var unsynchronized: KeyValueSynchronization {
    var result = KeyValueSynchronization()
    result.isSynchronized = false
    return result
  }

  mutating func add(_ other: KeyValueSynchronization) {
    isSynchronized = other.isSynchronized
    sent += other.sent
    received += other.received
    conflicts += other.conflicts
    rejected += other.rejected
    throttledFor = other.throttledFor
  }
}
