internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome

/// A key to look up a user by.
public enum UserLookup: Sendable, Equatable {
  case address(PersonAddress)
  case name(UserRecordName)
}

// Which users can find one another (R11.3).
extension CloudEnvironment {
  /// Whether users of the container may find an account (R11.3.1): `couldNotComplete` if the
  /// account is not available.
  public func discoverability(
    of account: Account, _ status: AccountStatus
  ) throws(CloudError) -> Discoverability {
    try requireNetwork()
    guard status == .available else { return .couldNotComplete }
    return try owner.people().discoverability(of: account, in: container)
  }

  /// Sets an account's answer, on all its devices; nil removes it.
  public func set(
    _ answer: Discoverability?, of account: Account
  ) throws(CloudError) {
    try requireNetwork()
    try owner.changePeople { people in
      people.discoverability[container.text, default: [:]][account.name] = answer
      if people.discoverability[container.text]?.isEmpty == true {
        people.discoverability[container.text] = nil
      }
    }
  }

  /// The users that an account can find, in the order of the lookups: by address, contacts who have
  /// run the app and are discoverable (R11.3.2); by user record name, any user who has run the app
  /// and is discoverable (R11.3.3). Omits all others without an error (R11.3.5).
  public func discover(
    _ lookups: [UserLookup], by account: Account
  ) throws(CloudError) -> [UserIdentity] {
    try requireNetwork()
    let people = try owner.people()
    let contacts = Set(people.contacts[account.name] ?? [])
    let runners = try runners(people)
    return lookups.compactMap { lookup in
      switch lookup {
      case .address(let address):
        guard contacts.contains(address), let found = people.account(at: address),
          let name = runners[found.name]
        else { return nil }
        return people.identity(of: found, name, in: container, at: address)
      case .name(let name):
        guard let found = runners.first(where: { $0.value == name })?.key,
          let account = try? Account(found)
        else { return nil }
        return people.identity(of: account, name, in: container, at: nil)
      }
    }
  }

  /// All contacts of an account who have run the app and are discoverable (R11.3.4).
  public func discoverAll(by account: Account) throws(CloudError) -> [UserIdentity] {
    var found: [UserIdentity] = []
    let contacts = try owner.contacts(of: account)
    for identity in try discover(contacts.map { .address($0) }, by: account)
    where !found.contains(where: { $0.userRecordName == identity.userRecordName }) {
      found.append(identity)
    }
    return found
  }

  /// The user record names of the accounts that have run the app: they have written here, or
  /// answered whether they are discoverable.
  private func runners(
    _ people: StorePeople
  ) throws(CloudError) -> [String: UserRecordName] {
    let answered = people.discoverability[container.text]?.keys.map { $0 } ?? []
    let names = try read { try store.accountNames() } + answered
    var runners: [String: UserRecordName] = [:]
    for name in names { runners[name] = userRecordName(try Account(name)) }
    return runners
  }
}

extension StorePeople {
  fileprivate func discoverability(
    of account: Account, in container: ContainerID
  ) -> Discoverability {
    discoverability[container.text]?[account.name] ?? .initialState
  }

  /// Returns the identity of a discoverable user; nil for others.
  fileprivate func identity(
    of account: Account, _ name: UserRecordName, in container: ContainerID,
    at address: PersonAddress?
  ) -> UserIdentity? {
    guard discoverability(of: account, in: container) == .granted else { return nil }
    return UserIdentity(
      userRecordName: name, person: persons[account.name], address: address, hasAccount: true)
  }
}
