internal import Basics
public import CloudModel
internal import FieldCodecs

extension Predicate {
  /// The canonical text (P1.6), which parses to the same predicate.
  public var text: String {
    switch self {
    case .constant(let value, _): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .and(let parts, _): parts.map(\.operand).joined(separator: " AND ")
    case .or(let parts, _): parts.map(\.operand).joined(separator: " OR ")
    case .not(let part, _): "NOT " + part.operand
    case .comparison(let comparison): comparison.text
    }
  }

  /// The text as a part of another predicate: compounds are in parentheses.
  private var operand: String {
    switch self {
    case .and, .or, .not: "(\(text))"
    case .constant, .comparison: text
    }
  }
}

extension Comparison {
  /// The canonical text.
  public var text: String {
    let prefix = quantifier.map { $0.rawValue + " " } ?? ""
    let letters = Options.letters.filter { options.contains($0.option) }.map(\.letter)
    let suffix = letters.isEmpty ? "" : "[\(String(letters))]"
    return "\(prefix)\(left.text) \(operation.rawValue)\(suffix) \(right.text)"
  }
}

extension Expression {
  /// The canonical text.
  public var text: String {
    switch self {
    case .value(let value, _): value.predicateText
    case .null: "nil"
    case .untyped(let text, _): FieldValue.string(text).predicateText
    case .key(let key, _): key.keyText
    case .path(let base, let key, _): "\(base.operand).\(key.keyText)"
    case .record: "SELF"
    case .variable(let name, _): "$\(name)"
    case .assignment(let name, let value, _): "$\(name) := \(value.text)"
    case .subquery(let list, let name, let predicate, _):
      "SUBQUERY(\(list.text), $\(name), \(predicate.text))"
    case .conditional(let predicate, let first, let second, _):
      "TERNARY(\(predicate.text), \(first.text), \(second.text))"
    case .aggregate(let items, _): "{\(items.map(\.text).joined(separator: ", "))}"
    case .function(let function, let arguments, _):
      function.text(arguments)
    case .distance(let a, let b, _): "distanceToLocation:fromLocation:(\(a.text), \(b.text))"
    }
  }
}

extension Expression {
  /// The text as an operand before another operator.
  fileprivate var operand: String {
    switch self {
    case .function(let function, _, _) where function.form == .infix: "(\(text))"
    case .assignment: "(\(text))"
    case .value(.int64(let number), _) where number < 0: "(\(text))"
    case .value(.double(let number), _) where number.sign == .minus: "(\(text))"
    // Otherwise the key would be parsed as one of the record itself.
    case .record: "(SELF)"
    case .value, .null, .untyped, .key, .path, .variable, .aggregate, .distance, .function,
      .subquery, .conditional:
      text
    }
  }

  /// The text as a side of an infix operator.
  fileprivate var infixOperand: String {
    switch self {
    case .function(let function, _, _) where function.form == .infix: "(\(text))"
    case .assignment: "(\(text))"
    case .value, .null, .untyped, .key, .path, .record, .variable, .aggregate, .distance, .function,
      .subquery, .conditional:
      text
    }
  }
}

extension Expression {
  /// The text after a minus sign.
  fileprivate var negatedText: String {
    if case .function(let function, let arguments, _) = self,
      let negated = function.negated(arguments)
    {
      return "-" + negated.negatedText
    }
    // A minus before a number is part of the number, even before a path; before a string or an
    // aggregate it needs parentheses.
    let text = operand
    guard let first = text.utf8.first,
      first.isLetterByte || first >= 0x80 || "_#$%(-".utf8.contains(first)
    else {
      return "(\(text))"
    }
    return text
  }
}

extension Function {
  /// The operand of the negation `0 - x`, unless `-x` is a number literal.
  fileprivate func negated(_ arguments: [Expression]) -> Expression? {
    guard self == .subtract, case .value(.int64(0), _) = arguments[0] else { return nil }
    switch arguments[1] {
    case .value(.int64, _), .value(.double, _): return nil
    case .value, .null, .untyped, .key, .path, .record, .variable, .assignment, .aggregate,
      .distance, .function, .subquery, .conditional:
      return arguments[1]
    }
  }

  fileprivate func text(_ arguments: [Expression]) -> String {
    if self == .item { return "\(arguments[0].operand)[\(arguments[1].text)]" }
    if let negated = negated(arguments) { return "-" + negated.negatedText }
    return switch form {
    case .postfix, .collectionOperator: arguments[0].operand + rawValue
    case .infix: arguments.map(\.infixOperand).joined(separator: " \(rawValue) ")
    case .cast: "CAST(\(arguments[0].text), \"\(rawValue)\")"
    case .call: "\(rawValue)(\(arguments.map(\.text).joined(separator: ", ")))"
    }
  }
}

extension String {
  /// A key as written in a predicate.
  fileprivate var keyText: String { reservedWords.contains(uppercased()) ? "#\(self)" : self }
}
