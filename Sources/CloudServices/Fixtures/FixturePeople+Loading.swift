internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import RecordStore
internal import StoreHome

/// Loads the accounts, devices and shares of a fixture, within a write transaction.
struct FixturePeopleLoading {
  let given: FixturePeople
  let mode: FixtureLoad.Mode
  /// The people of the store after the load.
  private(set) var people: StorePeople
  private(set) var faults: [FixtureFault] = []
  private(set) var summary = FixtureSummary()

  init(_ given: FixturePeople, _ people: StorePeople, _ mode: FixtureLoad.Mode) {
    (self.given, self.people, self.mode) = (given, people, mode)
  }

  /// Sets the accounts and devices of the fixture.
  mutating func loadUsers(_ environment: CloudEnvironment) throws {
    for user in given.users { try note(at: user.position) { try $0.load(user.value, environment) } }
    for device in given.devices {
      people.devices[device.value.device.name] = device.value.settings
    }
  }

  private mutating func load(_ user: FixtureUser, _ environment: CloudEnvironment) throws {
    let name = user.account.name
    for address in user.person.addresses {
      guard let other = people.account(at: address), other != user.account else { continue }
      throw CloudError(
        .invalidArguments, "\(address.text) already belongs to account \(other.name)")
    }
    people.persons[name] = user.person
    people.contacts[name] = user.contacts.isEmpty ? nil : user.contacts
    if let isDiscoverable = user.isDiscoverable {
      people.discoverability[environment.container.text, default: [:]][name] =
        isDiscoverable ? .granted : .denied
    }
    for role in user.roles {
      let role = try SecurityRole(custom: role)
      let isKnown = try environment.store.roles().contains(role)
      if !isKnown { try environment.store.addRole(role) }
      _ = try environment.set(role, toBe: true, of: user.account)
    }
  }

  /// Sets the shares of the fixture, after their records.
  mutating func loadShares(_ transaction: WriteTransaction) throws {
    for share in given.shares {
      try note(at: share.position) { try $0.load(share.value, transaction) }
    }
  }

  private mutating func load(_ given: FixtureShare, _ transaction: WriteTransaction) throws {
    let part = try transaction.part(inPrivateOf: given.owner)
    let directory = try ShareDirectory(part.environment, people: people)
    let share = try directory.canonical(given)
    let names = share.participants.map(\.who)
    if let twin = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw CloudError(.invalidArguments, "participant \(twin) appears twice")
    }
    let id = ZoneID(share.zone)
    let zone = try part.database.zoneToWrite(id, part.writer)
    let known = try part.store.share(share.root ?? .zoneWideShare, in: zone)
    if let known {
      let old = try directory.fixture(known, in: zone, owner: given.owner)
      if old == share {
        summary.unchanged += 1
        return
      }
      guard mode != .insert else {
        throw CloudError(
          .serverRecordChanged, "a different share already exists",
          recordName: known.name.text)
      }
      summary.changed += 1
    } else {
      summary.created += 1
    }
    var editing = try part.database.editing(share, known, in: zone, part, directory)
    try editing.become(share)
  }

  /// Checks the keys, which are loaded after the records.
  mutating func checkKeys(_ environment: CloudEnvironment) throws {
    if given.keyValues.isEmpty { return }
    let store = KeyValueStore(
      environment.container, of: environment.owner, for: environment.request, nil)
    let limits = try store.behavior().limits
    for keys in given.keyValues {
      try note(at: keys.position) { _ in
        for member in keys.value.values { try limits.check(key: member.key) }
      }
    }
  }

  /// Checks the files of documents, which are loaded after the records.
  mutating func checkDocuments() throws {
    for documents in given.documents {
      try note(at: documents.position) { _ in _ = try documents.value.hashed() }
    }
  }

  /// Sets the subscriptions of the fixture, after the records and the shares.
  mutating func loadSubscriptions(_ transaction: WriteTransaction) throws {
    for subscription in given.subscriptions {
      try note(at: subscription.position) { try $0.load(subscription.value, transaction) }
    }
  }

  private mutating func load(
    _ given: FixtureSubscription, _ transaction: WriteTransaction
  ) throws {
    let own = try transaction.part(inPrivateOf: given.owner)
    let part = try own.part(in: given.subscription.scope)
    let known = try part.store.subscriptions(of: part.writer, in: given.subscription.scope)
    var request = SubscriptionRequest(given.subscription, isNamed: true)
    if given.subscription.kind == .query {
      do { request.predicate = try PredicateParser.parse(given.subscription.predicate) } catch {
        throw CloudError(.invalidArguments, "the predicate: \(error.message)")
      }
    }
    let saved: Subscription
    do { saved = try part.database.save(request, part, index: 0).subscription } catch {
      throw CloudError(any: error)
    }
    if let old = known.first(where: { $0.subscription.id == saved.id }) {
      if old.subscription == saved {
        summary.unchanged += 1
        return
      }
      guard mode != .insert else {
        throw CloudError(
          .serverRecordChanged,
          "a different subscription '\(saved.id.text)' already exists")
      }
      summary.changed += 1
    } else {
      summary.created += 1
    }
  }

  /// Notes a fault of the fixture.
  private mutating func note(
    at position: TextPosition, _ work: (inout Self) throws -> Void
  ) throws {
    do { try work(&self) } catch let error as CloudError where error.storage == nil {
      faults.append(FixtureFault(error, at: position))
    }
  }
}

