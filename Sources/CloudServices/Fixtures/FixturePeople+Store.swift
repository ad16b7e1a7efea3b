internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import RecordStore
internal import StoreHome

// Accounts, devices and shares of a store, as a fixture has them.
extension CloudEnvironment {
  /// The accounts with more than their records, in byte order. Within a transaction.
  func fixtureUsers(_ people: StorePeople) throws -> [FixtureUser] {
    let answers = people.discoverability[container.text] ?? [:]
    let names = Set(people.persons.keys).union(people.contacts.keys).union(answers.keys)
    let all = try names.union(store.accountNames()).sorted(by: utf8Precedes)
    return try all.compactMap { name in
      let user = try fixtureUser(Account(name), people)
      return user.attributes.values.isEmpty && people.persons[name] == nil ? nil : user
    }
  }

  func fixtureUser(_ account: Account, _ people: StorePeople) throws -> FixtureUser {
    var user = FixtureUser(account)
    user.person = people.persons[account.name] ?? Person()
    user.contacts = people.contacts[account.name] ?? []
    switch people.discoverability[container.text]?[account.name] {
    case .granted: user.isDiscoverable = true
    case .denied: user.isDiscoverable = false
    case .initialState, .couldNotComplete, nil: break
    }
    let numbers = try roleNumbers(of: account)
    user.roles = try store.roles().filter { numbers.contains($0.number) }.map(\.name)
    return user
  }

  /// The accounts, devices and shares of a fixture. Within a transaction.
  func fixturePeople() throws -> FixturePeople {
    let stored = try owner.people()
    var people = FixturePeople()
    let none = TextPosition(line: 1, column: 1)
    people.users = try fixtureUsers(stored).map { Placed($0, at: none) }
    people.devices = stored.devices.sorted { utf8Precedes($0.key, $1.key) }.map {
      Placed(FixtureDevice(Device(stored: $0.key), $0.value), at: none)
    }
    people.shares = try fixtureShares(ShareDirectory(self, people: stored)).map {
      Placed($0, at: none)
    }
    people.subscriptions = try fixtureSubscriptions().map { Placed($0, at: none) }
    people.keyValues = try owner.fixtureKeyValues(in: container, for: request).map {
      Placed($0, at: none)
    }
    people.documents = try owner.fixtureDocuments(in: container, for: request).map {
      Placed($0, at: none)
    }
    return people
  }

  /// The subscriptions of all accounts, in order of creation. Within a transaction.
  func fixtureSubscriptions() throws -> [FixtureSubscription] {
    try store.subscriptions().map { stored in
      let isOwn = stored.account == request.account
      return FixtureSubscription(stored.subscription, owner: isOwn ? nil : stored.account)
    }
  }

  /// The accounts that own private zones, the request's own (nil) first, then in byte order. Within
  /// a transaction.
  func owners() throws -> [Account?] {
    let names = try store.accountNames().sorted(by: utf8Precedes)
    return [nil] + (try names.map { try Account($0) }.filter { $0 != request.account })
  }

  /// The accounts that own private zones here or in another environment.
  func allOwners(with other: CloudEnvironment) throws -> [Account?] {
    let mine = try owners()
    return mine + (try other.owners()).filter { !mine.contains($0) && $0 != request.account }
  }

  /// Returns the private database of an account; nil for the request's account.
  func privateDatabase(of account: Account?) throws -> CloudDatabase {
    guard let account, account != request.account else { return try database(.private) }
    var request = request
    request.account = account
    return try acting(for: request).database(.private)
  }

  /// The shares of all zones, ordered by owner, zone and name. Within a transaction.
  func fixtureShares(_ directory: ShareDirectory) throws -> [FixtureShare] {
    var shares: [FixtureShare] = []
    for owner in try owners() {
      let database = try privateDatabase(of: owner)
      for zone in try database.storedZones() {
        for share in try store.shares(in: zone) {
          shares.append(try directory.fixture(share, in: zone, owner: owner))
        }
      }
    }
    return shares.sorted { one, other in
      let (first, second) = (one.attributes.identity, other.attributes.identity)
      return first.lexicographicallyPrecedes(second, by: utf8Precedes)
    }
  }
}

extension ShareDirectory {
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
