public import Basics
public import CloudModel
public import StoreFiles

/// The people of a store: account details, address books, permissions, devices.
///
/// Only commands that name a person or device read it, so that thousands of accounts slow down
/// nothing else.
public struct StorePeople: Sendable, Equatable {
  /// The persons, by the names of their accounts.
  public var persons: [String: Person] = [:]
  /// The address books, by the names of the accounts.
  public var contacts: [String: [PersonAddress]] = [:]
  /// The answers of accounts about discoverability, by container and account name.
  public var discoverability: [String: [String: Discoverability]] = [:]
  /// The devices that have settings, by name.
  public var devices: [String: NamedDevice] = [:]

  /// No people.
  public init() {}

  /// The account of an address; nil for none.
  public func account(at address: PersonAddress) -> Account? {
    guard let name = persons.first(where: { $0.value.addresses.contains(address) })?.key else {
      return nil
    }
    return try? Account(name)
  }
}

// MARK: JSON

extension StorePeople {
  init(_ json: JSONValue) {
    for member in Self.members(json["accounts"]) {
      var person = Person(
        givenName: member.value["givenName"]?.string,
        familyName: member.value["familyName"]?.string)
      person.addresses = Self.addresses(member.value["addresses"])
      persons[member.name] = person
    }
    for member in Self.members(json["contacts"]) {
      contacts[member.name] = Self.addresses(member.value)
    }
    for container in Self.members(json["discoverability"]) {
      for member in Self.members(container.value) {
        discoverability[container.name, default: [:]][member.name] =
          member.value.string.flatMap { Discoverability(name: $0) }
      }
    }
    for member in Self.members(json["devices"]) {
      var device = NamedDevice(account: nil)
      device.kind = member.value["kind"]?.string.flatMap { .init(rawValue: $0) } ?? .ios
      if case .int(let offset)? = member.value["clockOffset"] { device.clockOffset = offset }
      device.account = member.value["account"]?.string.flatMap { try? Account($0) }
      device.isOnline = member.value["isOffline"] == nil
      devices[member.name] = device
    }
  }

  private static func members(_ json: JSONValue?) -> [JSONMember] {
    if case .object(let members)? = json { members } else { [] }
  }

  private static func addresses(_ json: JSONValue?) -> [PersonAddress] {
    (json?.array ?? []).compactMap { $0.string.flatMap { try? PersonAddress($0) } }
  }

  var json: JSONValue {
    .object([
      JSONMember("accounts", Self.object(persons) { Self.json($0) }),
      JSONMember("contacts", Self.object(contacts) { Self.json($0) }),
      JSONMember(
        "discoverability",
        Self.object(discoverability) { Self.object($0) { .string($0.name) } }),
      JSONMember("devices", Self.object(devices) { Self.json($0) }),
    ])
  }

  private static func object<Value>(
    _ values: [String: Value], _ json: (Value) -> JSONValue
  ) -> JSONValue {
    var members: [JSONMember] = []
    for (name, value) in values { members.append(JSONMember(name, json(value))) }
    return .object(members.sorted { utf8Precedes($0.name, $1.name) })
  }

  private static func json(_ addresses: [PersonAddress]) -> JSONValue {
    .array(addresses.map { .string($0.text) })
  }

  private static func json(_ person: Person) -> JSONValue {
    var members: [JSONMember] = []
    if let name = person.givenName { members.append(JSONMember("givenName", .string(name))) }
    if let name = person.familyName { members.append(JSONMember("familyName", .string(name))) }
    members.append(JSONMember("addresses", json(person.addresses)))
    return .object(members)
  }

  private static func json(_ device: NamedDevice) -> JSONValue {
    var members = [JSONMember("kind", .string(device.kind.rawValue))]
    if device.clockOffset != 0 {
      members.append(JSONMember("clockOffset", .int(device.clockOffset)))
    }
    if let account = device.account { members.append(JSONMember("account", .string(account.name))) }
    if !device.isOnline { members.append(JSONMember("isOffline", .bool(true))) }
    return .object(members)
  }
}

// MARK: The file

extension StoreDirectory {
  /// It is among the containers, so that a restore replaces both at once.
  var peoplePath: String { containersPath + "/people.json" }

  /// The current version of the file.
  public var peopleVersion: FileSystem.Version? { FileSystem.version(of: peoplePath) }

  /// The people of the store.
  public func people() throws(StoreError) -> StorePeople {
    guard let json = try settingsFile(peoplePath) else { return StorePeople() }
    return StorePeople(json)
  }

  /// Changes the people, one process at a time. Throws `StoreError`, and the errors of `work`,
  /// which then changes nothing.
  public func changePeople(_ work: (inout StorePeople) throws -> Void) throws {
    let lock = try containersLock(settingsPatience)
    defer { lock.unlock() }
    let known = try people()
    var people = known
    try work(&people)
    if people != known { try save(people.json, to: peoplePath) }
  }
}