extension FixtureShare {
  /// The share's record, for the check against a schema.
  func draft(at position: TextPosition) -> RecordDraft {
    var draft = RecordDraft()
    draft.type = RecordType.share.text
    draft.position = position
    for (name, text) in [(FieldName.shareTitle, title), (.shareType, type)] {
      guard let text else { continue }
      draft.fields.append(RecordDraft.Field(name, .string(text), at: position))
    }
    for field in fields {
      draft.fields.append(
        RecordDraft.Field(field.name, field.value, type: field.type, at: position))
    }
    return draft
  }
}

extension CloudDatabase {
  /// Saves the record of a fixture's share; returns the editing of its participants.
  fileprivate func editing(
    _ share: FixtureShare, _ known: StoredShare?, in zone: StoredZone,
    _ transaction: WriteTransaction, _ directory: ShareDirectory
  ) throws -> ShareEditing {
    var edit = ShareEdit()
    let old = try known.flatMap { try store.record($0.name, in: zone) }?.record.fields
    for (name, text) in [(FieldName.shareTitle, share.title), (.shareType, share.type)] {
      guard text != nil || old?[name] != nil else { continue }
      edit.assignments.append(
        FieldAssignment(name, text.map { .string($0) }, type: FieldType(.string)))
    }
    for field in share.fields {
      edit.assignments.append(
        FieldAssignment(field.name, field.value, type: field.type, isPlain: field.type == nil))
    }
    for entry in old?.entries ?? [] where entry.value.assets.isEmpty {
      let isGiven = share.fields.contains { $0.name == entry.name }
      if isGiven || [.shareTitle, .shareType].contains(entry.name) { continue }
      edit.assignments.append(FieldAssignment(entry.name, nil))
    }
    guard let known else {
      return try newShare(of: share.root, in: zone, edit, transaction, directory)
    }
    return try changedShare(known, in: zone, edit.assignments, transaction, directory)
  }
}

extension ShareEditing {
  /// Replaces the participants by those of a fixture.
  fileprivate mutating func become(_ share: FixtureShare) throws {
    var edit = ShareEdit()
    edit.publicPermission = share.publicPermission
    edit.allowsRequests = share.allowsRequests
    try apply(edit)
    var kept: Set<String> = []
    for participant in share.participants {
      let row = try set(participant)
      kept.insert(row.id)
      try requireRoom()
    }
    for row in found.rows where row.takesPart && !kept.contains(row.id) { try end(row) }
  }

  private mutating func set(_ participant: FixtureParticipant) throws -> StoredParticipant {
    let invitee = try directory.invitee(participant.who)
    try requireOther(invitee)
    var row = try row(for: invitee)
    let isAccepted = row.status == .accepted
    (row.role, row.permission) = (participant.role, participant.permission)
    guard participant.isAccepted else {
      if isAccepted { try end(row) }
      row.status = .pending
      try set(row)
      return row
    }
    let environment = found.database.environment
    guard let account = directory.account(of: row) else {
      throw CloudError(
        .invalidArguments, "'\(participant.who)' has no account and cannot have accepted")
    }
    let user = try environment.writer(account, on: .cli).user.name
    (row.user, row.account, row.status) = (user.text, account.name, .accepted)
    try set(row)
    if !isAccepted { try found.database.store.show(found.stored, to: user) }
    return row
  }
}
