internal import Basics
public import CloudModel
internal import RecordStore

/// A share that somebody may see, and where he sees it.
struct FoundShare {
  let stored: StoredShare
  /// The owner's private database, or the shared one of a participant.
  let database: CloudDatabase
  /// The zone as that database calls it.
  let zone: StoredZone
  /// The zone and its owner as others call them.
  let place: ZonePlace
  /// All that the store knows of those who take part, ask to, or are blocked.
  var rows: [StoredParticipant]

  /// Whether it is the caller's own.
  var isOwn: Bool { database.scope == .private }
}

/// Who is who among the participants of shares, within one operation.
struct ShareDirectory {
  let environment: CloudEnvironment
  let people: StorePeople
  private let accounts: [UserRecordName: Account]

  /// Of the people of the store, or of those that are about to be its.
  init(_ environment: CloudEnvironment, people given: StorePeople? = nil) throws {
    self.environment = environment
    people = try given ?? environment.owner.people()
    var accounts: [UserRecordName: Account] = [:]
    let names =
      try environment.store.accountNames() + Array(people.persons.keys)
      + Array(environment.owner.currentSettings().accounts.keys)
    for name in names {
      guard let account = try? Account(name) else { continue }
      accounts[environment.userRecordName(account)] = account
    }
    self.accounts = accounts
  }

  /// The account of a user; nil for one that the store does not know.
  func account(of user: UserRecordName) -> Account? { accounts[user] }

  /// How a user is shown to others.
  func identity(of account: Account, at address: PersonAddress? = nil) -> UserIdentity {
    let name = environment.userRecordName(account)
    return UserIdentity(
      userRecordName: name, person: people.persons[account.name], address: address,
      hasAccount: accounts[name] != nil)
  }

  /// How a participant is shown to others (R10.2.2).
  func identity(of row: StoredParticipant) -> UserIdentity {
    if let account = account(of: row) { return identity(of: account, at: row.address) }
    return UserIdentity(
      userRecordName: row.user.map { UserRecordName(stored: $0) }, person: nil,
      address: row.address, hasAccount: false)
  }

  /// The account of a participant: that of his user, or the one that has his address by now; nil
  /// for none.
  func account(of row: StoredParticipant) -> Account? {
    if let name = row.account { return try? Account(name) }
    if let user = row.user { return account(of: UserRecordName(stored: user)) }
    return row.address.flatMap { people.account(at: $0) }
  }

  /// The participant who is an account, by his user or by an address, where there are several the
  /// one who takes part; nil for none.
  func row(of account: Account, in rows: [StoredParticipant]) -> StoredParticipant? {
    let own = self.rows(of: account, in: rows)
    return own.first(where: \.takesPart) ?? own.first
  }

  /// All that the store knows of an account as a participant: of his user, then of his addresses.
  func rows(of account: Account, in rows: [StoredParticipant]) -> [StoredParticipant] {
    let user = environment.userRecordName(account).text
    let addresses = people.persons[account.name]?.addresses ?? []
    return rows.filter { $0.user == user }
      + rows.filter { $0.user == nil && $0.address.map(addresses.contains) ?? false }
  }

  /// The participant that is named; nil for none. The same person is one participant, whether by
  /// id, user or address (R10.2.3).
  func row(of invitee: Invitee, in rows: [StoredParticipant]) -> StoredParticipant? {
    switch invitee {
    case .participant(let id): rows.first { $0.id == id }
    case .account(let account): row(of: account, in: rows)
    case .user(let user):
      rows.first { $0.user == user.text }
        ?? account(of: user).flatMap { row(of: $0, in: rows) }
    case .address(let address):
      rows.first { $0.address == address }
        ?? people.account(at: address).flatMap { row(of: $0, in: rows) }
    }
  }

  /// The account that is named; nil for an unknown one.
  func account(of invitee: Invitee) -> Account? {
    switch invitee {
    case .participant: nil
    case .account(let account): account
    case .user(let user): account(of: user)
    case .address(let address): people.account(at: address)
    }
  }
}

