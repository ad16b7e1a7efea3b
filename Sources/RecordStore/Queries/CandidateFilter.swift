internal import CloudModel
internal import PredicateLanguage
internal import SQLite

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
        keys.append(FieldName(key: key))
      case .path, .record: isPlain = false
      default: break
      }
    }
    return isPlain ? keys : nil
  }
}
