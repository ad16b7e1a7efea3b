internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

@testable internal import RecordStore

/// `PredicateEvaluator` is the truth, and the compiled SQL must agree with it (design.md §5,
/// predicates.md §1.5 and §4.2): random predicates over random records, always the same ones.
@Suite struct DifferentialTests {
  @Test("design.md §5: SQL selects exactly the records that the evaluator does", arguments: 1...8)
  func selections(seed: Int) throws {
    let fixture = try StoreFixture.withThings(60, seed: UInt64(seed))
    var predicates = RandomPredicates(seed: 1000 + UInt64(seed))
    let all = try fixture.read { _ in
      try fixture.records(fixture.selection("Thing", "TRUEPREDICATE"))
    }
    #expect(all.count == 60)
    for _ in 0..<120 {
      let predicate = predicates.next()
      let text = predicate.text
      guard (try? PredicateParser.parse(text)) != nil else {
        Issue.record("does not parse: \(text)")
        continue
      }
      try fixture.read { (store) throws in
        let selection = try fixture.selection("Thing", text)
        let direct = try fixture.selection("Thing", predicate)
        let found = sorted(try fixture.records(selection))
        let expected = try sorted(
          all.filter { try PredicateEvaluator(direct.predicate).matches($0) })
        #expect(found == expected, "\(text)")
        let count = try store.count(selection)
        #expect(count == expected.count, "count: \(text)")
      }
    }
  }

  private func sorted(_ records: [Record]) -> [String] { records.map(\.name.text).sorted() }

  @Test(
    "C150: a member of LIST<BYTES> is found as the evaluator finds it")
  func bytesMembers() throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type("T", [("f", FieldType(.bytes, isList: true))])
      _ = try store.insert(record("r", "T", [("f", .list([.bytes([0, 1])]))]), table)
    }
    #expect(try fixture.names("T", "f CONTAINS bytes('AAE=')") == ["r"])
  }

  @Test(
    "predicates.md §1.5: members of LIST<DOUBLE> are numbers, however they are written")
  func doubleMembers() throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type("T", [("f", FieldType(.double, isList: true))])
      _ = try store.insert(record("r", "T", [("f", .list([.double(1e16)]))]), table)
    }
    #expect(try fixture.names("T", "f CONTAINS 10000000000000000") == ["r"])
  }

  @Test(
    "predicates.md §1.5: a literal word may stand on the left",
    arguments: ["nil != f", "TRUE == f", "YES == f"])
  func literalsOnTheLeft(_ text: String) throws {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type("T", [("f", FieldType(.int64))])
      _ = try store.insert(record("r", "T", [("f", .int64(1))]), table)
    }
    #expect(try fixture.names("T", text) == ["r"])
  }

  @Test("C077: the fields that are read change nothing in what is found")
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

  @Test("predicates.md §1.5: a predicate or its NOT holds for each record, never both")
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
}