extension CloudEnvironment {
  /// Whom a word means: a user record name, an e-mail address, a participant's id, a phone number,
  /// or else an account, which comes first where its name looks like a phone number.
  public func invitee(_ text: String) throws(CloudError) -> Invitee {
    if text.hasPrefix("_") { return .user(UserRecordName(stored: text)) }
    if text.contains("@") { return .address(try PersonAddress(email: text)) }
    if text.isUUID { return .participant(text) }
    if try owner.people().persons[text] == nil, let phone = try? PersonAddress(phone: text) {
      return .address(phone)
    }
    return .account(try Account(text))
  }
}

extension String {
  /// Whether this has the form of a UUID.
  fileprivate var isUUID: Bool {
    let parts = split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && parts.allSatisfy { $0.allSatisfy(\.isHexDigit) }
  }
}

// MARK: Finding shares

extension CloudDatabase {
  /// A share that the caller owns or takes part in. By its name it is looked for in a zone, or in
  /// all zones of this database; a private database leads on to what others share with its user.
  /// Throws `unknownItem` for none, `badDatabase` in the public database.
  func find(_ reference: ShareReference, in zone: ZoneID?) throws -> FoundShare {
    guard scope != .public else { throw CloudError.sharesInPublic }
    var found: [FoundShare] = []
    switch reference {
    case .url(let url): found = try find(token: url.token).map { [$0] } ?? []
    case .name(let name):
      found = try find(name, in: zone)
      if found.isEmpty, scope == .private, try !hasZone(zone) {
        found = try environment.database(.shared).find(name, in: zone)
      }
    }
    guard let share = found.first else { throw CloudError.shareNotFound(reference) }
    guard found.count == 1 else {
      let zones = found.map(\.zone.zone.id.text).joined(separator: ", ")
      throw CloudError(
        .invalidArguments, "Several zones have a share of that name",
        remedy: "specify one of \(zones)")
    }
    return share
  }

  /// Whether this database has a zone that is named.
  private func hasZone(_ zone: ZoneID?) throws -> Bool {
    guard let zone else { return false }
    do { return try zoneToRead(zone) != nil } catch let error as CloudError
      where error.code == .zoneNotFound
    { return false }
  }

  private func find(_ name: RecordName, in zone: ZoneID?) throws -> [FoundShare] {
    if let zone, try !hasZone(zone) { return [] }
    let zones = try zone.map { try zoneToRead($0).map { [$0] } ?? [] } ?? storedZones()
    return try zones.compactMap { zone in
      try store.share(name, in: zone).flatMap { try found($0, zone) }
    }
  }

  /// A share with what belongs to it; nil for one that the caller does not see.
  private func found(_ share: StoredShare, _ zone: StoredZone) throws -> FoundShare? {
    if scope == .shared {
      guard let user, try store.membership(of: user, in: share.number) != nil else { return nil }
    }
    return FoundShare(
      stored: share, database: self, zone: zone, place: try store.place(of: share),
      rows: try store.participants(of: share))
  }

  /// The share of a URL, where the caller owns it or takes part in it.
  private func find(token: String) throws -> FoundShare? {
    guard let share = try store.share(token: token) else { return nil }
    let place = try store.place(of: share)
    if place.account == account {
      let database = try environment.database(.private)
      guard let zone = try database.zoneToRead(ZoneID(place.zone.zone.id.name)) else { return nil }
      return try database.found(share, zone)
    }
    return try environment.database(.shared).found(share, place.zone)
  }

  /// The shares that the caller owns, in a private database, or those that he has accepted, in the
  /// shared one, in a zone or in all, in the byte order of zones and names.
  public func shares(in zone: ZoneID?) throws(CloudError) -> [Share] {
    try requireActor()
    guard scope != .public else { throw .sharesInPublic }
    try strike(.fetch, [.share], in: zone)
    return try environment.read {
      let directory = try ShareDirectory(environment)
      let zones = try zone.map { try zoneToRead($0).map { [$0] } ?? [] } ?? storedZones()
      return try zones.flatMap { zone in
        try store.shares(in: zone).compactMap {
          try found($0, zone).map { try directory.share($0) }
        }
      }
    }
  }

