internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome

/// A share that a user may see, and the database that shows it.
struct FoundShare {
  let stored: StoredShare
  /// The owner's private database, or a participant's shared database.
  let database: CloudDatabase
  /// The zone as that database identifies it.
  let zone: StoredZone
  /// The zone and its owner as others identify them.
  let place: ZonePlace
  /// The stored participants, requesters and blocked users.
  var rows: [StoredParticipant]

  /// Whether it is the caller's own.
  var isOwn: Bool { database.scope == .private }
}

/// The identities of participants of shares, within one operation.
struct ShareDirectory {
  let environment: CloudEnvironment
  let people: StorePeople
  private let accounts: [UserRecordName: Account]

  /// Creates a directory from the people of the store, or from those about to be stored.
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

  /// Returns the account of a user; nil if the store does not know it.
  func account(of user: UserRecordName) -> Account? { accounts[user] }

  /// Returns the identity of a user as others see it.
  func identity(of account: Account, at address: PersonAddress? = nil) -> UserIdentity {
    let name = environment.userRecordName(account)
    return UserIdentity(
      userRecordName: name, person: people.persons[account.name], address: address,
      hasAccount: accounts[name] != nil)
  }

  /// Returns the identity of a zone's owner as others see it. The owner of a pulled copy has no
  /// account here.
  func owner(of place: ZonePlace) -> UserIdentity {
    let name = place.owner.name
    return UserIdentity(
      userRecordName: name, person: people.persons[place.account.name], address: nil,
      hasAccount: accounts[name] != nil)
  }

  /// Returns the identity of a participant as others see it (R10.2.2).
  func identity(of row: StoredParticipant) -> UserIdentity {
    if let account = account(of: row) { return identity(of: account, at: row.address) }
    return UserIdentity(
      userRecordName: row.user.map { UserRecordName(stored: $0) }, person: nil,
      address: row.address, hasAccount: false)
  }

  /// Returns the account of a participant: that of its user, or the account that has its address by
  /// now; nil for none.
  func account(of row: StoredParticipant) -> Account? {
    if let name = row.account { return try? Account(name) }
    if let user = row.user { return account(of: UserRecordName(stored: user)) }
    return row.address.flatMap { people.account(at: $0) }
  }

  /// Returns an account's participant row, by its user or address, preferring one that takes part;
  /// nil for none.
  func row(of account: Account, in rows: [StoredParticipant]) -> StoredParticipant? {
    let own = self.rows(of: account, in: rows)
    return own.first(where: \.takesPart) ?? own.first
  }

  /// Returns all participant rows of an account: by its user, then by its addresses.
  func rows(of account: Account, in rows: [StoredParticipant]) -> [StoredParticipant] {
    let user = environment.userRecordName(account).text
    let addresses = people.persons[account.name]?.addresses ?? []
    return rows.filter { $0.user == user }
      + rows.filter { $0.user == nil && $0.address.map(addresses.contains) ?? false }
  }

  /// Returns the named participant; nil for none. The same person is one participant, whether named
  /// by id, user or address (R10.2.3).
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

  /// Returns the named account; nil for an unknown one.
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
  /// Parses an invitee: a user record name, an e-mail address, a participant's id, a phone number,
  /// or else an account. A known account comes before a phone number.
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

// MARK: Finding shares

extension CloudDatabase {
  /// Returns a share of which the user is the owner or a participant. Finds a name in a zone, or in
  /// all zones of this database; a private database also searches the user's shared database.
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

  /// Whether this database has the zone.
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

  /// Returns a share with its place and participants; nil if the user does not see it.
  private func found(_ share: StoredShare, _ zone: StoredZone) throws -> FoundShare? {
    if scope == .shared {
      guard let user, try store.membership(of: user, in: share.number) != nil else { return nil }
    }
    return FoundShare(
      stored: share, database: self, zone: zone, place: try store.place(of: share),
      rows: try store.participants(of: share))
  }

  /// Returns the share of a URL if the user is its owner or a participant.
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

  /// The shares that the user owns, in a private database, or has accepted, in the shared database,
  /// in a zone or in all, in byte order of zones and names.
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

  /// Returns a share that the user owns or participates in. Throws `unknownItem` for none.
  public func share(
    _ reference: ShareReference, in zone: ZoneID?
  ) throws(CloudError) -> Share {
    try requireActor()
    try strike(.fetch, [.share], in: zone)
    return try environment.read {
      try ShareDirectory(environment).share(find(reference, in: zone))
    }
  }

  /// Returns the share of a record that was read before; nil if it is gone, or the user does not
  /// see it any more.
  public func share(of record: Record) throws(CloudError) -> Share? {
    try environment.read {
      do {
        return try ShareDirectory(environment).share(find(.name(record.name), in: record.zone))
      } catch let error as CloudError where error.code == .unknownItem { return nil }
    }
  }

  /// Who has asked for access to a share, and who is blocked. Throws `permissionFailure` unless the
  /// user is the owner or an administrator (R10.2.9), and as `share`.
  public func requests(
    for reference: ShareReference, in zone: ZoneID?
  ) throws(CloudError) -> [ShareParticipant] {
    try requireActor()
    try strike(.fetch, [.share], in: zone)
    return try environment.read {
      let (directory, found) = (try ShareDirectory(environment), try find(reference, in: zone))
      try directory.requireManager(of: found)
      let share = try directory.share(found)
      return share.requesters + share.blocked
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

extension CloudEnvironment {
  /// Returns a person as a participant would have it (R10.2.2). One without an account is known by
  /// the address alone. Throws `unknownItem` for an unknown user record name.
  public func identity(of invitee: Invitee) throws(CloudError) -> UserIdentity {
    try requireNetwork()
    return try read {
      let directory = try ShareDirectory(self)
      let address =
        if case .address(let address) = invitee { address } else { nil as PersonAddress? }
      if let account = directory.account(of: invitee) {
        return directory.identity(of: account, at: address)
      }
      guard let address else {
        throw CloudError(.unknownItem, "User not found: \(invitee.text)")
      }
      return UserIdentity(
        userRecordName: nil, person: nil, address: address, hasAccount: false)
    }
  }
}

extension ShareDirectory {
  /// Returns a share as the user sees it. Public users see the owner and themselves, others see all
  /// participants (R10.2.1), the owner and administrators also see the requesters.
  func share(_ found: FoundShare) throws -> Share {
    guard let record = try environment.store.record(found.stored.name, in: found.zone)?.record
    else { throw CloudError.shareNotFound(.name(found.stored.name)) }
    return share(found.stored, record, found.place, found.rows)
  }

  /// Returns a share as the user sees it; `token` may be that of an unused one-time URL.
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
      id: nil, self.owner(of: place), self.account(of: place.owner.name), .owner, .readWrite,
      .accepted)
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
  /// The text of a string value; nil for other values.
  fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}

extension CloudError {
  /// The error for a share that is missing, or that the caller may not know of (R10.2.9).
  static func shareNotFound(_ reference: ShareReference) -> CloudError {
    switch reference {
    case .name(let name):
      CloudError(.unknownItem, "Share not found: \(name.text)", recordName: name.text)
    case .url(let url): CloudError(.unknownItem, "Share not found: \(url.text)")
    }
  }
}
