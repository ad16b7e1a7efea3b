internal import CloudModel
internal import SQLite
internal import Testing

@testable internal import RecordStore

/// Names of types and fields follow CloudKit's rules, not SQLite's (DS4).
@Suite struct CatalogTests {
  @Test("DS4: types that differ only by case are separate types")
  func typesDifferingByCase() throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      for (type, value) in [("Artwork", "A"), ("artwork", "b"), ("ARTWORK", "C")] {
        let table = try store.type(type, [("f", FieldType(.string))])
        _ = try store.insert(record("r-" + type, type, [("f", .string(value))]), table)
      }
    }
    try fixture.reopen()
    try fixture.read { (store) throws in
      #expect(try store.madeTypes() == ["ARTWORK", "Artwork", "artwork"])
      let zone = try store.zone("_defaultZone")
      let table = try #require(try store.table(RecordType(stored: "artwork")))
      #expect(try store.count(table, in: zone) == 1)
      let found = try store.record(RecordName(stored: "r-artwork"), in: zone)
      #expect(found?.record.fields[FieldName(stored: "f")] == .string("b"))
    }
    try fixture.checkInvariants()
  }

  @Test("DS4: fields that differ only by case are separate fields, also in predicates")
  func fieldsDifferingByCase() throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type(
        "T",
        [("Name", FieldType(.string)), ("name", FieldType(.int64)), ("NAME", FieldType(.location))])
      let place = try #require(Location(latitude: 1, longitude: 2))
      _ = try store.insert(
        record(
          "r", "T", [("Name", .string("x")), ("name", .int64(3)), ("NAME", .location(place))]),
        table)
    }
    try fixture.reopen()
    try fixture.read { (store) throws in
      let found = try store.record(RecordName(stored: "r"), in: store.zone("_defaultZone"))
      #expect(found?.record.fields.entries.map(\.name.text) == ["NAME", "Name", "name"])
      #expect(found?.record.fields[FieldName(stored: "name")] == .int64(3))
    }
    #expect(try fixture.names("T", "Name == 'x' AND name == 3 AND NAME != nil") == ["r"])
    #expect(try fixture.names("T", "Name == 'X' OR name == 4") == [])
    try fixture.checkInvariants()
  }

  @Test(
    "DS4: names that are reserved in SQL or SQLite work as types and fields",
    arguments: ["sqlite_thing", "SQLITE_master", "select", "Group", "rowid", "table", "oid"])
  func wordsOfSQL(_ word: String) throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type(word, [(word, FieldType(.string))])
      _ = try store.insert(record("r", word, [(word, .string("it's"))]), table)
    }
    try fixture.reopen()
    #expect(try fixture.names(word, "#\(word) == \"it's\"") == ["r"])
    try fixture.checkInvariants()
  }

  @Test("DS4: a part of a field (`place.latitude`) does not clash with a field of that name")
  func partsOfFields() throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type(
        "T", [("place", FieldType(.location)), ("place_latitude", FieldType(.double))])
      let place = try #require(Location(latitude: 1, longitude: 2))
      _ = try store.insert(
        record("r", "T", [("place", .location(place)), ("place_latitude", .double(9))]), table)
    }
    #expect(try fixture.names("T", "place_latitude == 9 AND place == location(1, 2)") == ["r"])
  }

  @Test("M5.2: widening an INT64 field keeps values, checksums and the order of fields")
  func widening() throws {
    let fixture = try StoreFixture()
    let whole: [Int64] = [0, -5, 1 << 53, 7]
    try fixture.write { (store) throws in
      let table = try store.type("T", [("a", FieldType(.string)), ("n", FieldType(.int64))])
      for (index, number) in whole.enumerated() {
        _ = try store.insert(record("r\(index)", "T", [("n", .int64(number))]), table)
      }
      _ = try store.insert(record("empty", "T", [("a", .string("x"))]), table)
      try store.widen(FieldName(stored: "n"), of: table)
      _ = try store.insert(record("half", "T", [("n", .double(0.5))]), table)
    }
    try fixture.checkInvariants()
    try fixture.reopen()
    try fixture.read { (store) throws in
      let zone = try store.zone("_defaultZone")
      let table = try #require(try store.table(RecordType(stored: "T")))
      #expect(table.field(FieldName(stored: "n"))?.type == FieldType(.double))
      for (index, number) in whole.enumerated() {
        let found = try store.record(RecordName(stored: "r\(index)"), in: zone)
        #expect(found?.record.fields[FieldName(stored: "n")] == .double(Double(number)))
      }
    }
  }
}
