internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome

/// The amount of a person's data in an environment.
public struct PersonalDataCount: Sendable, Equatable {
  /// The zones of the private database.
  public var zones = 0
  /// The records in these zones, including shares.
  public var records = 0
  /// The public records that the person created.
  public var publicRecords = 0
  /// Other users' shares that the person is invited to, has accepted or requested.
  public var shares = 0

  /// The subscriptions.
  public var subscriptions = 0
  /// The notifications sent to the person's devices.
  public var notifications = 0

  /// No data.
  public init() {}

  /// Whether there is no data.
  public var isEmpty: Bool { self == PersonalDataCount() }
}

// A person's data in the store, and its deletion (M8).
extension CloudEnvironment {
  /// Returns the amount of an account's data here.
  public func personalData(of account: Account) throws(CloudError) -> PersonalDataCount {
    try read { try count(account) }
  }

  private func count(_ account: Account) throws -> PersonalDataCount {
    var count = PersonalDataCount()
    guard let user = try store.user(account, on: .cli) else {
      count.shares = try store.shares(of: userRecordName(account)).count
      return count
    }
    let zones = try store.zones(.private, of: user)
    count.records = zones.reduce(0) { $0 + $1.zone.recordCount }
    count.zones = zones.count { !$0.zone.id.isDefault || $0.zone.recordCount > 0 }
    try forEachPublicRecord(of: user) { _, _ in count.publicRecords += 1 }
    count.shares = try store.shares(of: user.name).count
    count.subscriptions = try DatabaseScope.allCases.reduce(0) {
      try $0 + store.subscriptions(of: user, in: $1).count
    }
    count.notifications = try store.notificationCount(of: user)
    return count
  }

  /// Passes each public record that a user created to `body`, with its zone, in byte order of their
  /// names.
  private func forEachPublicRecord(
    of user: StoredUser, _ body: (StoredZone, Record) throws -> Void
  ) throws {
    let authors = try store.authors(named: user.name)
    for zone in try store.zones(.public, of: nil) {
      try store.list(zone, visible: { _ in .ofAuthors(authors) }) { record in
        try body(zone, record)
        return true
      }
    }
  }

  /// Deletes an account's data here, as when a user deletes an app's data in the settings: private
  /// zones are deleted with the reason `purged`, so that clients get `userDeletedZone` (R2.10),
  /// other users' shares are left, and the user's own record is cleared; with `isPublic` also the
  /// public records that the user created. Returns the amount deleted.
  ///
  /// Throws `referenceViolation` if another record needs one of these.
  public func purge(
    _ account: Account, isPublic: Bool
  ) throws(CloudError) -> PersonalDataCount {
    try write {
      var count = try count(account)
      if !isPublic { count.publicRecords = 0 }
      if let user = try store.user(account, on: .cli) {
        for scope in DatabaseScope.allCases {
          for stored in try store.subscriptions(of: user, in: scope) { try store.remove(stored) }
        }
        try store.removeNotifications(of: user)
      }
      try leaveShares(account)
      guard let user = try store.user(account, on: .cli) else { return count }
      for zone in try store.zones(.private, of: user) {
        try store.deleteZone(zone, .private, of: user, reason: .purged)
      }
      let writer = try writer(account, on: request.device).user
      try emptyUsersRecord(of: writer, isPublic: false)
      guard isPublic else { return count }
      try emptyUsersRecord(of: writer, isPublic: true)
      try deletePublicRecords(of: user)
      return count
    }
  }

  private func leaveShares(_ account: Account) throws {
    let directory = try ShareDirectory(self)
    let database = try database(.shared)
    for share in try store.shares(of: userRecordName(account)) {
      let zone = try store.place(of: share).zone
      let found = try database.found(share, in: zone)
      guard let row = directory.row(of: account, in: found.rows) else { continue }
      if row.status == .requested {
        try store.remove(row)
        continue
      }
      var editing = ShareEditing(found, directory)
      try editing.end(row)
      try editing.touch()
    }
  }

  /// Clears a user's record, except for its roles, which the app assigns.
  private func emptyUsersRecord(of user: StoredUser, isPublic: Bool) throws {
    let zone = store.usersZone(isPublic: isPublic)
    guard let stored = try store.record(RecordName(user.name), in: zone),
      let table = try store.table(.users)
    else { return }
    var record = stored.record
    record.fields = RecordFields(
      sorted: stored.record.fields.entries.filter { $0.name == .roles })
    guard record.fields != stored.record.fields else { return }
    record.modified = Record.Stamp(at: request.now, by: user.name, on: user.device)
    _ = try store.update(stored, to: record, table, at: request.now, by: user)
  }

