internal import Basics

/// An account of a fixture, with its person.
public struct FixtureUser: Sendable, Equatable {
  /// The account.
  public var account: Account
  /// The person.
  public var person = Person()
  /// Whether others may find the user; nil if the fixture does not say.
  public var isDiscoverable: Bool?
  /// The user's contacts, in byte order.
  public var contacts: [PersonAddress] = []
  /// The names of the user's roles, in byte order.
  public var roles: [String] = []

  /// Creates an account without a person.
  public init(_ account: Account) { self.account = account }
}

extension FixtureUser: FixtureEntry {
  /// What errors call it.
  public var label: String { "user '\(account.name)'" }

  /// What a comparison prints.
  public var attributes: FixtureAttributes {
    let lists = [
      ("email", person.emails), ("phone", person.phones),
      ("given", [person.givenName].compactMap(\.self)),
      ("family", [person.familyName].compactMap(\.self)),
      ("discoverable", isDiscoverable.map { [$0 ? "true" : "false"] } ?? []),
      ("contacts", contacts.map(\.text)), ("roles", roles),
    ]
    return FixtureAttributes(
      scope: .public, zone: .defaultZone, name: RecordName(stored: account.name), type: .users,
      values: lists.filter { !$0.1.isEmpty }.map { ($0.0, $0.1.separated(by: " ")) })
  }
}
