internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import TestSupport
internal import Testing

@testable internal import CloudServices
@testable internal import RecordStore

/// Physical indexes are made by the first query that needs them (design.md §4).
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

  @Test("many that match are walked in the order of the sort, few are sorted")
  func choice() throws {
    let fixture = try filled(20)
    let store = try fixture.environment().store
    store.pageRecords = 1
    #expect(try ask(fixture, "n == 3", sort: [SortKey("s")]) == 3)
    #expect(try keys(fixture) == ["n"])
    #expect(try ask(fixture, "n >= 1", sort: [SortKey("s")]) == 17)
    #expect(try keys(fixture) == ["n", "s"])
  }

  @Test("while somebody writes, a query makes no index and does not wait")
  func busy() throws {
    let fixture = try filled(20)
    let other = try CloudStore(path: fixture.store.path)
      .environment(fixture.container, .development, fixture.conditions)
    try other.store.beginWrite()
    #expect(try ask(fixture, "n == 3") == 3)
    #expect(try keys(fixture) == [])
    other.store.rollback()
    #expect(try ask(fixture, "n == 3") == 3)
    #expect(try keys(fixture) == ["n"])
  }
}