  private func deletePublicRecords(of user: StoredUser) throws {
    var doomed: [Int64: (zone: StoredZone, records: [StoredRecord])] = [:]
    try forEachPublicRecord(of: user) { zone, record in
      guard let stored = try store.record(record.name, in: zone) else { return }
      doomed[zone.number, default: (zone, [])].records.append(stored)
    }
    for (_, (zone, records)) in doomed {
      let errors = try ReferenceRules(store: store, zone: zone).delete(records)
      if let error = errors.min(by: { $0.key < $1.key })?.value { throw error }
    }
  }

  // MARK: Reading

  /// Passes the records of an account's private zones, in byte order of zones and names, or the
  /// public records that it created, to `body`. Throws `CloudError`, and what `body` throws.
  public func forEachRecord(
    of account: Account, isPublic: Bool, _ body: (Record) throws -> Void
  ) throws(CloudError) {
    try read {
      guard let user = try store.user(account, on: .cli) else { return }
      if isPublic {
        return try forEachPublicRecord(of: user) { zone, record in
          var record = record
          record.zone = zone.zone.id
          try body(record)
        }
      }
      for zone in try store.zones(.private, of: user) {
        try store.list(zone) { record in
          try body(record)
          return true
        }
      }
    }
  }

  /// Returns the two records of an account's user, the public one first; none if it has never
  /// written here.
  public func usersRecords(of account: Account) throws(CloudError) -> [Record] {
    try read {
      let name = RecordName(userRecordName(account))
      return try [true, false].compactMap {
        try store.record(name, in: store.usersZone(isPublic: $0))?.record
      }
    }
  }

  /// Returns the subscriptions of an account, and the notifications of its devices.
  public func pushData(
    of account: Account
  ) throws(CloudError) -> (subscriptions: [Subscription], notifications: [PushNotification]) {
    try read {
      guard let user = try store.user(account, on: .cli) else { return ([], []) }
      let subscriptions = try DatabaseScope.allCases.flatMap {
        try store.subscriptions(of: user, in: $0).map(\.subscription)
      }
      let notifications = try store.allNotifications(of: user, in: container)
      return (subscriptions, notifications.map(identified))
    }
  }

  /// The shares that an account owns, is invited to, has accepted or requested.
  public func shares(of account: Account) throws(CloudError) -> [Share] {
    try read {
      var request = request
      request.account = account
      let environment = acting(for: request)
      let directory = try ShareDirectory(environment)
      let (own, shared) = (try environment.database(.private), try environment.database(.shared))
      var shares: [Share] = []
      for zone in try own.storedZones() {
        for share in try store.shares(in: zone) {
          shares.append(try directory.share(own.found(share, in: zone)))
        }
      }
      for share in try store.shares(of: userRecordName(account)) {
        let zone = try store.place(of: share).zone
        shares.append(try directory.share(shared.found(share, in: zone)))
      }
      return shares
    }
  }
}

extension CloudStore {
  /// Deletes an account that has no data; returns false for an unknown account. Throws
  /// `invalidArguments` if it has data (M8).
  public func delete(_ account: Account, for request: Request) throws(CloudError) -> Bool {
    guard try accounts(for: request).contains(account) else { return false }
    try forEachEnvironment { (container, environment) throws(CloudError) in
      let open = try self.environment(container, environment, for: request)
      guard try open.personalData(of: account).isEmpty else {
        throw CloudError(
          .invalidArguments,
          "account \(account.name) has data in \(container.text) \(environment.rawValue)",
          remedy: .purge(account))
      }
    }
    for container in try containers() {
      guard try keyValueData(of: account, in: container, for: request).isEmpty else {
        throw CloudError(
          .invalidArguments,
          "account \(account.name) has data in the key-value store of \(container.text)",
          remedy: .purge(account))
      }
      guard try documentCount(of: account, in: container, for: request) == 0 else {
        throw CloudError(
          .invalidArguments, "account \(account.name) has documents in \(container.text)",
          remedy: .purge(account))
      }
      // Only copies on devices remain, without keys and documents.
      try purgeUbiquity(of: account, in: container, for: request)
    }
    try forEachEnvironment { (container, environment) throws(CloudError) in
      let open = try self.environment(container, environment, for: request)
      try open.write {
        try open.store.forgetParticipant(open.userRecordName(account))
        guard let user = try open.store.user(account, on: .cli) else { return }
        for zone in try open.store.zones(.private, of: user) {
          try open.store.deleteZone(zone, .private, of: user, reason: .purged)
        }
        try open.store.deleteUser(user)
      }
    }
    try changePeople { people in
      people.persons[account.name] = nil
      people.contacts[account.name] = nil
      for container in people.discoverability.keys {
        people.discoverability[container]?[account.name] = nil
      }
      for (name, device) in people.devices where device.account == account {
        people.devices[name]?.account = nil
      }
    }
    try change { $0.accounts[account.name] = nil }
    return true
  }
}
