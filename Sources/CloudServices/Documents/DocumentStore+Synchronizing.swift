internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles
internal import StoreHome
internal import UbiquityStore

// Synchronizing documents with iCloud.
extension DocumentStore {
  /// Synchronizes the device's documents with iCloud, in one transaction. Does nothing if the
  /// device is offline. With `onlyMetadata` contents stay on the device (D15).
  public func synchronize(
    onlyMetadata: Bool = false
  ) throws(CloudError) -> DocumentSynchronization {
    let account = try requireAccount()
    guard isOnline else { return .unsynchronized }
    return try meetingFaults { () throws(CloudError) in
      if try hasNothingToExchange(account) { return DocumentSynchronization() }
      return try write { writing in
        var exchange = try exchange(writing)
        exchange.sendsContents = !onlyMetadata
        return try exchange.run()
      }
    }
  }

  /// Runs work that needs iCloud, which injected faults may strike.
  func meetingFaults<T>(_ work: () throws(CloudError) -> T) throws(CloudError) -> T {
    try owner.strike(.document, request)
    let result = try work()
    try request.faults.loseAnswer()
    return result
  }

  /// Whether a synchronization would change nothing; then it need not even take a lock.
  private func hasNothingToExchange(_ account: Account) throws(CloudError) -> Bool {
    try read { store, replica in
      try !store.hasChangedItems(of: replica) && !store.hasUnsavedDocuments(in: replica)
        && !store.hasDocuments(of: account, after: replica.seen)
    } ?? false
  }

  /// Synchronizes all devices of the account, in byte order, until none has news for another.
  public func synchronizeAll() throws(CloudError) -> [(
    device: Device, result: DocumentSynchronization
  )] {
    let account = try requireAccount()
    let known = try owner.people().devices
    return try meetingFaults { () throws(CloudError) in
      try noteDevice()
      return try transaction { store in
        var names = Set(known.filter { $0.value.account == account }.keys)
        names.formUnion(
          try store.replicas(of: account).map(\.device.name).filter {
            $0 == Device.cli.name || known[$0]?.account == account
          })
        names.insert(request.device.name)
        let devices = names.sorted(by: utf8Precedes).map { Device(stored: $0) }
        return try synchronize(devices, known) { device, settings, isSecondRound in
          let replica =
            try store.replica(of: account, on: device) ?? store.makeReplica(of: account, on: device)
          if isSecondRound, try !store.hasDocuments(of: account, after: replica.seen) { return nil }
          var exchange = try exchange(
            DocumentWriting(store, replica, now: now(on: settings)), settings)
          return try exchange.run()
        }
      }
    }
  }

  func exchange(_ writing: DocumentWriting) throws -> DocumentExchange {
    try exchange(writing, settings)
  }

  private func exchange(
    _ writing: DocumentWriting, _ settings: NamedDevice?
  ) throws -> DocumentExchange {
    let account = writing.replica.account
    let room = try owner.quota(of: account).map { quota in
      try quota - writing.store.documentBytes(of: account).bytes - recordBytes(of: account)
    }
    return DocumentExchange(
      store: writing.store, replica: writing.replica, kind: settings?.kind ?? .ios,
      now: writing.now, serverTime: request.now, room: room)
  }

  /// Bytes of the account's records, which share its quota with documents.
  private func recordBytes(of account: Account) throws -> Int64 {
    try Environment.allCases.map { environment in
      try owner.environment(container, environment, for: request).size(of: account)?.bytes ?? 0
    }.max() ?? 0
  }

  /// Shows the documents of the account that signed in on the device. Documents of other accounts
  /// are removed from it, except those that iCloud does not have yet (D53).
  func followAccount() throws(CloudError) {
    guard request.device != .cli else { return }
    try transaction { store in
      for var replica in try store.replicas(on: request.device)
      where replica.account != request.account && !replica.isLeft {
        for item in try store.items(of: replica) where try store.unsentWork(on: item).isEmpty {
          try store.remove(item)
        }
        replica.leave()
        try store.update(replica)
      }
      guard let account = request.account, try owner.status(of: account) == .available, isOnline,
        let replica = try store.replica(of: account, on: request.device), replica.isLeft
      else { return }
      var exchange = try exchange(DocumentWriting(store, replica, now: now))
      try exchange.receiveOnly()
    }
  }
}

extension DocumentSynchronization: DeviceSynchronization {
  mutating func add(_ other: DocumentSynchronization) {
    isSynchronized = other.isSynchronized
    sent += other.sent
    received += other.received
    conflicts += other.conflicts
    failed += other.failed
    bytesUploaded += other.bytesUploaded
    bytesDownloaded += other.bytesDownloaded
  }
}
