internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import RecordStore
internal import StoreHome

extension FixtureShare: StoredFixtureEntry {
  static func all(in directory: ShareDirectory) throws -> [FixtureShare] {
    try directory.fixtureShares()
  }

  static var isComplete: Bool { true }

  /// The share with its participants named as the store names them, and without its owner if that
  /// is the request's account.
  func canonical(in directory: ShareDirectory) throws -> FixtureShare {
    var share = self
    if share.owner == directory.environment.request.account { share.owner = nil }
    return try directory.canonical(share)
  }

  func loadAfterRecords(
    _ loading: inout FixtureEntryLoading, _ transaction: WriteTransaction
  ) throws {
    let part = try transaction.part(inPrivateOf: owner)
    let directory = try loading.directory(in: part.environment)
    let share = try directory.canonical(self)
    let names = share.participants.map(\.who)
    if let twin = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw CloudError(.invalidArguments, "participant \(twin) appears twice")
    }
    let id = ZoneID(share.zone)
    let zone = try part.database.zoneToWrite(id, part.writer)
    let known = try part.store.share(share.root ?? .zoneWideShare, in: zone)
    if let known {
      let old = try directory.fixture(known, in: zone, owner: owner)
      if old == share {
        loading.summary.unchanged += 1
        return
      }
      guard loading.mode != .insert else {
        throw CloudError(
          .serverRecordChanged, "a different share already exists",
          recordName: known.name.text)
      }
      loading.summary.changed += 1
    } else {
      loading.summary.created += 1
    }
    var editing = try part.database.editing(share, known, in: zone, part, directory)
    try editing.become(share)
  }

  /// The share's record, for the check against a schema.
  func draft(at position: TextPosition) -> RecordDraft? {
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

extension ShareDirectory {
  /// The shares of all zones, ordered by owner, zone and name. Within a transaction.
  fileprivate func fixtureShares() throws -> [FixtureShare] {
    var shares: [FixtureShare] = []
    for owner in try environment.owners() {
      let database = try environment.privateDatabase(of: owner)
      for zone in try database.storedZones() {
        for share in try environment.store.shares(in: zone) {
          shares.append(try fixture(share, in: zone, owner: owner))
        }
      }
    }
    return shares.sorted { one, other in
      let (first, second) = (one.attributes.identity, other.attributes.identity)
      return first.lexicographicallyPrecedes(second, by: utf8Precedes)
    }
  }

  /// A share as a fixture has it: with its invited and accepted participants that can be named.
  func fixture(
    _ stored: StoredShare, in zone: StoredZone, owner: Account?
  ) throws -> FixtureShare {
    var share = FixtureShare(zone.zone.id.name, root: stored.root, owner: owner)
    let fields = try environment.store.record(stored.name, in: zone)?.record.fields
    if case .string(let title)? = fields?[.shareTitle] { share.title = title }
    if case .string(let type)? = fields?[.shareType] { share.type = type }
    share.fields = try (fields?.entries ?? []).compactMap { try field($0) }
    share.publicPermission = stored.publicPermission
    share.allowsRequests = stored.allowsRequests
    for row in try environment.store.participants(of: stored) where row.takesPart {
      guard let who = account(of: row)?.name ?? row.address?.text ?? row.user else { continue }
      share.participants.append(
        FixtureParticipant(who, row.permission, isAccepted: row.status == .accepted, row.role))
    }
    share.participants.sort { utf8Precedes($0.who, $1.who) }
    return share
  }

  /// A field of an app; nil for CloudKit's title and type, which have their own keys, and assets.
  private func field(_ entry: RecordFields.Entry) throws -> FixtureShareField? {
    guard ![.shareTitle, .shareType].contains(entry.name), entry.value.assets.isEmpty else {
      return nil
    }
    let type = try environment.store.table(.share)?.schema.fields.first { $0.name == entry.name }
    return FixtureShareField(
      entry.name, entry.value, type: type?.type, text: entry.value.plainText)
  }

  /// The invitee that a word of a fixture names.
  func invitee(_ who: String) throws(CloudError) -> Invitee {
    if people.persons[who] != nil { return .account(try Account(who)) }
    return try environment.invitee(who)
  }

  /// A share of a fixture with its participants named as the store names them.
  func canonical(_ share: FixtureShare) throws(CloudError) -> FixtureShare {
    var share = share
    for index in share.participants.indices {
      let invitee = try invitee(share.participants[index].who)
      share.participants[index].who = account(of: invitee)?.name ?? invitee.text
    }
    share.participants.sort { utf8Precedes($0.who, $1.who) }
    return share
  }
}
