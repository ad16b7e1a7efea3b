/// How a store answers a query.
public struct QueryPlan: Sendable {
  /// The SQL.
  public let sql: String
  /// The values of its question marks, as SQL literals.
  public let bindings: [String]
  /// What SQLite does, step by step.
  public let steps: [String]
  /// The indexes that it finds the records by.
  public let indexes: [String]
  /// Whether the SQL gives exactly the records that match; otherwise the evaluator looks at each.
  public let isExact: Bool

  /// Puts a plan together.
  public init(
    sql: String, bindings: [String], steps: [String], indexes: [String], isExact: Bool
  ) {
    self.sql = sql
    self.bindings = bindings
    self.steps = steps
    self.indexes = indexes
    self.isExact = isExact
  }
}
