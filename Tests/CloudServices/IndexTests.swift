internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import SQLite
internal import StoreFiles
internal import TestSupport
internal import Testing

@testable internal import CloudServices
@testable internal import RecordStore

/// The first query that needs a physical index makes it (DS4).
@Suite struct IndexTests {
  private func filled(_ count: Int) throws -> CloudFixture {
    let fixture = try CloudFixture()
    for index in 0..<count {
      let fields = [("n", FieldValue.int64(Int64(index % 7))), ("s", .string("v\(index)"))]
      try fixture.mine.save("r\(index)", "T", fields)
    }
    try fixture.environment().store.fewRecords = 10
    return fixture
  }

  private func keys(_ fixture: CloudFixture) throws -> [String] {
    try fixture.environment().indexes().map(\.key)
  }

  private func ask(_ fixture: CloudFixture, _ text: String, sort: [SortKey] = []) throws -> Int {
    var request = QueryRequest(
      type: try RecordType("T"), predicate: try PredicateParser.parse(text))
    request.sort = sort
    var count = 0
    _ = try fixture.mine.query(request) { _ in
      count += 1
      return true
    }
    return count
  }

  @Test("a query of many records makes the index that it needs, once; one of few makes none")
  func firstUse() throws {
    let fixture = try filled(20)
    #expect(try keys(fixture) == [])
    #expect(try ask(fixture, "s ENDSWITH '5'") == 2)
    #expect(try keys(fixture) == [])
    #expect(try ask(fixture, "n == 3") == 3)
    #expect(try ask(fixture, "n == 3") == 3)
    #expect(try keys(fixture) == ["n"])
    let few = try filled(5)
    #expect(try ask(few, "n == 3") == 1)
    #expect(try keys(few) == [])
  }

  @Test("many matches are read in the order of the sort, few are sorted")
  func choice() throws {
    let fixture = try filled(20)
    let store = try fixture.environment().store
    store.pageRecords = 1
    #expect(try ask(fixture, "n == 3", sort: [SortKey("s")]) == 3)
    #expect(try keys(fixture) == ["n"])
    #expect(try ask(fixture, "n >= 1", sort: [SortKey("s")]) == 17)
    #expect(try keys(fixture) == ["n", "s"])
  }

  @Test("while another process writes, a query makes no index and does not wait")
  func busy() throws {
    let fixture = try filled(20)
    let other = try CloudStore(path: fixture.store.path)
      .environment(fixture.container, .development, for: fixture.request)
    try other.store.beginWrite()
    #expect(try ask(fixture, "n == 3") == 3)
    #expect(try keys(fixture) == [])
    other.store.rollback()
    #expect(try ask(fixture, "n == 3") == 3)
    #expect(try keys(fixture) == ["n"])
  }

  /// The plan of a query, as `explain` shows it.
  private func plan(
    _ fixture: CloudFixture, _ text: String, sort: [SortKey] = [], limit: Int = 100
  ) throws -> QueryPlan {
    var request = QueryRequest(
      type: try RecordType("T"), predicate: try PredicateParser.parse(text))
    request.sort = sort
    request.limit = limit
    return try fixture.mine.plan(request)
  }

  @Test("DS4: an index of another key is not scanned for the zone that it begins with")
  func strangers() throws {
    let fixture = try filled(40)
    try fixture.environment().buildIndexes(of: RecordType("T"), by: ["n", "s", "allTokens"])
    let sort = [SortKey("n")]
    #expect(try plan(fixture, "SELF CONTAINS 'v7'", sort: sort).examined == 1)
    #expect(try plan(fixture, "recordName == 'r7'", sort: sort).examined == 1)
    let found = try plan(fixture, "n == 3 OR s == 'v7'", sort: sort)
    #expect(found.examined == 7, "\(found.steps) \(found.sql)")
    #expect(try plan(fixture, "n == 3 OR SELF CONTAINS 'v7'").examined == 7)
  }

  @Test("DS4: an index requested under an older schema is made under the current one")
  func changedSchema() throws {
    let fixture = try filled(20)
    let (environment, type) = (try fixture.environment(), try RecordType("T"))
    let wanted = try environment.read {
      try #require(try environment.requireTable(type).index(of: "allTokens"))
    }
    try fixture.mine.save("late", "T", [("notes", .string("a zebra here"))])
    #expect(try environment.build([wanted], of: type))
    #expect(try environment.build([wanted], of: type), "once more changes nothing")
    #expect(try ask(fixture, "SELF CONTAINS 'zebra'") == 1)
    #expect(try plan(fixture, "SELF CONTAINS 'zebra'").examined == 1)
  }

