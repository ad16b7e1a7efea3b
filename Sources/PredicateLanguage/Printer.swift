internal import Basics
public import CloudModel

extension Predicate {
  /// The canonical text (`predicates.md` §1.6); it parses to the same predicate.
  public var text: String {
    switch self {
    case .constant(let value, _): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .and(let parts, _): parts.map(\.operand).joined(separator: " AND ")
    case .or(let parts, _): parts.map(\.operand).joined(separator: " OR ")
    case .not(let part, _): "NOT " + part.operand
    case .comparison(let comparison): comparison.text
    }
  }

  /// The text as a part of another predicate: a compound stands in parentheses.
  private var operand: String {
    switch self {
    case .and, .or: "(\(text))"
    case .constant, .not, .comparison: text
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
    case .key(let key, _): reservedWords.contains(key.uppercased()) ? "#\(key)" : key
    case .record: "SELF"
    case .aggregate(let items, _): "{\(items.map(\.text).joined(separator: ", "))}"
    case .function(let function, let arguments, _):
      function.text(arguments)
    case .distance(let a, let b, _): "distanceToLocation:fromLocation:(\(a.text), \(b.text))"
    }
  }
}

extension Expression {
  /// The text as what a postfix function stands behind.
  fileprivate var operand: String {
    if case .function(let function, _, _) = self, function.isInfix { return "(\(text))" }
    if case .value(.int64(let number), _) = self, number < 0 { return "(\(text))" }
    if case .value(.double(let number), _) = self, number.sign == .minus { return "(\(text))" }
    return text
  }
}

extension Function {
  fileprivate func text(_ arguments: [Expression]) -> String {
    let texts = arguments.map { argument in
      if isInfix, case .function(let inner, _, _) = argument, inner.isInfix {
        return "(\(argument.text))"
      }
      return argument.text
    }
    if self == .item { return "\(arguments[0].operand)[\(texts[1])]" }
    if isPostfix { return arguments[0].operand + rawValue }
    if isInfix { return texts.joined(separator: " \(rawValue) ") }
    if isCast { return "CAST(\(texts[0]), \"\(rawValue)\")" }
    return "\(rawValue)(\(texts.joined(separator: ", ")))"
  }
}

extension FieldValue {
  /// The value as a literal of the predicate language.
  fileprivate var predicateText: String {
    switch self {
    case .string(let text): quoted(text)
    case .int64(let number): String(number)
    case .double(let number): number.description
    case .timestamp(let time): "date(\(quoted(time.text)))"
    case .location(let place): "location(\(place.latitude), \(place.longitude))"
    case .reference(let reference): "ref(\(quoted(reference.name.text)))"
    case .bytes(let bytes): "bytes(\(quoted(Base64.encode(bytes))))"
    case .asset(let asset): quoted(asset.sha256)
    case .list(let members): "{\(members.map(\.predicateText).joined(separator: ", "))}"
    }
  }

  private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        result += "\\"
        result.unicodeScalars.append(scalar)
      case "\0"..." ":
        if scalar == " " {
          result += " "
        } else {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
