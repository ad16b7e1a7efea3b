internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

@testable internal import RecordStore

/// Paging is by key (DS5): the pages together are the whole query.
@Suite struct PagingTests {
  static let sortable = [
    "s", "t", "i", "j", "d", "n", "w", "r", "recordName", "creationDate", "modificationDate",
    "creatorUserRecordID", "parent", "changeTag",
  ]

  /// One to three keys, with missing values, ties and distances.
  private func sort(_ source: inout RandomRecords) -> [SortKey] {
    (0..<source.pick([1, 2, 3])).map { _ in
      source.chance(20)
        ? SortKey("p", isAscending: source.chance(70), origin: source.place())
        : SortKey(source.pick(Self.sortable), isAscending: source.chance(50))
    }
  }

  /// All pages of a selection, each of a random length, joined.
  private func pages(
    _ selection: RecordSelection, _ fixture: StoreFixture, _ source: inout RandomRecords
  ) throws -> [Record] {
    var selection = selection
    var records: [Record] = []
    while true {
      let length = source.pick([1, 2, 3, 5, 8])
      var given = 0
      try fixture.store.select(selection) { record, place in
        records.append(record)
        selection.after = place
        given += 1
        return given < length
      }
      if given < length { return records }
    }
  }

  @Test("C165: pages of any size give each record once, in the query's order", arguments: 1...4)
  func randomPages(seed: Int) throws {
    let fixture = try StoreFixture.withThings(50, seed: 100 + UInt64(seed))
    var source = RandomRecords(random: SplitMix64(state: 7000 + UInt64(seed)))
    var predicates = RandomPredicates(seed: 8000 + UInt64(seed))
    for round in 0..<40 {
      let sort = sort(&source)
      try fixture.read { _ in
        var selection = try fixture.selection(
          "Thing", round % 2 == 0 ? .constant(true, 0..<0) : predicates.next(depth: 1))
        selection.sort = sort
        let whole = try fixture.records(selection)
        let paged = try pages(selection, fixture, &source)
        let words = sort.map { ($0.isAscending ? "" : "-") + $0.key }
        #expect(paged.map(\.name.text) == whole.map(\.name.text), "\(words)")
        let isSorted = isSorted(whole, sort)
        #expect(isSorted, "\(words)")
      }
    }
  }

  @Test("R7.4.3: a query gives the same records as views, in the same order", arguments: 1...3)
  func views(seed: Int) throws {
    let fixture = try StoreFixture.withThings(50, seed: 300 + UInt64(seed))
    var source = RandomRecords(random: SplitMix64(state: 9000 + UInt64(seed)))
    var predicates = RandomPredicates(seed: 9500 + UInt64(seed))
    var views = 0
    for _ in 0..<60 {
      let sort = sort(&source)
      try fixture.read { _ in
        var selection = try fixture.selection("Thing", predicates.next(depth: 1))
        selection.sort = sort
        if source.chance(30) { selection.keys = [FieldName(stored: "s"), FieldName(stored: "ls")] }
        let viewed = try fixture.store.viewed(selection)
        var expected = try fixture.records(selection)
        for index in expected.indices {
          // A view has users, but not their devices.
          expected[index].created?.device = .cli
          expected[index].modified?.device = .cli
        }
        #expect(viewed.records == expected)
        views += viewed.views
      }
    }
    #expect(views > 0)
  }

  /// R7.4.3: by the first key, ties by the next; nil comes first when ascending.
  private func isSorted(_ records: [Record], _ sort: [SortKey]) -> Bool {
    zip(records, records.dropFirst()).allSatisfy { first, second in
      for key in sort {
        let order = order(first, second, key)
        if order != 0 { return order < 0 }
      }
      return true
    }
  }

  private func order(_ first: Record, _ second: Record, _ key: SortKey) -> Int {
    let sign = key.isAscending ? 1 : -1
    if let origin = key.origin {
      let (a, b) = (distance(first, origin), distance(second, origin))
      return a < b ? -sign : a == b ? 0 : sign
    }
    if key.key == "changeTag" {
      // A tag is its sequence number in base 36, and sorts by that number.
      let (a, b) = (sequence(first), sequence(second))
      return a < b ? -sign : a == b ? 0 : sign
    }
    switch (value(first, key.key), value(second, key.key)) {
    case (nil, nil): return 0
    case (nil, _?): return -sign
    case (_?, nil): return sign
    case (let a?, let b?): return (a.order(to: b) ?? 0) * sign
    }
  }

  private func sequence(_ record: Record) -> Int64 {
    (record.changeTag?.text).flatMap { Int64($0, radix: 36) } ?? 0
  }

  private func value(_ record: Record, _ key: String) -> FieldValue? {
    SystemKey(key).map { $0.value(in: record) } ?? record.fields[FieldName(stored: key)]
  }

  private func distance(_ record: Record, _ origin: Location) -> Double {
    guard case .location(let place)? = record.fields[FieldName(stored: "p")] else {
      return .infinity
    }
    return place.distance(to: origin)
  }

  @Test("R7.4.4: without a sort, pages are the whole query too")
  func unsorted() throws {
    let fixture = try StoreFixture.withThings(50, seed: 200)
    var source = RandomRecords(random: SplitMix64(state: 1))
    try fixture.read { _ in
      let selection = try fixture.selection("Thing", "s != 'a'")
      let whole = try fixture.records(selection).map(\.name)
      #expect(try pages(selection, fixture, &source).map(\.name) == whole)
    }
  }
}
