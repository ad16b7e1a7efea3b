internal import CloudModel
internal import Testing

@testable internal import RecordStore

/// Values read back from the disk unchanged (C065, C066; DS4).
@Suite struct ValueTests {
  /// One field of each type, with values at the edges.
  static let singles: [(FieldType.Base, [FieldValue])] = [
    (.string, ["", "a", "O'Neil \"x\" %_", "e\u{301}", "\u{e9}", "🧭", "a\0b"].map { .string($0) }),
    (.int64, [0, -1, .min, .max, 1 << 53, (1 << 53) + 1].map { .int64($0) }),
    (.double, [0, 0.1, 1e308, .leastNonzeroMagnitude, -1e15, 1e22].map { .double($0) }),
    (.timestamp, [0, -1, 1_700_000_000_001].map { .timestamp(Timestamp(milliseconds: $0)) }),
    (.bytes, [[], [0], [0xFF, 0, 0x27]].map { .bytes($0) }),
    (.location, places.map { .location($0) }),
    (.reference, references.map { .reference($0) }),
    (.asset, assets.map { .asset($0) }),
    (.number, [.int64(7), .double(7.5)]),
  ]

  static let places: [Location] = {
    var places = [(90.0, 180.0), (-90, -180), (51.5, -0.12)].compactMap {
      Location(latitude: $0.0, longitude: $0.1)
    }
    var full = places[2]
    full.altitude = 12.5
    full.horizontalAccuracy = 1
    full.verticalAccuracy = 2
    full.course = 359.9
    full.speed = 0.5
    full.timestamp = Timestamp(milliseconds: 5)
    places.append(full)
    return places
  }()

  static let references = [
    Reference(RecordName(stored: "a")), Reference(RecordName(stored: "115, Chen Mei")),
    Reference(RecordName(stored: "b"), action: .deleteSelf),
    Reference(RecordName(stored: "c"), action: .validate),
  ]

  static let assets = [Int64(0), 7, 1 << 40].compactMap {
    Asset(sha256: String(repeating: "0f", count: 32), size: $0)
  }

  /// Saves the values, one per record, and reads them with a store that is opened again.
  private func roundTrip(_ type: FieldType, _ values: [FieldValue]) throws -> [FieldValue?] {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type("T", [("f", type)])
      for (index, value) in values.enumerated() {
        _ = try store.insert(record("r\(index)", "T", [("f", value)]), table)
      }
    }
    try fixture.checkInvariants()
    try fixture.reopen()
    return try fixture.read { (store) throws in
      let zone = try store.zone("_defaultZone")
      return try values.indices.map {
        try store.record(RecordName(stored: "r\($0)"), in: zone)?.record.fields[
          FieldName(stored: "f")]
      }
    }
  }

  @Test("C065: a value of each type round-trips", arguments: singles.indices)
  func singleValues(_ index: Int) throws {
    let (base, values) = Self.singles[index]
    #expect(try roundTrip(FieldType(base), values) == values)
  }

  @Test("C066: a list of each type round-trips in its order", arguments: singles.indices)
  func lists(_ index: Int) throws {
    let (base, values) = Self.singles[index]
    if base == .number { return }
    let lists: [FieldValue] = [
      .list(values), .list(values.reversed()), .list([values[0], values[0]]), .list([]),
    ]
    #expect(try roundTrip(FieldType(base, isList: true), lists) == lists)
  }

  @Test("C065: a negative zero keeps its sign, which SQLite's REAL columns lose")
  func negativeZero() throws {
    let zero = FieldValue.double(-0.0)
    for base in [FieldType.Base.double, .number] {
      #expect(try roundTrip(FieldType(base), [zero, .double(0)]) == [zero, .double(0)])
    }
    let lists: [FieldValue] = [.list([zero, .double(0)])]
    #expect(try roundTrip(FieldType(.double, isList: true), lists) == lists)
    var place = try #require(Location(latitude: -0.0, longitude: -0.0))
    place.altitude = -0.0
    #expect(try roundTrip(FieldType(.location), [.location(place)]) == [.location(place)])
  }

  @Test("C065: an update replaces values and keeps what SQL would have rounded")
  func updates() throws {
    let fixture = try StoreFixture()
    let values = Self.singles.flatMap { base, values in values.map { (base, $0) } }
    try fixture.write { (store) throws in
      let table = try store.type("T", FieldType.Base.allCases.map { ($0.rawValue, FieldType($0)) })
      _ = try store.insert(record("r", "T"), table)
    }
    for (base, value) in values {
      try fixture.write { (store) throws in
        let zone = try store.zone("_defaultZone")
        let stored = try #require(try store.record(RecordName(stored: "r"), in: zone))
        var changed = stored.record
        changed.fields[FieldName(stored: base.rawValue)] = value
        let table = try store.type("T")
        _ = try store.update(stored, to: changed, table, at: StoreFixture.time, by: store.me())
        let after = try store.record(RecordName(stored: "r"), in: zone)
        #expect(after?.record.fields == changed.fields)
      }
    }
    try fixture.checkInvariants()
  }
}
