internal import Basics
public import CloudModel
internal import PredicateLanguage
internal import RecordStore

/// The result of a comparison with a fixture.
public struct FixtureComparisonResult: Sendable {
  /// The differences, by databases, zones and names.
  public var differences: [RecordDifference] = []
  /// Faults of the fixture that prevent the comparison.
  public var faults: [FixtureFault] = []
  /// How many records were compared.
  public var recordCount = 0

  /// An empty result.
  public init() {}
}

extension CloudDatabase {
  /// Compares the store with a fixture: records of the types and zones that it names, with all
  /// their fields; in a zone named without records, all types.
  public func compare(
    with zones: [FixtureZone], _ entries: FixtureEntries, _ options: ComparisonOptions
  ) throws(CloudError) -> FixtureComparisonResult {
    try requireAccount()
    return try environment.read {
      var types: Set<String> = []
      for zone in zones {
        for case let type? in zone.records.lazy.map(\.draft.type) { types.insert(type) }
      }
      var comparison = FixtureComparison(options: options, types: types)
      for zone in zones {
        let database =
          try zone.scope == .private
          ? environment.privateDatabase(of: zone.account) : environment.database(zone.scope)
        let known = comparison.result.differences.count
        try comparison.compare(zone, database)
        guard zone.scope == .private, let account = zone.account,
          account != environment.request.account
        else { continue }
        for index in comparison.result.differences.indices.dropFirst(known) {
          comparison.result.differences[index].set(owner: account)
        }
      }
      let others = try environment.differences(from: entries, isSubset: options.isSubset)
      comparison.result.differences += others.filter { !options.ignored.contains($0) }
      comparison.result.differences.sort(by: RecordDifference.precedes)
      return comparison.result
    }
  }
}

/// A comparison of a store with a fixture, within a read transaction.
private struct FixtureComparison {
  let options: ComparisonOptions
  /// The types that the fixture names.
  let types: Set<String>
  var result = FixtureComparisonResult()

  mutating func compare(_ zone: FixtureZone, _ database: CloudDatabase) throws {
    let store = database.store
    let isDefault = zone.id.isDefault
    guard let stored = try database.storedZone(zone.id) else {
      if !isDefault {
        var difference = RecordDifference(zone: zone.id, in: zone.scope, isExpected: true)
        difference.position = zone.position
        result.differences.append(difference)
      }
      for record in zone.records { try compare(record, with: nil, zone, database) }
      return
    }
    for record in zone.records {
      let name = RecordName(stored: record.draft.name ?? "")
      let found = try store.record(name, in: stored)
      let visible = try found.flatMap { try database.permissions.mayRead($0) ? $0.record : nil }
      try compare(record, with: visible, zone, database)
    }
    if options.isSubset { return }
    let labels = zone.labels
    try store.list(stored, type: nil, visible: database.visibleRows(of: nil, in: stored)) {
      record in
      let isCompared =
        record.type != .share && (labels.isEmpty || types.contains(record.type.text))
      if isCompared, !labels.contains(record.name.text) {
        result.differences.append(
          RecordDifference(
            .presence, of: record, in: zone.scope, expected: nil, found: .record(record)))
      }
      return true
    }
  }

  // MARK: One record

  private mutating func compare(
    _ expected: FixtureRecord, with found: Record?, _ zone: FixtureZone,
    _ database: CloudDatabase
  ) throws {
    result.recordCount += 1
    let type = RecordType(stored: expected.draft.type ?? "")
    let table = try database.store.table(found?.type ?? type)
    var record = Record(
      name: RecordName(stored: expected.draft.name ?? ""), type: type, zone: zone.id,
      parent: expected.draft.parent.map { RecordName(stored: $0) })
    var positions: [FieldName: TextPosition] = [:]
    for field in expected.draft.fields {
      positions[field.name] = field.position
      guard let value = field.value else { continue }
      let held = table?.schema.field(field.name.text).flatMap {
        value.held(by: $0.type, as: field.type)
      }
      record.fields[field.name] = (held ?? value).withoutZones
    }
    guard let found else {
      return note(
        RecordDifference(
          .presence, of: record, in: zone.scope, expected: .record(record), found: nil),
        at: expected.draft.position)
    }
    var ignored = Set(expected.matchers.map(\.field.text))
    if options.isSubset {
      let named = Set(expected.draft.fields.map(\.name.text))
      ignored.formUnion(found.fields.entries.map(\.name.text).filter { !named.contains($0) })
    }
    for difference in record.differences(from: found, in: zone.scope, options.ignored) {
      var place = expected.draft.position
      if case .field(let name) = difference.subject {
        if ignored.contains(name.text) { continue }
        place = positions[name] ?? place
      } else if difference.subject == .parent {
        if options.isSubset, record.parent == nil { continue }
        place = expected.parentPosition ?? place
      }
      note(difference, at: place)
    }
    for (field, matcher, position) in expected.matchers
    where !options.ignored.contains(field, of: type) {
      try match(found, record, field, matcher, zone.scope, position)
    }
  }

  private mutating func note(_ difference: RecordDifference, at position: TextPosition) {
    var difference = difference
    difference.position = position
    result.differences.append(difference)
  }

  private mutating func match(
    _ found: Record, _ record: Record, _ field: FieldName, _ matcher: FieldMatcher,
    _ scope: DatabaseScope, _ position: TextPosition
  ) throws {
    let value = found.fields[field]
    do throws(RegularExpression.Fault) {
      if try matcher.isMet(by: value) { return }
    } catch {
      return result.faults.append(
        FixtureFault(
          "\(field.text): \(error.message)", at: position,
          remedy: error.hint.map { .advice($0) }))
    }
    note(
      RecordDifference(
        .field(field), of: record, in: scope, expected: .matcher(matcher),
        found: value.map { .value($0) }), at: position)
  }
}

extension FieldMatcher {
  /// Whether a value matches. Throws `RegularExpression.Fault` for an invalid pattern.
  fileprivate func isMet(by value: FieldValue?) throws(RegularExpression.Fault) -> Bool {
    switch (self, value) {
    case (_, nil): return false
    case (.any, _): return true
    case (.matches(let pattern), .string(let text)):
      return try RegularExpression(pattern).matches(text)
    case (.matches(let pattern), _):
      _ = try RegularExpression(pattern)
      return false
    case (.approximately(let number, let span), .int64(let found)):
      return abs(Double(found) - number) <= span
    case (.approximately(let number, let span), .double(let found)):
      return abs(found - number) <= span
    case (.approximately(let number, let span), .timestamp(let found)):
      return abs(Double(found.milliseconds) - number) <= span
    case (.assetHash(let hash), .asset(let asset)): return asset.sha256 == hash
    case (.approximately, _), (.assetHash, _): return false
    }
  }
}
