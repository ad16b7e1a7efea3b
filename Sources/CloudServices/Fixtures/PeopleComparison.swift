internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import RecordStore
internal import StoreHome

// Compares accounts, devices and shares with those of a fixture, or of another store.
extension RecordDifference {
  /// The differences between expected accounts, devices or shares and those found.
  static func between(
    _ expected: [FixtureAttributes], _ found: [FixtureAttributes]
  ) -> [RecordDifference] {
    var differences: [RecordDifference] = []
    for one in expected {
      let other = found.first { $0.identity == one.identity }
      differences += one.differences(from: other)
    }
    for other in found where !expected.contains(where: { $0.identity == other.identity }) {
      differences.append(other.difference(.presence, nil, other.summary))
    }
    return differences
  }
}

extension FixtureAttributes {
  /// The differences of another one from this, the expected one; nil if it is missing.
  func differences(from other: FixtureAttributes?) -> [RecordDifference] {
    guard let other else { return [difference(.presence, summary, nil)] }
    var keys = values.map(\.key)
    for (key, _) in other.values where !keys.contains(key) { keys.append(key) }
    return keys.compactMap { key in
      let (mine, theirs) = (self[key], other[key])
      return mine == theirs ? nil : difference(.field(FieldName(stored: key)), mine, theirs)
    }
  }

  private subscript(key: String) -> String? { values.first { $0.key == key }?.text }

  fileprivate var summary: String { values.map { "\($0.key) \($0.text)" }.separated(by: ", ") }

  fileprivate func difference(
    _ subject: RecordDifference.Subject, _ expected: String?, _ found: String?
  ) -> RecordDifference {
    RecordDifference(
      subject, of: Record(name: name, type: type, zone: zone), in: scope,
      expected: expected.map { .name($0) }, found: found.map { .name($0) })
  }
}

extension CloudEnvironment {
  /// The differences of the store from the accounts, devices and shares of a fixture. Other shares
  /// in zones that it shares count, unless `isSubset`. Within a transaction.
  func differences(
    from given: FixturePeople, isSubset: Bool
  ) throws -> [RecordDifference] {
    if given.isEmpty { return [] }
    let people = try owner.people()
    var differences: [RecordDifference] = []
    func compare(
      _ expected: FixtureAttributes, _ found: FixtureAttributes?, at position: TextPosition
    ) {
      for var difference in expected.differences(from: found)
      where !isSubset || difference.expected != nil {
        difference.position = position
        differences.append(difference)
      }
    }
    for user in given.users {
      let found = try fixtureUser(user.value.account, people).attributes
      compare(user.value.attributes, found, at: user.position)
    }
    for device in given.devices {
      let settings = people.devices[device.value.device.name]
      let found = settings.map { FixtureDevice(device.value.device, $0).attributes }
      compare(device.value.attributes, found, at: device.position)
    }
    let directory = try ShareDirectory(self, people: people)
    let stored = try fixtureShares(directory).map(\.attributes)
    let shares = try given.shares.map { share in
      Placed(try directory.canonical(own(share.value)).attributes, at: share.position)
    }
    for share in shares {
      compare(
        share.value, stored.first { $0.identity == share.value.identity }, at: share.position)
    }
    let subscriptions = try fixtureSubscriptions().map(\.attributes)
    for subscription in given.subscriptions {
      let expected = try canonical(subscription.value).attributes
      compare(
        expected, subscriptions.first { $0.identity == expected.identity },
        at: subscription.position)
    }
    let keys =
      try given.keyValues.isEmpty
      ? [] : owner.fixtureKeyValues(in: container, for: request).map(\.attributes)
    for entry in given.keyValues {
      let attributes = entry.value.attributes
      compare(
        attributes, keys.first { $0.identity == attributes.identity }, at: entry.position)
    }
    let documents =
      try given.documents.isEmpty
      ? [] : owner.fixtureDocuments(in: container, for: request).map(\.attributes)
    for entry in given.documents {
      let attributes = try entry.value.hashed().attributes
      compare(
        attributes, documents.first { $0.identity == attributes.identity }, at: entry.position)
    }
    if isSubset { return differences }
    let zones = Set(shares.map(\.value.zone))
    let others = stored.filter { other in
      zones.contains(other.zone) && !shares.contains { $0.value.identity == other.identity }
    }
    return differences + RecordDifference.between([], others)
  }

  /// A subscription with the canonical text of its predicate, and without its user if that is the
  /// request's account.
  private func canonical(_ given: FixtureSubscription) throws -> FixtureSubscription {
    var given = given
    if given.owner == request.account { given.owner = nil }
    if given.subscription.kind == .query {
      given.subscription.predicate =
        (try? PredicateParser.parse(given.subscription.predicate).text)
        ?? given.subscription.predicate
    }
    return given
  }

  /// A share without its owner if that is the request's account.
  private func own(_ share: FixtureShare) -> FixtureShare {
    var share = share
    if share.owner == request.account { share.owner = nil }
    return share
  }
}
