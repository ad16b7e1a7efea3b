internal import CloudModel
internal import PredicateLanguage
internal import SQLite
internal import StoreFiles

/// Asks the evaluator which of the records that SQL returns match. If the predicate needs only
/// fields, a record is read as a whole only when it matches.
final class CandidateFilter {
  /// The fields that the predicate needs, if it needs nothing else.
  let keys: [FieldName]?
  private let store: EnvironmentStore
  private let evaluator: PredicateEvaluator
  private let whole: QueryRows
  private let statement: Statement?
  private var candidate: Record

  init(_ selection: RecordSelection, _ store: EnvironmentStore) throws(StoreError) {
    self.store = store
    evaluator = PredicateEvaluator(
      selection.predicate, searched: selection.searched,
      following: RecordFollower(store, selection).record,
      checkInterrupt: { try store.checkInterrupt() })
    keys = selection.predicate.plainKeys
    candidate = Record(
      name: RecordName(stored: ""), type: selection.table.schema.name, zone: .defaultZone)
    whole = QueryRows(selection, QueryOrder([], selection.table), keys: nil)
    guard keys != nil else {
      statement = nil
      return
    }
    let sql = "SELECT \(whole.list.sql) FROM \(selection.table.table) t WHERE t._id = ?"
    statement = try store.connection.query(sql)
  }

  /// Whether the record of a row matches.
  func matches(_ rows: QueryRows, _ row: Statement) throws -> Bool {
    if statement == nil { return try evaluator.matches(rows.whole(in: row, store)) }
    candidate.fields = rows.fields(in: row)
    return try evaluator.matches(candidate)
  }

  /// The record of a row, with all fields, if it matches.
  func record(_ rows: QueryRows, _ row: Statement) throws -> Record? {
    guard let statement else {
      let record = try rows.whole(in: row, store)
      return try evaluator.matches(record) ? record : nil
    }
    guard try matches(rows, row) else { return nil }
    statement.bind(row.int64(0), 1)
    defer { statement.reset() }
    guard try statement.next() else { return nil }
    return try whole.whole(in: statement, store)
  }
}

extension Predicate {
  /// The fields that a predicate needs; nil if it needs other parts of a record, or other records.
  fileprivate var plainKeys: [FieldName]? {
    var keys: [FieldName] = []
    var isPlain = true
    visit { expression in
      switch expression {
      case .key(let key, _):
        if SystemKey(key) != nil || key == allTokens { isPlain = false }
        keys.append(FieldName(key: key))
      case .path, .record: isPlain = false
      case .value, .null, .untyped, .variable, .assignment, .aggregate, .distance, .function,
        .subquery, .conditional:
        break
      }
    }
    return isPlain ? keys : nil
  }
}
