internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

@testable internal import CloudServices
@testable internal import RecordStore

/// Physical indexes change no result (DS4), whatever changes the records go through.
@Suite struct IndexedChangesTests {
  /// The same container with no physical indexes, some, or all possible ones.
  private struct Side {
    let fixture: CloudFixture
    let share: Int

    init(share: Int) throws {
      self.share = share
      fixture = try CloudFixture()
      // Queries make no indexes by themselves.
      try fixture.environment().store.fewRecords = .max
    }

    /// Makes as many indexes as the side has, and drops some.
    func arrange(_ random: inout Draw) throws {
      let environment = try fixture.environment()
      for schema in try environment.appSchema() {
        for key in ["n", "s", "p", "tags", "refs", "w", "allTokens", "recordName", "changeTag"] {
          let isWanted = random.chance(share)
          let isThere = try environment.read {
            try environment.store.table(schema.name)?.index(of: key) != nil
          }
          guard isThere else { continue }
          if isWanted {
            try environment.buildIndexes(of: schema.name, by: [key])
          } else {
            _ = try environment.dropIndexes(of: schema.name, by: [key])
          }
        }
      }
    }
  }

  /// Draws from small sets, so that values coincide.
  private struct Draw {
    var source: SplitMix64

    mutating func below(_ limit: Int) -> Int { Int(source.next() % UInt64(limit)) }
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }

    mutating func name() -> String { "r\(below(14))" }
    mutating func zone() -> String { pick(["_defaultZone", "A", "B"]) }
    mutating func word() -> String { pick(["red", "Réd", "blue sea", "the", "a\u{0}b", "a"]) }

    mutating func fields() -> [(String, FieldValue?)] {
      let place = Location(
        latitude: Double(below(3) * 89) - 89, longitude: Double(below(5) * 90) - 180)
      let reference = Reference(
        RecordName(stored: name()), action: pick([.none, .deleteSelf, .deleteSelf]))
      let all: [(String, FieldValue?)] = [
        ("n", .int64(Int64(below(4)))), ("s", .string(word())), ("p", place.map { .location($0) }),
        ("tags", .list((0..<below(3)).map { _ in .string(word()) })),
        ("refs", .list([.reference(Reference(RecordName(stored: name())))])),
        ("w", .string(word())), ("owner", .reference(reference)),
      ]
      return all.filter { _ in chance(70) }.map { ($0.0, chance(90) ? $0.1 : nil) }
    }
  }

  /// One change, the same on each side for the same draws.
  private func change(_ side: Side, _ random: inout Draw, _ step: Int) throws {
    let database = try side.fixture.mine
    let environment = try side.fixture.environment()
    let (zone, name) = (random.zone(), random.name())
    switch random.below(14) {
    case 0...5:
      _ = try? database.save(
        name, "T", random.fields(), zone: zone, .all, replacing: random.chance(50))
    case 6:
      _ = try? database.save(name, "U", [("n", .int64(1)), ("s", .string("red"))], zone: zone)
    case 7, 8: _ = try? database.delete(RecordName(name), in: ZoneID(zone))
    case 9 where zone != "_defaultZone" && random.chance(50):
      _ = try? database.deleteZone(ZoneID(zone))
    case 9, 10:
      var options = ImportOptions()
      options.zone = try ZoneID(zone)
      options.isAtomic = random.chance(50)
      let drafts = (0..<6).map { line in
        ImportTests.draft(random.name(), random.fields(), line: line + 1, type: "T")
      }
      _ = try? database.importing(options) { importer in
        importer.nextLook = 2
        for draft in drafts { try importer.add(draft) }
      }
    case 11:
      let field = random.pick(["s", "tags", "n"])
      try? environment.drop(
        RecordType("T"), FieldName(field), unlessIn: side.fixture.environment(.production))
    case 12 where random.chance(30):
      try? environment.drop(
        RecordType("T"), nil, unlessIn: side.fixture.environment(.production))
    case 13 where random.chance(15):
      try? environment.reset(to: side.fixture.environment(.production))
    default: break
    }
    for zone in ["A", "B"] { _ = try? database.createZone(ZoneID(zone)) }
  }

  private static let questions = [
    "n == 1", "n IN {0, 2} AND s == 'red'", "n > 0 AND n < 3", "s BEGINSWITH 'r'", "s == nil",
    "tags CONTAINS 'a'", "tags CONTAINS 'red' AND n == 1", "ANY tags IN {'the', 'blue sea'}",
    "tags CONTAINS 'a' OR n == 2", "refs CONTAINS ref('r3')", "NOT tags CONTAINS 'red'",
    "SELF CONTAINS 'red'", "SELF CONTAINS 'sea the'", "allTokens TOKENMATCHES[cdl] 'blue red'",
    "SELF CONTAINS 'red' AND n == 1", "NOT SELF CONTAINS 'blue'", "recordName == 'r3'",
    "recordName > 'r3'", "distanceToLocation:fromLocation:(p, location(0, 180)) < 10000000",
    "w == 'red' OR SELF CONTAINS 'sea'", "owner == ref('r1')", "TRUEPREDICATE",
  ]

  /// The names of the records that a query finds on a side, in pages; nil if it is refused.
  private func answer(
    _ side: Side, _ text: String, _ sort: [SortKey], _ zone: ZoneID?
  ) throws -> [String]? {
    var request = QueryRequest(
      type: try RecordType("T"), predicate: try PredicateParser.parse(text))
    request.sort = sort
    request.zone = zone
    request.limit = 4
    var names: [String] = []
    repeat {
      let cursor: QueryCursor?
      do {
        cursor = try side.fixture.mine.query(request) { record in
          names.append("\(record.zone.text)/\(record.name.text)")
          return true
        }
      } catch {
        return nil
      }
      request.after = cursor
      if let cursor { request.sort = cursor.sort }
    } while request.after != nil
    return names
  }

  @Test(
    "DS4: none, some or all indexes give the same records after every kind of change",
    arguments: 1...6)
  func changes(seed: Int) throws {
    let sides = try [0, 50, 100].map { try Side(share: $0) }
    var random = Draw(source: SplitMix64(state: UInt64(seed)))
    var answers = 0
    for step in 0..<60 {
      for side in sides {
        var same = random
        try change(side, &same, step)
        var arrangement = Draw(source: SplitMix64(state: UInt64(seed * 1000 + step)))
        try side.arrange(&arrangement)
        try side.fixture.environment().store.pageRecords = arrangement.pick([0, 1, 200])
      }
      _ = random.below(1 << 30)
      for _ in 0..<4 {
        let text = random.pick(Self.questions)
        let sort: [SortKey] = random.pick([
          [], [SortKey("n")], [SortKey("s", isAscending: false)], [SortKey("w"), SortKey("n")],
          [SortKey("p", origin: Location(latitude: 80, longitude: 170))],
        ])
        let zone = try random.chance(30) ? ZoneID(random.zone()) : nil
        let found = try sides.map { try answer($0, text, sort, zone) }
        answers += found[0]?.isEmpty == false ? 1 : 0
        #expect(found[1]?.sorted() == found[0]?.sorted(), "some: step \(step), \(text)")
        #expect(found[2]?.sorted() == found[0]?.sorted(), "all: step \(step), \(text)")
        if !sort.isEmpty {
          #expect(found[1] == found[0] && found[2] == found[0], "order: step \(step), \(text)")
        }
      }
    }
    #expect(answers > 40, "most questions have an answer")
  }
}
