internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreHome

extension FixtureUser: StoredFixtureEntry {
  /// The accounts with more than their records, in byte order.
  static func all(in directory: ShareDirectory) throws -> [FixtureUser] {
    try directory.environment.fixtureUsers(directory.people)
  }

  static func found(for given: [FixtureUser], in directory: ShareDirectory) throws -> [FixtureUser]
  {
    try given.map { try directory.environment.fixtureUser($0.account, directory.people) }
  }

  func loadBeforeRecords(_ loading: inout FixtureEntryLoading) throws {
    let environment = loading.environment
    let name = account.name
    for address in person.addresses {
      guard let other = loading.people.account(at: address), other != account else { continue }
      throw CloudError(
        .invalidArguments, "\(address.text) already belongs to account \(other.name)")
    }
    loading.people.persons[name] = person
    loading.people.contacts[name] = contacts.isEmpty ? nil : contacts
    if let isDiscoverable {
      loading.people.discoverability[environment.container.text, default: [:]][name] =
        isDiscoverable ? .granted : .denied
    }
    for name in roles {
      let role = try SecurityRole(custom: name)
      let isKnown = try environment.store.roles().contains(role)
      if !isKnown { try environment.store.addRole(role) }
      _ = try environment.set(role, toBe: true, of: account)
    }
  }
}

extension CloudEnvironment {
  fileprivate func fixtureUsers(_ people: StorePeople) throws -> [FixtureUser] {
    let answers = people.discoverability[container.text] ?? [:]
    let names = Set(people.persons.keys).union(people.contacts.keys).union(answers.keys)
    let all = try names.union(store.accountNames()).sorted(by: utf8Precedes)
    return try all.compactMap { name in
      let user = try fixtureUser(Account(name), people)
      return user.attributes.values.isEmpty && people.persons[name] == nil ? nil : user
    }
  }

  fileprivate func fixtureUser(_ account: Account, _ people: StorePeople) throws -> FixtureUser {
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
}
