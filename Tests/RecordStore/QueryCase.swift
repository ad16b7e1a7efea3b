internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

@testable internal import RecordStore

/// Records and a query of them: the store must give the records that `PredicateEvaluator` matches,
/// both at once and page by page.
struct QueryCase {
  var fields: [(String, FieldType)]
  var records: [Record]
  var predicate: Predicate
  var sort: [SortKey] = []
  var pageLength = 5
  /// Changes the evaluator's answer, to show that a wrong one would be found.
  var sabotage: (Record, Bool) -> Bool = { $1 }

  /// The difference between the two answers; nil for none.
  func difference() throws -> String? {
    let fixture = try StoreFixture()
    try fixture.write { (store) throws in
      let table = try store.type("Thing", fields)
      for record in records { _ = try store.insert(record, table) }
    }
    return try fixture.read { _ in try difference(in: fixture, holding: fixture.allThings()) }
  }

  /// The same, in a store that already has the records.
  func difference(
    in fixture: StoreFixture, holding records: [Record]
  ) throws -> String? {
    let text = predicate.text
    let read = try PredicateParser.parse(text)
    if read.text != text { return "printed again as \(read.text)" }
    var selection = try fixture.selection("Thing", read)
    let table = selection.table
    let evaluator = PredicateEvaluator(try fixture.selection("Thing", predicate).predicate) {
      (reference, source) in
      let target = records.first { $0.name == reference.name && $0.zone == source.zone }
      return target.map { ($0, table.schema) }
    }
    let expected = try records.filter { sabotage($0, try evaluator.matches($0)) }
    let names = expected.map(\.name.text).sorted()
    let found = try fixture.records(selection)
    if found.map(\.name.text).sorted() != names {
      let plan = try fixture.store.plan(selection, fixture.store.approach(to: selection))
      let given = found.map(\.name.text).sorted()
      return "SQL gives \(given), the evaluator \(names); by \(plan.sql)"
    }
    let count = try fixture.store.count(selection)
    if count != names.count { return "counted \(count) of \(names.count)" }
    selection.sort = sort
    let whole = try (sort.isEmpty ? found : fixture.records(selection)).map(\.name.text)
    let pages = try fixture.pages(selection, pageLength)
    return whole == pages && whole.sorted() == names ? nil : "pages \(pages) of \(whole)"
  }

  // MARK: Shrinking

  /// The smallest case that it finds that still has a difference.
  func shrunk() throws -> QueryCase {
    var smallest = self
    var goesOn = true
    while goesOn {
      goesOn = false
      for candidate in smallest.simpler where (try? candidate.difference()) ?? nil != nil {
        smallest = candidate
        goesOn = true
        break
      }
    }
    return smallest
  }

  /// The case with a part left out, the larger parts first.
  private var simpler: [QueryCase] {
    var cases = predicate.simpler.map { with(\.predicate, $0) }
    if !sort.isEmpty { cases.append(with(\.sort, [])) }
    let half = records.count / 2
    if half > 1 {
      cases.append(with(\.records, Array(records[..<half])))
      cases.append(with(\.records, Array(records[half...])))
    }
    for index in records.indices {
      var fewer = records
      fewer.remove(at: index)
      cases.append(with(\.records, fewer))
    }
    guard records.count <= 2 else { return cases }
    for index in records.indices {
      for field in records[index].fields.entries {
        var fewer = records
        fewer[index].fields[field.name] = nil
        cases.append(with(\.records, fewer))
      }
    }
    return cases
  }

  private func with<Value>(_ path: WritableKeyPath<QueryCase, Value>, _ value: Value) -> QueryCase {
    var copy = self
    copy[keyPath: path] = value
    return copy
  }

  /// The case as text, for debugging.
  var text: String {
    let lines = records.map { record in
      let fields = record.fields.entries.map { "\($0.name.text): \($0.value)" }
      return "  \(record.name.text) in \(record.zone.text): \(fields.joined(separator: ", "))"
    }
    return "\(predicate.text)\n" + lines.joined(separator: "\n")
  }
}

extension Predicate {
  /// Its parts, and the predicate with one of them left out.
  fileprivate var simpler: [Predicate] {
    switch self {
    case .constant: return []
    case .not(let part, _): return [part] + part.simpler.map { .not($0, 0..<0) }
    case .and(let parts, _): return Self.simpler(parts) { .and($0, 0..<0) }
    case .or(let parts, _): return Self.simpler(parts) { .or($0, 0..<0) }
    case .comparison(var comparison):
      if comparison.options.isEmpty { return [] }
      comparison.options = []
      return [.comparison(comparison)]
    }
  }

  private static func simpler(
    _ parts: [Predicate], _ join: ([Predicate]) -> Predicate
  ) -> [Predicate] {
    var found = parts
    for index in parts.indices {
      var fewer = parts
      fewer.remove(at: index)
      if fewer.count > 1 { found.append(join(fewer)) }
      for part in parts[index].simpler {
        var changed = parts
        changed[index] = part
        found.append(join(changed))
      }
    }
    return found
  }
}

extension StoreFixture {
  /// Makes no physical indexes (0), some (1) or all (2) of the type `Thing`, and sets limits for
  /// which the store chooses among them even for few records.
  func makeIndexes(_ source: inout RandomRecords, _ amount: Int) throws {
    store.fewRecords = 5
    store.pageRecords = source.pick([0, 1, 200])
    store.countedRecords = source.pick([1, 3, 50_000])
    guard amount > 0 else { return }
    try write { store in
      let table = try store.type("Thing")
      let indexes = table.possibleIndexes.filter { _ in amount == 2 || source.chance(40) }
      try store.build(indexes, of: table)
    }
  }

  /// All records of the type `Thing`.
  func allThings() throws -> [Record] { try records(selection("Thing", "TRUEPREDICATE")) }

  /// The names of a selection's records, page by page.
  func pages(_ selection: RecordSelection, _ length: Int) throws -> [String] {
    var selection = selection
    var names: [String] = []
    while true {
      var given = 0
      try store.select(selection) { record, place in
        names.append(record.name.text)
        selection.after = place
        given += 1
        return given < length
      }
      if given < length { return names }
    }
  }
}
