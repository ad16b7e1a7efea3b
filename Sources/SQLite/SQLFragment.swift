internal import Basics

/// A fragment of SQL and the values bound to its parameters; values never appear in the text.
public struct SQLFragment: Sendable, Equatable {
  /// The text.
  public var sql: String
  /// The values of its parameters, in order.
  public var bindings: [Binding]

  /// A value to bind.
  public enum Binding: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// The value as an SQL literal, for display.
    public var text: String {
      switch self {
      case .null: "NULL"
      case .integer(let value): String(value)
      case .real(let value): String(value)
      case .text(let value): "'\(value.replacingUTF8("'", with: "''"))'"
      case .blob(let value):
        "x'\(value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
      }
    }
  }

  /// Creates a fragment.
  public init(_ sql: String, _ bindings: [Binding] = []) {
    self.sql = sql
    self.bindings = bindings
  }

  /// Appends another fragment.
  public static func += (left: inout SQLFragment, right: SQLFragment) {
    left.sql += right.sql
    left.bindings += right.bindings
  }

  /// Appends text without parameters.
  public static func += (left: inout SQLFragment, right: String) { left.sql += right }

  /// Joins fragments, with a text between them.
  public static func join(_ parts: [SQLFragment], _ separator: String) -> SQLFragment {
    var result = SQLFragment("")
    for (index, part) in parts.enumerated() {
      if index > 0 { result += separator }
      result += part
    }
    return result
  }
}

extension Statement {
  /// Binds values to consecutive parameters, starting at `first`.
  public func bind(_ bindings: [SQLFragment.Binding], from first: Int = 1) {
    for (index, binding) in bindings.enumerated() {
      let place = first + index
      switch binding {
      case .null: bindNull(place)
      case .integer(let value): bind(value, place)
      case .real(let value): bind(value, place)
      case .text(let value): bind(value, place)
      case .blob(let value): bind(value, place)
      }
    }
  }
}
