internal import CloudModel
internal import PredicateLanguage
internal import SQLite

/// What the rows of a query hold: the record's number, the values of the order, and the record
/// with some of its fields; or of these only what a filter looks at.
struct QueryRows {
  let order: QueryOrder
  /// Whether all but the fields of the record is there, too.
  let hasSystem: Bool
  private let reader: FieldReader
  private let table: TypeTable
  private let zones: [Int64: ZoneName]

  /// Rows of whole records, or of some fields alone where `keys` says so. A filter that looks at
  /// whole records has to have all their fields.
  init(
    _ selection: RecordSelection, _ order: QueryOrder, keys: [FieldName]?, isFiltered: Bool
  ) {
    self.order = order
    table = selection.table
    zones = Dictionary(uniqueKeysWithValues: selection.zones.map { ($0.number, $0.zone.name) })
    hasSystem = keys == nil
    reader = FieldReader(table, keys: keys ?? (isFiltered ? nil : selection.keys))
  }

  var firstKey: Int { hasSystem ? SystemColumns.count : 1 }
  private var firstField: Int { firstKey + order.terms.count }

  /// The columns, from `_id` on.
  var list: SQLFragment {
    var list = SQLFragment(hasSystem ? SystemColumns.list : "t._id")
    for term in order.terms { list += SQLFragment(", ") + term.sql }
    list += reader.list
    return list
  }

  func fields(in row: Statement) -> RecordFields { reader.fields(in: row, from: firstField) }

  /// The record of a row that has all of it.
  func record(in row: Statement, _ store: EnvironmentStore) throws(SQLiteError) -> Record {
    var stored = try store.stored(
      in: row, table, zones[row.int64(1)] ?? .defaultZone)
    stored.record.fields = fields(in: row)
    return stored.record
  }

  /// Where the next page begins behind a row.
  func place(in row: Statement) -> QueryPlace {
    QueryPlace(
      values: order.terms.enumerated().map { $1.value(in: row, at: firstKey + $0) },
      number: row.int64(0))
  }
}

/// Asks the evaluator which of the records that SQL gives match. Where fields are all that it
/// looks at, a record is read as a whole only when it does.
final class CandidateFilter {
  /// The fields that are looked at, where they are all.
  let keys: [FieldName]?
  /// The fields that are asked for; nil for all.
  private let given: Set<FieldName>?
  private let store: EnvironmentStore
  private let evaluator: PredicateEvaluator
  private let whole: QueryRows
  private let statement: Statement?
  private var candidate: Record

  init(_ selection: RecordSelection, _ store: EnvironmentStore) throws(StoreError) {
    self.store = store
    evaluator = PredicateEvaluator(
      selection.predicate, searched: selection.searched,
      following: RecordFollower(store, selection.zones).record)
    keys = selection.predicate.plainKeys
    given = selection.keys.map { Set($0) }
    candidate = Record(
      name: RecordName(stored: ""), type: selection.table.schema.name, zone: .defaultZone)
    whole = QueryRows(
      selection, QueryOrder([], selection.table), keys: nil, isFiltered: false)
    guard keys != nil else {
      statement = nil
      return
    }
    let sql = "SELECT \(whole.list.sql) FROM \(selection.table.table) t WHERE t._id = ?"
    statement = try store.sql { () throws(SQLiteError) in
      try store.connection.transientStatement(sql)
    }
  }

  /// The record of a row, if it matches.
  func record(_ number: Int64, _ rows: QueryRows, _ row: Statement) throws -> Record? {
    guard let statement else {
      var record = try store.sql { () throws(SQLiteError) in try rows.record(in: row, store) }
      guard try evaluator.matches(record) else { return nil }
      if let given {
        record.fields = RecordFields(
          sorted: record.fields.entries.filter { given.contains($0.name) })
      }
      return record
    }
    candidate.fields = rows.fields(in: row)
    guard try evaluator.matches(candidate) else { return nil }
    return try store.sql { () throws(SQLiteError) in
      statement.bind(number, 1)
      defer { statement.reset() }
      guard try statement.step() else { return nil }
      return try whole.record(in: statement, store)
    }
  }
}

extension Predicate {
  /// The fields that are all that it looks at; nil where it looks at more of a record, or at
  /// other records.
  fileprivate var plainKeys: [FieldName]? {
    var keys: [FieldName] = []
    var isPlain = true
    visit { expression in
      switch expression {
      case .key(let key, _):
        if SystemKey(key) != nil || key == allTokens { isPlain = false }
        keys.append(FieldName(stored: key))
      case .path, .record: isPlain = false
      default: break
      }
    }
    return isPlain ? keys : nil
  }
}
