/// How a store answers a query.
public struct QueryPlan: Sendable {
  /// The SQL.
  public let sql: String
  /// The values of its question marks, as SQL literals.
  public let bindings: [String]
  /// What SQLite does, step by step.
  public let steps: [String]
  /// What the records are found by.
  public let driver: Driver
  /// The indexes that are used.
  public let indexes: [String]
  /// The indexes that were made for this query.
  public var built: [String] = []
  /// Whether the SQL gives exactly the records that match; otherwise the evaluator looks at each.
  public let isExact: Bool
  /// How many rows the first page took a look at.
  public let examined: Int
  /// How many records it has.
  public let given: Int

  /// What finds records.
  public enum Driver: Sendable, Equatable {
    /// Indexes, several where each finds a part.
    case indexes([String])
    /// The table of all names.
    case names
    /// Nothing: all records of the type are read.
    case scan
  }

  /// Puts a plan together.
  public init(
    sql: String, bindings: [String], steps: [String], driver: Driver, indexes: [String],
    isExact: Bool, examined: Int, given: Int
  ) {
    self.sql = sql
    self.bindings = bindings
    self.steps = steps
    self.driver = driver
    self.indexes = indexes
    self.isExact = isExact
    self.examined = examined
    self.given = given
  }
}
