internal import Basics
public import CloudModel
internal import FieldCodecs

/// Creates records from the files of a fixture: fills in defaults, reads values by their fields'
/// types, computes dates from the clock, finds the contents of assets, and checks that no label
/// appears twice.
public struct FixtureResolver {
  private var faults: [FixtureFault] = []
  private var sources: [Asset: AssetSource] = [:]
  private var usesNow = false

  /// Whether fields may contain conditions instead of values.
  public var allowsMatchers = false

  private let conditions: Conditions
  /// The types of fields, by record type and field.
  private var types: [String: [String: FieldType]] = [:]
  /// The types of fields not in `types`, implied by their values' shapes.
  private var shapes: [String: [String: FieldType]] = [:]

  /// The conditions that values depend on in addition to the text.
  public struct Conditions {
    /// The time now.
    public var now: Timestamp
    /// The random seed.
    public var seed: UInt64
    /// The directories of the fixture's files, in order.
    public var directories: [String]
    /// Returns the hash and the size of contents. Throws `CloudError` if there are none.
    public var asset: (AssetSource) throws(CloudError) -> Asset

    /// Creates the conditions.
    public init(
      now: Timestamp, seed: UInt64, directories: [String],
      asset: @escaping (AssetSource) throws(CloudError) -> Asset
    ) {
      self.now = now
      self.seed = seed
      self.directories = directories
      self.asset = asset
    }
  }

  /// The context of a record.
  private struct Home {
    let scope: DatabaseScope
    let zone: ZoneID
    /// The types of its type's fields.
    let types: [String: FieldType]
    let shapes: [String: FieldType]
    let defaults: [FieldText]
  }

  /// Creates a resolver with the types of a schema.
  public init(_ schema: [RecordTypeSchema], _ conditions: Conditions) {
    self.conditions = conditions
    for type in schema {
      for field in type.fields { types[type.name.text, default: [:]][field.name.text] = field.type }
    }
  }

  /// Resolves the zones of a fixture, each once, in the order of the texts. Omits faulty values,
  /// and records with a duplicate label.
  public mutating func resolve(_ fixture: Fixture) -> FixtureResolution {
    learnTypes(fixture)
    struct Place: Hashable {
      let scope: DatabaseScope
      let account: Account?
      let id: ZoneID
    }
    var zones: [FixtureZone] = []
    var places: [Place: Int] = [:]
    for zone in fixture.zones {
      let place = Place(scope: zone.scope, account: zone.account, id: zone.id)
      if places[place] == nil {
        places[place] = zones.count
        zones.append(FixtureZone(zone.id, in: zone.scope, of: zone.account, at: zone.position))
      }
      resolve(zone, fixture, into: &zones[places[place, default: 0]])
    }
    noteEntriesTwice(fixture)
    return FixtureResolution(
      zones, entries(of: fixture), faults: fixture.faults + faults, assetSources: sources,
      usesNow: usesNow)
  }

  /// Resolves each record once, to find its faults; iterating over the zone resolves it again.
  private mutating func resolve(
    _ zone: Fixture.Zone, _ fixture: Fixture, into resolved: inout FixtureZone
  ) {
    var homes = Homes(zone: zone, defaults: fixture.defaults)
    var twins: Set<Int> = []
    for (index, record) in zone.records.enumerated() {
      let found = resolve(record, homes.home(of: record, types, shapes))
      if resolved.labels.insert(record.name).inserted {
        resolved.hasTargets = resolved.hasTargets || found.hasTargets
      } else {
        note(twice(record, in: zone, fixture), at: record.position)
        twins.insert(index)
      }
    }
    // From here on, faults and sources are known.
    var resolver = self
    resolver.isSettled = true
    resolved.records.append(count: zone.records.count) { index in
      if twins.contains(index) { return nil }
      let record = zone.records[index]
      return resolver.resolve(record, homes.home(of: record, resolver.types, resolver.shapes))
    }
  }

  /// Whether records are being resolved again, so that nothing needs to be noted.
  private var isSettled = false

  /// The homes of the records of a zone; most zones have only one type.
  private struct Homes {
    let zone: Fixture.Zone
    let defaults: [String: [FieldText]]
    private var last: (type: String, home: Home)?

    init(zone: Fixture.Zone, defaults: [String: [FieldText]]) {
      self.zone = zone
      self.defaults = defaults
    }

    mutating func home(
      of record: Fixture.Record, _ types: [String: [String: FieldType]],
      _ shapes: [String: [String: FieldType]]
    ) -> Home {
      if let last, last.type == record.type { return last.home }
      let home = Home(
        scope: zone.scope, zone: zone.id, types: types[record.type] ?? [:],
        shapes: shapes[record.type] ?? [:], defaults: defaults[record.type] ?? [])
      last = (record.type, home)
      return home
    }
  }
  private func twice(
    _ record: Fixture.Record, in zone: Fixture.Zone, _ fixture: Fixture
  ) -> CloudError {
    let namesakes = fixture.zones.lazy
      .filter { $0.scope == zone.scope && $0.account == zone.account && $0.id == zone.id }
      .flatMap(\.records).filter { $0.name == record.name }
    var error = twice(
      "label '\(record.name)'", at: record.position,
      first: namesakes.first?.position ?? record.position, fixture)
    error.recordName = record.name
    return error
  }

  private func twice(
    _ what: String, at position: TextPosition, first: TextPosition, _ fixture: Fixture
  ) -> CloudError {
    let file = first.source == position.source ? "" : "\(fixture.sources[first.source]):"
    return CloudError(
      .invalidArguments, "the \(what) appears twice; first at \(file)\(first.text)")
  }