  /// A share that the caller owns or takes part in. Throws `unknownItem` for none.
  public func share(
    _ reference: ShareReference, in zone: ZoneID?
  ) throws(CloudError) -> Share {
    try requireActor()
    try strike(.fetch, [.share], in: zone)
    return try environment.read {
      try ShareDirectory(environment).share(find(reference, in: zone))
    }
  }

  /// The name of the share that covers a record, by its hierarchy or its zone; nil for none.
  public func share(
    covering record: RecordName, in zone: ZoneID
  ) throws(CloudError) -> RecordName? {
    guard scope != .public else { return nil }
    return try environment.read {
      guard let zone = try zoneToRead(zone) else { return nil }
      if let cover = try store.cover(of: record, in: zone) {
        return try store.share(numbered: cover)?.name
      }
      return try store.share(.zoneWideShare, in: zone)?.name
    }
  }
}

extension ShareDirectory {
  /// A share as its finder sees it: a public user sees the owner and himself, others see all who
  /// take part (R10.2.1), the owner and administrators those who ask to as well.
  func share(_ found: FoundShare) throws -> Share {
    guard let record = try environment.store.record(found.stored.name, in: found.zone)?.record
    else { throw CloudError.shareNotFound(.name(found.stored.name)) }
    return share(found.stored, record, found.place, found.rows)
  }

  /// A share as the caller sees it, who may have its URL, or a one-time URL that nobody has used.
  func share(
    _ stored: StoredShare, _ record: Record, _ place: ZonePlace, _ rows: [StoredParticipant],
    by token: String? = nil
  ) -> Share {
    let account = environment.request.account
    let url = ShareURL(
      environment.container, token: stored.token, title: record.fields[.shareTitle]?.string)
    func participant(_ row: StoredParticipant) -> ShareParticipant {
      ShareParticipant(
        id: row.id, identity(of: row), self.account(of: row), row.role, row.permission, row.status,
        added: row.added,
        isApprovedRequester: row.isRequester,
        oneTimeURL: row.token.map {
          ShareURL(environment.container, token: $0, title: url.title)
        })
    }
    let owner = ShareParticipant(
      id: nil, identity(of: place.account), place.account, .owner, .readWrite, .accepted)
    let known = account.flatMap { row(of: $0, in: rows) }
    let offered = token.flatMap { token in rows.first { $0.token == token && $0.user == nil } }
    let own = known?.takesPart ?? false || known?.status == .blocked ? known : offered ?? known
    let isOwner = account == place.account
    let manages = isOwner || own?.role == .administrator && own?.status == .accepted
    let isPrivate = own.map { $0.takesPart && $0.role != .publicUser } ?? false
    let seen = rows.filter { $0.takesPart && (manages || isPrivate || $0.id == own?.id) }
    var share = Share(
      record: record, root: stored.root, url: url, publicPermission: stored.publicPermission,
      allowsRequests: stored.allowsRequests, participants: [owner] + seen.map(participant),
      current: isOwner ? owner : own.map(participant))
    if manages {
      share.requesters = rows.filter { $0.status == .requested }.map(participant)
      share.blocked = rows.filter { $0.status == .blocked }.map(participant)
    } else {
      for place in share.participants.indices where share.participants[place] != share.current {
        share.participants[place].oneTimeURL = nil
      }
    }
    return share
  }
}

extension FieldValue {
  /// The text of a string; nil for another value.
  fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}

extension CloudError {
  /// A share that is not there, or that the caller may not know of (R10.2.9).
  static func shareNotFound(_ reference: ShareReference) -> CloudError {
    switch reference {
    case .name(let name):
      CloudError(.unknownItem, "Share not found: \(name.text)", recordName: name.text)
    case .url(let url): CloudError(.unknownItem, "Share not found: \(url.text)")
    }
  }
}
