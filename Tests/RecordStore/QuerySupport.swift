internal import CloudModel
internal import PredicateLanguage
internal import Testing

@testable internal import RecordStore

extension StoreFixture {
  /// A selection over all zones of `me`, from a predicate's text.
  func selection(_ type: String, _ text: String) throws -> RecordSelection {
    try selection(type, PredicateParser.parse(text))
  }

  /// A selection over all zones of `me`.
  func selection(_ type: String, _ predicate: Predicate) throws -> RecordSelection {
    let table = try #require(try store.table(RecordType(stored: type)))
    return RecordSelection(
      table: table, zones: try store.zones(.private, of: store.user(Account("me"), on: .cli)),
      predicate: try PredicateBinder.bind(predicate, to: table.schema))
  }

  /// The records that SQL gives for a selection.
  func records(_ selection: RecordSelection) throws -> [Record] {
    var records: [Record] = []
    try store.select(selection) { record, _ in
      records.append(record)
      return true
    }
    return records
  }

  /// The names of the records of a type that meet a predicate, sorted.
  func names(_ type: String, _ text: String) throws -> [String] {
    try read { _ in
      try records(selection(type, text)).map(\.name.text).sorted {
        $0.utf8.lexicographicallyPrecedes($1.utf8)
      }
    }
  }
}

extension EnvironmentStore {
  /// Answers a selection as the store would now.
  func select(
    _ selection: RecordSelection, _ body: (Record, QueryPlace) throws -> Bool
  ) throws {
    try select(selection, approach(to: selection), body)
  }

  func count(_ selection: RecordSelection) throws -> Int {
    try count(selection, approach(to: selection))
  }
}
