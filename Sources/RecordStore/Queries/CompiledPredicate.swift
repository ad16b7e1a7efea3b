internal import SQLite

/// A condition in SQL: the predicate itself, or a wider one that `PredicateEvaluator` must narrow
/// row by row.
struct CompiledPredicate {
  var sql: SQLFragment
  /// Whether the SQL is true for exactly the records that the predicate is true for.
  var isExact: Bool
  /// The depth of nested parentheses.
  var depth = 0

  /// The stack of SQLite's parser has a hundred places; it needs a few more than fifty.
  static let mostDepth = 40

  /// What SQL cannot express: every record passes, and the evaluator decides.
  static let undecided = CompiledPredicate(sql: SQLFragment("1"), isExact: false)

  static func exact(_ sql: SQLFragment) -> CompiledPredicate {
    CompiledPredicate(sql: sql, isExact: true)
  }
}

extension SQLFragment {
  /// Joins expressions by an operator as a balanced tree, since levels are limited.
  static func balanced(_ parts: [SQLFragment], _ separator: String) -> SQLFragment {
    guard parts.count > 2 else {
      return join(parts.map { SQLFragment("(") + $0 + SQLFragment(")") }, separator)
    }
    let half = parts.count / 2
    return balanced(
      [balanced(Array(parts[..<half]), separator), balanced(Array(parts[half...]), separator)],
      separator)
  }

  static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
    SQLFragment(left.sql + right.sql, left.bindings + right.bindings)
  }
}
