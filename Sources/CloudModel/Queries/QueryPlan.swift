/// A store's plan for a query.
public struct QueryPlan: Sendable {
  /// The SQL.
  public let sql: String
  /// The values of the SQL parameters, as SQL literals.
  public let bindings: [String]
  /// SQLite's steps.
  public let steps: [String]
  /// How the records are found.
  public let driver: Driver
  /// The indexes used.
  public let indexes: [String]
  /// The indexes built for this query.
  public var built: [String] = []
  /// Whether the SQL returns exactly the matching records; otherwise the evaluator checks each one.
  public let isExact: Bool
  /// How many rows were examined for the first page.
  public let examined: Int
  /// How many records the first page contains.
  public let given: Int

  /// How records are found.
  public enum Driver: Sendable, Equatable {
    /// By indexes; several if each finds a part.
    case indexes([String])
    /// By the table of all names.
    case names
    /// By reading all records of the type.
    case scan
  }

  /// Creates a plan.
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
