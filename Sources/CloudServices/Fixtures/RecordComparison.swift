internal import Basics
public import CloudModel
internal import RecordStore

/// The options of a comparison with a fixture.
public struct ComparisonOptions: Sendable {
  /// Whether records and fields that the fixture does not have are allowed.
  public var isSubset = false
  /// The fields that are ignored.
  public var ignored = IgnoredFields([])

  /// Compares everything.
  public init() {}
}

extension Record {
  /// The differences of another record of the same name from this one, the expected one.
  func differences(
    from found: Record, in scope: DatabaseScope, _ ignored: IgnoredFields
  ) -> [RecordDifference] {
    var differences: [RecordDifference] = []
    func note(
      _ subject: RecordDifference.Subject, _ expected: RecordDifference.Expectation?,
      _ found: RecordDifference.Expectation?
    ) {
      differences.append(
        RecordDifference(subject, of: self, in: scope, expected: expected, found: found))
    }
    if type != found.type { note(.type, .name(type.text), .name(found.type.text)) }
    if parent?.text != found.parent?.text {
      note(.parent, parent.map { .name($0.text) }, found.parent.map { .name($0.text) })
    }
    let names = Set((fields.entries + found.fields.entries).map(\.name.text))
    for name in names.sorted(by: utf8Precedes).map({ FieldName(stored: $0) })
    where !ignored.contains(name, of: type) {
      let (expected, value) = (fields[name], found.fields[name])
      if expected == value { continue }
      note(.field(name), expected.map { .value($0) }, value.map { .value($0) })
    }
    return differences
  }
}

extension CloudDatabase {
  /// Passes the differences of another environment from this one, as in fixtures of both, to
  /// `body`, ordered by database, zone and name.
  public func differences(
    from other: CloudDatabase, ignoring ignored: IgnoredFields,
    _ body: @escaping (RecordDifference) -> Void
  ) throws(CloudError) {
    try requireAccount()
    try other.requireAccount()
    guard environment.store !== other.environment.store else { return }
    try environment.read {
      try other.environment.read {
        let comparison = StoreComparison(ignored: ignored, body: body)
        try comparison.compare(
          environment.database(.public), other.environment.database(.public), .public)
        for account in try environment.allOwners(with: other.environment) {
          try StoreComparison(ignored: ignored, owner: account, body: body).compare(
            environment.privateDatabase(of: account),
            other.environment.privateDatabase(of: account), .private)
        }
        let (mine, theirs) = (
          try environment.fixtureEntries(), try other.environment.fixtureEntries()
        )
        for difference in RecordDifference.between(mine.attributes, theirs.attributes)
        where !ignored.contains(difference) { body(difference) }
      }
    }
  }
}

/// A comparison of two stores, within read transactions. Both are read in order of zones and names,
/// one record of each at a time.
private struct StoreComparison {
  let ignored: IgnoredFields
  /// The owner of the private databases; nil for the acting account and in public databases.
  var owner: Account?
  let body: (RecordDifference) -> Void

  private func note(_ difference: RecordDifference) {
    var difference = difference
    if let owner { difference.set(owner: owner) }
    body(difference)
  }

  func compare(
    _ expected: CloudDatabase, _ found: CloudDatabase, _ scope: DatabaseScope
  ) throws {
    let (mine, theirs) = (try Self.zones(of: expected), try Self.zones(of: found))
    for name in Set(mine.keys).union(theirs.keys).sorted(by: utf8Precedes) {
      let zone = ZoneID(stored: name)
      if !zone.isDefault, mine[name] == nil || theirs[name] == nil {
        note(RecordDifference(zone: zone, in: scope, isExpected: theirs[name] == nil))
      }
      var wanted = try mine[name].map { try Self.records(of: $0, expected) }
      var there = try theirs[name].map { try Self.records(of: $0, found) }
      try compare(&wanted, &there, scope)
    }
  }

  /// The zones of a database that a fixture would contain.
  private static func zones(of database: CloudDatabase) throws -> [String: StoredZone] {
    let zones = try database.storedZones().filter {
      !$0.zone.id.isDefault || $0.zone.recordCount > 0
    }
    return Dictionary(uniqueKeysWithValues: zones.map { ($0.zone.id.text, $0) })
  }

  private static func records(
    of zone: StoredZone, _ database: CloudDatabase
  ) throws -> RecordCursor {
    try RecordCursor(zone, of: database.store, visible: database.visibleRows(of: nil, in: zone))
  }

  /// Compares the records of a zone.
  private func compare(
    _ expected: inout RecordCursor?, _ found: inout RecordCursor?, _ scope: DatabaseScope
  ) throws {
    func precedes(_ record: Record, _ other: Record?) -> Bool {
      other.map { utf8Precedes(record.name.text, $0.name.text) } ?? true
    }
    var (wanted, there) = (try expected?.next(), try found?.next())
    while true {
      switch (wanted, there) {
      case (let record?, let other) where precedes(record, other):
        note(
          RecordDifference(.presence, of: record, in: scope, expected: .record(record), found: nil))
        wanted = try expected?.next()
      case (let other, let record?) where precedes(record, other):
        note(
          RecordDifference(.presence, of: record, in: scope, expected: nil, found: .record(record)))
        there = try found?.next()
      case (let one?, let other?):
        one.differences(from: other, in: scope, ignored).forEach(note)
        (wanted, there) = (try expected?.next(), try found?.next())
      default: return
      }
    }
  }
}

extension RecordDifference {
  /// Orders by database, zone and name; keeps the order of differences in one record.
  static func precedes(_ first: RecordDifference, _ second: RecordDifference) -> Bool {
    if first.scope != second.scope { return first.scope.rawValue < second.scope.rawValue }
    if first.zone != second.zone { return utf8Precedes(first.zone.text, second.zone.text) }
    return utf8Precedes(first.record?.text ?? "", second.record?.text ?? "")
  }
}
