internal import Basics
public import CloudModel
internal import RecordStore

/// How much an environment holds of a person.
public struct PersonalDataCount: Sendable, Equatable {
  /// The zones of the private database.
  public var zones = 0
  /// The records in them, shares among them.
  public var records = 0
  /// The public records that he created.
  public var publicRecords = 0
  /// The shares of others that he is invited to, has accepted or asks for.
  public var shares = 0

  /// The subscriptions.
  public var subscriptions = 0
  /// The notifications that his devices were sent.
  public var notifications = 0

  /// Nothing.
  public init() {}

  /// Whether there is nothing.
  public var isEmpty: Bool { self == PersonalDataCount() }
}

// What the store holds of a person, and how it goes (M8).
extension CloudEnvironment {
  /// How much there is of an account here.
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

  /// Gives each public record that a user created to `body`, with its zone, in the byte order of
  /// their names.
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

  /// Deletes the data of an account here, as a user does who deletes the data of an app in the
  /// settings: private zones go with the reason `purged`, so that clients meet `userDeletedZone`
  /// (R2.10), shares of others are left, and the fields of his own record go; with `isPublic` also
  /// the public records that he created. Returns how much there was.
  ///
  /// Throws `referenceViolation` where another record needs one of these.
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

  /// Takes the values out of a user's record; his roles are the app's to give.
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

  /// The records of an account's private zones, in the byte order of zones and names, or the public
  /// ones that it created, with their values. Throws `CloudError`, and what `body` throws.
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

  /// The two records of an account's user, the public one first; none for one that has never
  /// written here.
  public func usersRecords(of account: Account) throws(CloudError) -> [Record] {
    try read {
      let name = RecordName(userRecordName(account))
      return try [true, false].compactMap {
        try store.record(name, in: store.usersZone(isPublic: $0))?.record
      }
    }
  }

  /// The subscriptions of an account, and what its devices were sent.
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

  /// The shares that an account owns, is invited to, has accepted or asks for.
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
  /// Deletes an account of which nothing is left; false for one that is not there. Throws
  /// `invalidArguments` for one with data (M8).
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
      // What is left are copies of devices without keys and documents.
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
