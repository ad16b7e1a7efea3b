internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

@testable internal import RecordStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `PredicateEvaluator` is the reference, and the compiled SQL must agree with it (DS5, P1.5 and
/// P4.2): random predicates over random records, the same in each run.
@Suite struct DifferentialTests {
  /// Runs the cases of one seed: one store, many queries. Returns their number.
  private static func cases(_ count: Int, seed: UInt64) throws -> Int {
    let names = RandomRecords(random: SplitMix64(state: seed), renames: true).fieldNames
    let fixture = try StoreFixture.withThings(16, seed: seed, renames: true)
    var predicates = RandomPredicates(seed: 1000 &+ seed, fieldNames: names)
    let fields = predicates.source.schema
    try fixture.makeIndexes(&predicates.source, Int(seed % 3))
    try fixture.read { _ in
      let records = try fixture.allThings()
      for _ in 0..<count {
        var query = QueryCase(fields: fields, records: records, predicate: predicates.next())
        query.pageLength =
          predicates.source.chance(10) ? 1 : predicates.source.pick([3, 5, 8, 13])
        if predicates.source.chance(50) {
          let field = predicates.source.pick(["s", "i", "d", "w", "r", "n"])
          query.sort = [SortKey(names[field] ?? field, isAscending: predicates.source.chance(50))]
        }
        guard let difference = try query.difference(in: fixture, holding: records) else { continue }
        let smallest = try query.shrunk()
        Issue.record(
          "seed \(seed): \(difference)\nof \(query.predicate.text)\nsmallest: \(smallest.text)")
      }
    }
    return count
  }

  @Test(
    "DS5: SQL and the evaluator agree, page by page, and printed predicates read back",
    arguments: 0..<40 as Range<UInt64>)
  func selections(seed: UInt64) throws { #expect(try Self.cases(500, seed: seed) == 500) }

  @Test("SQL and the evaluator agree on further seeds", .enabled(if: seconds != nil))
  func fuzz() throws {
    let end = Platform.monotonicMilliseconds + (Self.seconds ?? 0) * 1000
    var seed = UInt64(Platform.wallClockMilliseconds)
    var count = 0
    while Platform.monotonicMilliseconds < end {
      count += try Self.cases(200, seed: seed)
      seed += 1
    }
    print("\(count) queries, the last of seed \(seed - 1)")
  }

  /// The duration of `make fuzz-queries`.
  private static let seconds = getenv("CKDB_FUZZ_SECONDS").flatMap { Int64(String(cString: $0)) }

  @Test("the test itself works: a difference is found and reduced")
  func sabotage() throws {
    let fixture = try StoreFixture.withThings(24, seed: 1)
    let records = try fixture.read { _ in try fixture.allThings() }
    let predicate = try PredicateParser.parse("i != 5 AND (s BEGINSWITH 'a' OR d != 1)")
    var query = QueryCase(fields: RandomRecords.fields, records: records, predicate: predicate)
    #expect(try query.difference() == nil)
    // An evaluator for which nil is unequal to nothing.
    query.sabotage = { record, isMatch in
      isMatch && record.fields[FieldName(stored: "i")] != nil
    }
    #expect(try query.difference()?.hasPrefix("SQL gives") == true)
    let smallest = try query.shrunk()
    #expect(smallest.predicate.text == "i != 5")
    #expect(smallest.records.count == 1)
    #expect(smallest.records.first?.fields.entries.isEmpty == true)
  }

  @Test(
    "C150: SQL and the evaluator find the same members of LIST<BYTES>")
  func bytesMembers() throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type("T", [("f", FieldType(.bytes, isList: true))])
      _ = try store.insert(record("r", "T", [("f", .list([.bytes([0, 1])]))]), table)
    }
    #expect(try fixture.names("T", "f CONTAINS bytes('AAE=')") == ["r"])
  }

  @Test(
    "P1.5.5: members of LIST<DOUBLE> compare as numbers, in any spelling")
  func doubleMembers() throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type("T", [("f", FieldType(.double, isList: true))])
      _ = try store.insert(record("r", "T", [("f", .list([.double(1e16)]))]), table)
    }
    #expect(try fixture.names("T", "f CONTAINS 10000000000000000") == ["r"])
  }

  @Test("P1.5.17: a type error occurs on every path, also if a later condition excludes the record")
  func typeErrors() throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type("T", [("r", FieldType(.reference)), ("n", FieldType(.int64))])
      let itself = FieldValue.reference(Reference(RecordName(stored: "x")))
      _ = try store.insert(record("x", "T", [("r", itself), ("n", .int64(1))]), table)
    }
    try fixture.read { _ in
      for text in ["r.n < 'z'", "r.n < 'z' AND n == 77", "n == 1 AND r.n < 'z'"] {
        let selection = try fixture.selection("T", text)
        #expect(throws: PredicateError.self, "\(text)") { try fixture.records(selection) }
        #expect(throws: PredicateError.self, "\(text)") { try fixture.store.count(selection) }
      }
      let selection = try fixture.selection("T", "n == 77 AND r.n < 'z'")
      #expect(try fixture.records(selection).isEmpty)
    }
  }

  @Test(
    "P1.5: a literal word may be on the left",
    arguments: ["nil != f", "TRUE == f", "YES == f"])
  func literalsOnTheLeft(_ text: String) throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type("T", [("f", FieldType(.int64))])
      _ = try store.insert(record("r", "T", [("f", .int64(1))]), table)
    }
    #expect(try fixture.names("T", text) == ["r"])
  }

  @Test("C077: the fields to be read do not change the result of a query")
  func keys() throws {
    let fixture = try StoreFixture.withThings(60, seed: 20)
    var predicates = RandomPredicates(seed: 2000)
    for _ in 0..<80 {
      let predicate = predicates.next()
      try fixture.read { _ in
        var selection = try fixture.selection("Thing", predicate)
        let whole = try fixture.records(selection)
        selection.keys = [FieldName(stored: "s"), FieldName(stored: "nothing")]
        let part = try fixture.records(selection)
        #expect(part.map(\.name) == whole.map(\.name), "\(predicate.text)")
      }
    }
  }

  @Test("P1.5.1: for each record either a predicate or its NOT holds, never both")
  func noThirdValue() throws {
    let fixture = try StoreFixture.withThings(60, seed: 30)
    var predicates = RandomPredicates(seed: 3000)
    for _ in 0..<150 {
      let predicate = predicates.next()
      try fixture.read { (store) throws in
        let yes = try store.count(fixture.selection("Thing", predicate))
        let no = try store.count(fixture.selection("Thing", .not(predicate, 0..<0)))
        #expect(yes + no == 60, "\(predicate.text)")
      }
    }
  }

  @Test("many tests of a field in an OR become one with IN: SQLite compares all constants")
  func merging() throws {
    let fixture = try StoreFixture.withThings(1, seed: 1)
    func predicate(_ field: String, _ count: Int) throws -> Predicate {
      let tests = (0..<count).map { "\(field) == \($0)" } + ["s == 'x'"]
      return try fixture.read { _ in
        try fixture.selection("Thing", tests.joined(separator: " OR ")).predicate
      }
    }
    guard case .or(let parts, _) = try predicate("i", 100) else {
      Issue.record("not an OR")
      return
    }
    #expect(parts.count == 2)
    guard case .or(let few, _) = try predicate("i", 99) else {
      Issue.record("not an OR")
      return
    }
    #expect(few.count == 100)
  }
}
