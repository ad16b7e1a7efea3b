internal import Basics
internal import CloudModel
internal import Testing

@testable internal import RecordStore

/// The store against a dictionary (DS9): a long run of random operations, in transactions that are
/// sometimes rolled back, on a store that is sometimes opened again.
@Suite struct ModelTests {
  /// The expected contents of the store: the records by zone and name.
  private struct Model: Equatable {
    var zones: [String: [String: Expected]] = [:]

    struct Expected: Equatable {
      var type: String
      var fields: RecordFields
      var parent: RecordName?
    }
  }

  /// One operation at a time, on the store and on the model.
  private struct Run {
    var source: RandomRecords
    var model = Model()
    let store: EnvironmentStore
    static let zones = ["_defaultZone", "A", "B", "C"]
    static let types = ["Artist", "artist", "Work"]

    mutating func step() throws {
      let zone = source.pick(Self.zones)
      switch source.random.next() % 20 {
      case 0: try makeZone(zone)
      case 1 where source.chance(40): try deleteZone(zone)
      case 2...10: try insert(zone)
      case 11...15: try update(zone)
      default: try delete(zone)
      }
    }

    private func stored(_ zone: String) throws -> StoredZone? {
      try store.zone(ZoneID(stored: zone), .private, of: store.me())
    }

    mutating func makeZone(_ zone: String) throws {
      _ = try store.zone(zone)
      model.zones[zone] = model.zones[zone] ?? [:]
    }

    mutating func deleteZone(_ zone: String) throws {
      let found = try stored(zone)
      #expect((found == nil) == (model.zones[zone] == nil))
      guard let found else { return }
      try store.deleteZone(found, .private, of: store.me())
      model.zones[zone] = nil
    }

    /// Fields of any type, some of them new for the record type.
    private mutating func fields(_ type: String) throws -> RecordFields {
      var fields = RecordFields()
      for _ in 0..<source.pick([0, 1, 3, 6]) {
        let (name, fieldType) = source.pick(RandomRecords.fields)
        _ = try store.type(type, [(name, fieldType)])
        fields[FieldName(stored: name)] = source.value(fieldType)
      }
      return fields
    }

    mutating func insert(_ zone: String) throws {
      let name = "n\(source.random.next() % 25)"
      let type = source.pick(Self.types)
      let table = try store.type(type)
      var made = record(name, type, zone: zone)
      made.fields = try fields(type)
      if source.chance(20) { made.parent = RecordName(stored: "n1") }
      try makeZone(zone)
      let sequence = try store.insert(made, table)
      #expect((sequence == nil) == (model.zones[zone]?[name] != nil))
      guard sequence != nil else { return }
      try store.removeTombstone(made.name, in: store.zone(zone))
      model.zones[zone]?[name] = .init(type: type, fields: made.fields, parent: made.parent)
    }

    mutating func update(_ zone: String) throws {
      guard let found = try stored(zone), let old = anyRecord(zone) else { return }
      let (name, expected) = old
      let stored = try #require(try store.record(RecordName(stored: name), in: found))
      #expect(stored.record.fields == expected.fields)
      var changed = stored.record
      changed.fields = try fields(expected.type)
      _ = try store.update(
        stored, to: changed, store.type(expected.type),
        at: Timestamp(milliseconds: StoreFixture.time.milliseconds + 1), by: store.me())
      model.zones[zone]?[name]?.fields = changed.fields
    }

    mutating func delete(_ zone: String) throws {
      guard let found = try stored(zone), let (name, _) = anyRecord(zone) else { return }
      let record = try #require(try store.record(RecordName(stored: name), in: found))
      try DoomedRecords([record], in: found, of: store).delete()
      model.zones[zone]?[name] = nil
    }

    private mutating func anyRecord(_ zone: String) -> (String, Model.Expected)? {
      let names = (model.zones[zone] ?? [:]).keys.sorted()
      if names.isEmpty { return nil }
      let name = source.pick(names)
      return (model.zones[zone]?[name]).map { (name, $0) }
    }
  }

  /// The contents of the store as a model.
  private func contents(_ fixture: StoreFixture) throws -> Model {
    try fixture.read { (store) throws in
      var model = Model()
      for zone in try store.zones(.private, of: store.user(Account("me"), on: .cli)) {
        var records: [String: Model.Expected] = [:]
        var names: [String] = []
        try store.list(zone) { record in
          names.append(record.name.text)
          records[record.name.text] = .init(
            type: record.type.text, fields: record.fields, parent: record.parent)
          return true
        }
        #expect(names == names.sorted(by: utf8Precedes), "listed in name order")
        #expect(zone.zone.recordCount == records.count)
        model.zones[zone.zone.id.text] = records
      }
      return model
    }
  }

  /// Builds and drops indexes, which follow every change in between.
  private func makeIndexes(in store: EnvironmentStore, _ source: inout RandomRecords) throws {
    for type in try store.types() {
      guard let table = try store.table(type) else { continue }
      let some = table.possibleIndexes.filter { _ in source.chance(40) }
      if source.chance(70) {
        try store.build(some, of: table)
      } else {
        try store.drop(some, of: table)
      }
    }
  }

  @Test(
    "DS9: thousands of random operations give the contents of a dictionary", arguments: 1...3)
  func randomOperations(seed: Int) throws {
    let fixture = try StoreFixture()
    var source = RandomRecords(random: SplitMix64(state: UInt64(seed)))
    var model = Model()
    for round in 0..<120 {
      try fixture.store.beginWrite()
      var run = Run(source: source, model: model, store: fixture.store)
      for _ in 0..<source.pick([1, 5, 20]) { try run.step() }
      if source.chance(10) { try makeIndexes(in: fixture.store, &run.source) }
      source = run.source
      if source.chance(15) {
        fixture.store.rollback()
      } else {
        try fixture.store.commit()
        model = run.model
      }
      if round % 40 == 39 {
        #expect(try contents(fixture) == model)
        try fixture.checkInvariants()
        try fixture.reopen()
      }
    }
    #expect(try contents(fixture) == model)
    try fixture.checkInvariants()
  }
}
