internal import Basics
public import CloudModel
internal import RecordStore

/// What a comparison with a fixture looks at.
public struct ComparisonOptions: Sendable {
  /// Whether records and fields that the fixture does not have are allowed.
  public var isSubset = false
  /// The fields that do not matter.
  public var ignored = IgnoredFields([])

  /// Everything.
  public init() {}
}

extension Record {
  /// In what another record of the name differs from this one, which is expected.
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

/// Compares what two stores hold, as fixtures would tell it.
public struct StoreComparison {
  private var expected: [Place: [String: Record]] = [:]
  private let ignored: IgnoredFields

  private struct Place: Hashable {
    let scope: DatabaseScope
    let zone: ZoneName
  }

  /// Compares with what a database's environment holds. Throws `CloudError`.
  public init(_ database: CloudDatabase, ignoring ignored: IgnoredFields) throws(CloudError) {
    self.ignored = ignored
    var expected: [Place: [String: Record]] = [:]
    try Self.walk(database) { place, record in
      if let record {
        expected[place]?[record.name.text] = record
      } else {
        expected[place] = [:]
      }
    }
    self.expected = expected
  }

  /// Gives each zone, without a record, and then its records to `body`.
  private static func walk(
    _ database: CloudDatabase, _ body: (Place, Record?) throws -> Void
  ) throws(CloudError) {
    var place = Place(scope: .public, zone: .defaultZone)
    try database.walkFixture { step in
      switch step {
      case .zone(let scope, let zone):
        place = Place(scope: scope, zone: zone)
        try body(place, nil)
      case .record(let record, _): try body(place, record)
      }
    }
  }

  /// In what another environment differs, by databases, zones and names. Throws `CloudError`.
  public func differences(
    from database: CloudDatabase
  ) throws(CloudError) -> [RecordDifference] {
    var left = expected
    var met: Set<Place> = []
    var differences: [RecordDifference] = []
    try Self.walk(database) { place, record in
      guard let record else {
        met.insert(place)
        guard left[place] == nil, !place.zone.isDefault else { return }
        return differences.append(
          RecordDifference(zone: place.zone, in: place.scope, isExpected: false))
      }
      guard let wanted = left[place]?.removeValue(forKey: record.name.text) else {
        return differences.append(
          RecordDifference(
            .presence, of: record, in: place.scope, expected: nil, found: .record(record)))
      }
      differences += wanted.differences(from: record, in: place.scope, ignored)
    }
    for (place, records) in left {
      if !met.contains(place), !place.zone.isDefault {
        differences.append(RecordDifference(zone: place.zone, in: place.scope, isExpected: true))
      }
      differences += records.values.map {
        RecordDifference(.presence, of: $0, in: place.scope, expected: .record($0), found: nil)
      }
    }
    return differences.sorted(by: RecordDifference.precedes)
  }
}

extension RecordDifference {
  /// By databases, zones and names; what differs in one record stays as it is.
  static func precedes(_ first: RecordDifference, _ second: RecordDifference) -> Bool {
    if first.scope != second.scope { return first.scope.rawValue < second.scope.rawValue }
    if first.zone != second.zone { return utf8Precedes(first.zone.text, second.zone.text) }
    return utf8Precedes(first.record?.text ?? "", second.record?.text ?? "")
  }
}
