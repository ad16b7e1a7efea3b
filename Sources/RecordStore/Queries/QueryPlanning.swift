public import CloudModel
internal import SQLite
internal import StoreFiles

extension EnvironmentStore {
  /// How a selection is answered, and what its first page costs. Throws `StoreError`,
  /// `PredicateError` for values that do not fit.
  public func plan(_ selection: RecordSelection, _ approach: QueryApproach) throws -> QueryPlan {
    var query = try QueryStatement(selection, approach, self)
    let fragment = query.sql(query.order.stretches(after: nil).first ?? nil)
    let steps = try steps(of: fragment, query)
    let indexes = Self.indexes(in: steps, approach)
    query.witness = "ckdb_examined(t._id)"
    var examined = 0
    try connection.addWitness("ckdb_examined") { examined += 1 }
    var given = 0
    try select(query) { row in
      if let filter = query.filter, try !filter.matches(query.rows, row) { return true }
      given += 1
      return given != selection.limit
    }
    return QueryPlan(
      sql: fragment.sql, bindings: fragment.bindings.map(\.text), steps: steps,
      driver: Self.driver(steps, indexes), indexes: indexes,
      isExact: query.compiled.isExact, examined: examined, given: given)
  }

  private func steps(
    of fragment: SQLFragment, _ query: QueryStatement
  ) throws(StoreError) -> [String] {
    try prepareDistance(query.selection)
    let row = try statement(SQLFragment("EXPLAIN QUERY PLAN ") + fragment)
    var steps: [String] = []
    while try row.next() { steps.append(row.text(3)) }
    return steps
  }

  /// The physical indexes that SQLite's steps name, the one that leads to the records first.
  private static func indexes(in steps: [String], _ approach: QueryApproach) -> [String] {
    var indexes = approach.lead.map { [$0.index.title] } ?? []
    for word in steps.flatMap({ $0.split(separator: " ") })
    where word.hasPrefix(PhysicalIndex.prefix) {
      let index = String(word.dropFirst(PhysicalIndex.prefix.count))
      if !indexes.contains(index) { indexes.append(index) }
    }
    return indexes
  }

  private static func driver(_ steps: [String], _ indexes: [String]) -> QueryPlan.Driver {
    if steps.contains("MULTI-INDEX OR") { return .indexes(indexes) }
    if let first = indexes.first { return .indexes([first]) }
    let isByNumber = steps.contains { $0.hasPrefix("SEARCH t USING INTEGER PRIMARY KEY") }
    return isByNumber ? .names : .scan
  }
}

extension PhysicalIndex {
  /// The table and the column, as they are shown to users.
  public var title: String { String(name.dropFirst(Self.prefix.count)) }
}
