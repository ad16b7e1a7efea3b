internal import Basics
internal import CloudModel

// Compares entries other than records: those of a fixture with a store, or those of two stores.
extension RecordDifference {
  /// The differences between expected entries and those found.
  static func between(
    _ expected: [FixtureAttributes], _ found: [FixtureAttributes]
  ) -> [RecordDifference] {
    let others = found.byIdentity
    let differences = expected.flatMap { $0.differences(from: others[$0.identity]) }
    return differences + unexpected(found, expected)
  }

  /// The differences for entries that only the store has.
  fileprivate static func unexpected(
    _ found: [FixtureAttributes], _ expected: [FixtureAttributes]
  ) -> [RecordDifference] {
    let expected = expected.byIdentity
    return found.filter { expected[$0.identity] == nil }.map {
      $0.difference(.presence, nil, $0.summary)
    }
  }
}

extension [FixtureAttributes] {
  /// The entries by their identity; of two with the same identity, the first.
  fileprivate var byIdentity: [[String]: FixtureAttributes] {
    Dictionary(map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension FixtureAttributes {
  /// The differences of another one from this, the expected one; nil if it is missing.
  func differences(from other: FixtureAttributes?) -> [RecordDifference] {
    guard let other else { return [difference(.presence, summary, nil)] }
    let (texts, others) = (textsByKey, other.textsByKey)
    let keys = values.map(\.key) + other.values.map(\.key).filter { texts[$0] == nil }
    return keys.compactMap { key in
      let (mine, theirs) = (texts[key], others[key])
      return mine == theirs ? nil : difference(.field(FieldName(stored: key)), mine, theirs)
    }
  }

  private var textsByKey: [String: String] {
    Dictionary(values.map { ($0.key, $0.text) }, uniquingKeysWith: { first, _ in first })
  }

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
  /// The differences of the store from the entries of a fixture. Other entries of complete kinds
  /// (shares) in zones that the fixture names count, unless `isSubset`. Within a transaction.
  func differences(from given: FixtureEntries, isSubset: Bool) throws -> [RecordDifference] {
    if given.isEmpty { return [] }
    let directory = try ShareDirectory(self)
    var differences: [RecordDifference] = []
    var others: [RecordDifference] = []
    func compare<Entry: StoredFixtureEntry>(_ kind: Entry.Type) throws {
      let given = given[kind]
      let found = try kind.found(for: given.map(\.value), in: directory).map(\.attributes)
      let foundByIdentity = found.byIdentity
      var expected: [FixtureAttributes] = []
      for entry in given {
        let attributes = try entry.value.canonical(in: directory).attributes
        expected.append(attributes)
        let other = foundByIdentity[attributes.identity]
        for var difference in attributes.differences(from: other)
        where !isSubset || difference.expected != nil {
          difference.position = entry.position
          differences.append(difference)
        }
      }
      guard kind.isComplete else { return }
      let zones = Set(expected.map(\.zone))
      others += RecordDifference.unexpected(found.filter { zones.contains($0.zone) }, expected)
    }
    for kind in FixtureEntries.stored { try compare(kind) }
    return isSubset ? differences : differences + others
  }
}
