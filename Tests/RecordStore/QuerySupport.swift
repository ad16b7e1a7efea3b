internal import CloudModel
internal import FieldCodecs
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

  /// The sorted names of a type's records that match a predicate.
  func names(_ type: String, _ text: String) throws -> [String] {
    try read { _ in
      try records(selection(type, text)).map(\.name.text).sorted {
        $0.utf8.lexicographicallyPrecedes($1.utf8)
      }
    }
  }
}

extension EnvironmentStore {
  /// Answers a selection as the store does now.
  func select(
    _ selection: RecordSelection, _ body: (Record, QueryPlace) throws -> Bool
  ) throws {
    try select(selection, approach(to: selection)) { found, place in
      guard case .record(let record) = found else { return true }
      return try body(record, place())
    }
  }

  /// The records of a selection, made from the store's views where it gives them.
  func viewed(_ selection: RecordSelection) throws -> (records: [Record], views: Int) {
    var (records, views): ([Record], Int) = ([], 0)
    try select(selection, approach(to: selection), asViews: true) { found, _ in
      switch found {
      case .record(let record): records.append(record)
      case .view(let view):
        views += 1
        records.append(Record(view))
      }
      return true
    }
    return (records, views)
  }

  func count(_ selection: RecordSelection) throws -> Int {
    try count(selection, approach(to: selection))
  }
}

extension Record {
  /// Copies the contents of a view.
  fileprivate init(_ view: RecordView) {
    self.init(
      name: RecordName(stored: String(decoding: view.name, as: UTF8.self)),
      type: view.shape.schema.name, zone: view.shape.zone, parent: view.parent)
    if let system = view.system {
      changeTag = ChangeTag(sequence: system.sequence)
      created = Stamp(at: Timestamp(milliseconds: system.created.at), by: system.created.by)
      modified = Stamp(at: Timestamp(milliseconds: system.modified.at), by: system.modified.by)
      share = system.share
    }
    for (field, value) in zip(view.shape.schema.fields, view.values) {
      switch value {
      case .none: continue
      case .value(let value): fields[field.name] = value
      case .text(let text): fields[field.name] = .string(String(decoding: text, as: UTF8.self))
      case .plainList(let text), .references(let text):
        fields[field.name] = .list(ListCodec.decode(text, base: field.type.base))
      }
    }
  }
}