  @Test("P4.2.8: the evaluator decides what SQL cannot express: long words and a comma")
  func limits() throws {
    let fixture = try CloudFixture()
    let long = String(repeating: "a", count: 32_768)
    for (name, end) in [("x", "bbb"), ("y", "ccc")] {
      let list: [FieldValue] = [.string("a"), .string("b"), .string(",\u{0}" + name)]
      try fixture.mine.save(name, "T", [("s", .string(long + end)), ("tags", .list(list))])
    }
    for isIndexed in [false, true] {
      if isIndexed {
        try fixture.environment().buildIndexes(of: RecordType("T"), by: ["allTokens", "tags"])
      }
      #expect(try ask(fixture, "SELF CONTAINS '\(long)bbb'") == 1)
      #expect(try ask(fixture, "NOT SELF CONTAINS '\(long)bbb'") == 1)
      #expect(try ask(fixture, "tags CONTAINS ','") == 0)
      #expect(try ask(fixture, "tags CONTAINS 'b'") == 2)
    }
  }

  @Test("DS4: the words of hundreds of fields are one index, dropped with the type")
  func manyTexts() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("a", "T", (0..<700).map { ("f\($0)", .string("w\($0)")) })
    let (environment, type) = (try fixture.environment(), try RecordType("T"))
    try environment.buildIndexes(of: type, by: ["allTokens"])
    #expect(try plan(fixture, "SELF CONTAINS 'w699'").examined == 1)
    try fixture.mine.save("a", "T", [("f3", .string("secret"))], .all)
    #expect(try ask(fixture, "SELF CONTAINS 'w3'") == 0)
    #expect(try ask(fixture, "SELF CONTAINS 'secret'") == 1)
    try environment.drop(type, nil, unlessIn: fixture.environment(.production))
    let left = try environment.read {
      try environment.store.connection.integer(
        "SELECT count(*) FROM sqlite_schema WHERE name GLOB '_index_*'")
    }
    #expect(left == 0)
  }

  @Test("P4.2: deep and wide predicates stay within SQLite's limits")
  func extremes() throws {
    let fixture = try filled(20)
    try fixture.environment().buildIndexes(of: RecordType("T"), by: ["n", "s"])
    for zone in ["A", "B", "C"] {
      _ = try fixture.mine.createZone(ZoneID(zone))
      try fixture.mine.save("r", "T", [("n", .int64(2)), ("s", .string("v5"))], zone: zone)
    }
    let deep = (0..<60).reduce("n == 2") { inner, level in
      "n == \(100 + level) OR (s BEGINSWITH 'v' AND (\(inner)))"
    }
    #expect(try ask(fixture, deep) == 6)
    #expect(try ask(fixture, deep, sort: [SortKey("s")]) == 6)
    let wide = (0..<3000).map { "n == \(2 + 10 * $0)" }.joined(separator: " OR ")
    #expect(try ask(fixture, wide) == 6)
    #expect(try ask(fixture, wide, sort: [SortKey("n")]) == 6)
  }

  @Test("RS2: an error that ends a transaction is reported, not the end of its savepoint")
  func endedTransaction() throws {
    let fixture = try filled(1)
    let store = try fixture.environment().store
    try store.beginWrite()
    let failure = StoreError(.interrupted, "interrupted")
    #expect(throws: failure) {
      try store.attempt {
        try store.connection.execute("ROLLBACK")
        throw failure
      }
    }
    store.rollback()
  }

  @Test("DS4: a count makes no index for the sort")
  func counting() throws {
    let fixture = try filled(20)
    var request = QueryRequest(
      type: try RecordType("T"), predicate: try PredicateParser.parse("n == 3"))
    request.sort = [SortKey("s")]
    try fixture.environment().store.pageRecords = 0
    #expect(try fixture.mine.count(request) == 3)
    #expect(try keys(fixture) == ["n"])
    request.sort = [SortKey("nothing")]
    expectRefusal(.invalidArguments) { _ = try fixture.mine.count(request) }
  }

  @Test("DS4: a query works without an index that cannot be written")
  func unwritable() throws {
    let fixture = try filled(20)
    let store = try fixture.environment().store
    try store.connection.execute("PRAGMA query_only = ON")
    #expect(try ask(fixture, "n == 3") == 3)
    #expect(try keys(fixture) == [])
    try store.connection.execute("PRAGMA query_only = OFF")
    #expect(try ask(fixture, "n == 3") == 3)
    #expect(try keys(fixture) == ["n"])
  }

  @Test("P4.4: the nearest records are found without reading the others")
  func rings() throws {
    let fixture = try CloudFixture()
    for degree in 0..<60 {
      let place = try #require(Location(latitude: Double(degree), longitude: 0))
      try fixture.mine.save("r\(degree)", "T", [("p", .location(place))])
    }
    try fixture.environment().buildIndexes(of: RecordType("T"), by: ["p"])
    let sort = [SortKey("p", origin: Location(latitude: 30.1, longitude: 0))]
    #expect(try plan(fixture, "TRUEPREDICATE", sort: sort, limit: 3).examined < 30)
  }

  @Test("DS5: several zones are merged in the order of an index, not sorted")
  func zones() throws {
    let fixture = try filled(20)
    _ = try fixture.mine.createZone(ZoneID("A"))
    _ = try fixture.mine.createZone(ZoneID("empty"))
    try fixture.mine.save("a", "T", [("n", .int64(3))], zone: "A")
    try fixture.environment().buildIndexes(of: RecordType("T"), by: ["n"])
    let found = try plan(fixture, "TRUEPREDICATE", sort: [SortKey("n")])
    #expect(found.steps.first == "MERGE (UNION ALL)")
    #expect(!found.steps.contains { $0.contains("TEMP B-TREE") }, "\(found.steps)")
    #expect(found.steps.count { $0.hasPrefix("SEARCH") } == 2, "none for the empty zone")
  }

  @Test("DS4: an import that adds much to a type makes the type's indexes at the end")
  func suspension() throws {
    let fixture = try filled(20)
    let store = try fixture.environment().store
    try fixture.environment().buildIndexes(of: RecordType("T"), by: ["n", "allTokens"])
    _ = try fixture.mine.importing(ImportOptions()) { importer in
      importer.nextLook = 10
      for line in 1...15 {
        let fields = [("n", FieldValue.int64(3)), ("s", .string("new"))]
        try importer.add(ImportTests.draft("i\(line)", fields, line: line, type: "T"))
        #expect(store.state.suspended.isEmpty == (line < 10), "line \(line)")
      }
    }
    #expect(try keys(fixture) == ["allTokens", "n"])
    #expect(try plan(fixture, "SELF CONTAINS 'new'").examined == 15)
  }

  @Test("DS4: a record that fails after the indexes were dropped does not leave them out")
  func suspensionAndFault() throws {
    let fixture = try filled(20)
    let store = try fixture.environment().store
    try fixture.environment().buildIndexes(of: RecordType("T"), by: ["n", "allTokens"])
    var options = ImportOptions()
    options.isAtomic = false
    let summary = try fixture.mine.importing(options) { importer in
      importer.nextLook = 10
      for line in 1...15 {
        let number = line == 12 ? FieldValue.string("no number") : .int64(3)
        let fields = [("n", number), ("s", FieldValue.string("new"))]
        try importer.add(ImportTests.draft("i\(line)", fields, line: line, type: "T"))
        #expect(store.state.suspended.isEmpty == (line < 10), "line \(line)")
      }
    }
    #expect(summary.faults.map(\.position.line) == [12])
    #expect(try keys(fixture) == ["allTokens", "n"])
    #expect(try plan(fixture, "SELF CONTAINS 'new'").examined == 14)
  }

  @Test("RS2: a write that cannot begin leaves no transaction open")
  func failedBeginning() throws {
    let fixture = try filled(1)
    let store = try CloudStore(path: fixture.store.path)
      .environment(fixture.container, .development, for: fixture.request).store
    try store.connection.execute("DELETE FROM _state")
    #expect(throws: StoreError.self) { try store.beginWrite() }
    #expect(!store.connection.isInTransaction)
  }
}
