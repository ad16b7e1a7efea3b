/// How a store answers a query.
public struct QueryPlan: Sendable {
  /// The SQL.
  public let sql: String
  /// The values of its question marks, as SQL literals.
  public let bindings: [String]
  /// What SQLite does, step by step.
  public let steps: [String]
  /// The indexes that it uses to find the records.
  public var indexes: [String] {
    steps.compactMap { step in
      let words = step.split(separator: " ")
      guard let place = words.firstIndex(of: "INDEX"), place + 1 < words.count,
        words[..<place].contains("t")
      else { return nil }
      return String(words[place + 1])
    }
  }
  /// Whether the SQL gives exactly the records that match; otherwise the evaluator looks at each.
  public let isExact: Bool

  /// Puts a plan together.
  public init(sql: String, bindings: [String], steps: [String], isExact: Bool) {
    self.sql = sql
    self.bindings = bindings
    self.steps = steps
    self.isExact = isExact
  }
}