  /// The entries, with file names relative to the fixture's folder.
  private func entries(of fixture: Fixture) -> FixtureEntries {
    fixture.entries.mapped { entry, position in
      guard let written = entry as? any WrittenFixtureEntry else { return entry }
      return written.resolved(in: conditions.directories[position.source])
    }
  }

  /// Notes faults for entries that the files contain twice.
  private mutating func noteEntriesTwice(_ fixture: Fixture) {
    var first: [String: TextPosition] = [:]
    for entry in fixture.entries.all {
      let (label, position) = (entry.value.label, entry.position)
      if let known = first[label] {
        note(twice(label, at: position, first: known, fixture), at: position)
      } else {
        first[label] = position
      }
    }
  }

  private mutating func note(_ error: CloudError, at position: TextPosition) {
    if isSettled { return }
    faults.append(FixtureFault(error, at: position))
  }

  private mutating func note(
    _ message: String, _ record: Fixture.Record, at position: TextPosition
  ) {
    note(CloudError(.invalidArguments, message, recordName: record.name), at: position)
  }

  // MARK: Types of fields missing from the schema

  private mutating func learnTypes(_ fixture: Fixture) {
    let hasCells = fixture.zones.contains { zone in
      zone.records.contains { $0.fields.contains(where: \.isCell) }
    }
    for (type, fields) in fixture.defaults {
      for field in fields { learn(field, of: type, forCells: hasCells) }
    }
    for zone in fixture.zones {
      for record in zone.records {
        for field in record.fields { learn(field, of: record.type, forCells: hasCells) }
      }
    }
  }

  /// Learns a field's type: a type written with one value applies to all values of the field, the
  /// shape of a value to all cells.
  private mutating func learn(
    _ field: FieldText, of type: String, forCells hasCells: Bool
  ) {
    if field.isCell { return }
    let name = field.name.text
    if let written = field.value.writtenType {
      if types[type]?[name] == nil { types[type, default: [:]][name] = written }
    } else if !hasCells {
      return
    } else if shapes[type]?[name] == nil || shapes[type]?[name] == FieldType(.int64) {
      shapes[type, default: [:]][name] = (try? PlainJSONReader.read(field.value))?.value?.type
    }
  }

  // MARK: A record

  private mutating func resolve(_ record: Fixture.Record, _ home: Home) -> FixtureRecord {
    var draft = RecordDraft()
    draft.name = record.name
    draft.type = record.type
    draft.zone = home.zone.text
    draft.parent = record.parent?.value
    draft.position = record.position
    draft.fields.reserveCapacity(record.fields.count)
    var resolved = FixtureRecord(draft)
    resolved.parentPosition = record.parent?.position
    for field in record.fields { add(field, record, home, to: &resolved) }
    for field in home.defaults where !record.fields.contains(where: { $0.name == field.name }) {
      add(field, record, home, to: &resolved)
    }
    return resolved
  }

  private mutating func add(
    _ field: FieldText, _ record: Fixture.Record, _ home: Home,
    to resolved: inout FixtureRecord
  ) {
    do {
      if let matcher = try matcher(field) {
        return resolved.matchers.append((field.name, matcher, field.position))
      }
      let reading =
        try plainReading(field, home) ?? specialReading(field, record, home, &resolved)
      resolved.draft.fields.append(
        RecordDraft.Field(field.name, reading.value, type: reading.type, at: field.position))
    } catch let error as ValueReadingError {
      note("\(field.name.text): \(error.message)", record, at: field.position)
    } catch {
      guard var error = error as? CloudError else { return }
      error.recordName = record.name
      error.message = "\(field.name.text): \(error.message)"
      note(error, at: field.position)
    }
  }

  /// Returns the value of a field without fixture-only notation, which most fields are.
  private func plainReading(
    _ field: FieldText, _ home: Home
  ) throws(ValueReadingError) -> PlainJSONReader.Reading? {
    if field.isCell { return nil }
    switch field.value {
    case .null, .bool, .int, .double, .outOfRange: break
    case .string(let text):
      if RelativeTime.isMeant(by: text) { return nil }
    case .array(let items):
      for item in items {
        switch item {
        case .object: return nil
        case .string(let text) where RelativeTime.isMeant(by: text): return nil
        case .null, .bool, .int, .double, .outOfRange, .string, .array: continue
        }
      }
    case .object: return nil
    }
    return try PlainJSONReader.read(field.value)
  }

  private mutating func specialReading(
    _ field: FieldText, _ record: Fixture.Record, _ home: Home,
    _ resolved: inout FixtureRecord
  ) throws -> PlainJSONReader.Reading {
    let name = field.name.text
    var value = FixtureValue(
      conditions: conditions, purpose: [home.scope.name, home.zone.text, record.name],
      directory: conditions.directories[field.position.source])
    let reading = try value.read(
      field, as: home.types[name] ?? (field.isCell ? home.shapes[name] : nil))
    usesNow = usesNow || value.usesNow
    if !isSettled { sources.merge(value.sources) { first, _ in first } }
    if value.isDangling { resolved.dangling.insert(field.name) }
    return reading
  }

  private func matcher(_ field: FieldText) throws(ValueReadingError) -> FieldMatcher? {
    guard case .object(let members) = field.value, let matcher = try FieldMatcher(members) else {
      return nil
    }
    guard allowsMatchers else {
      throw ValueReadingError("'\(members[0].name)' is only for assert: a record needs a value")
    }
    return matcher
  }
}
