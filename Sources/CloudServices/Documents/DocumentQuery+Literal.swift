internal import Basics
internal import CloudModel

extension Predicate {
  /// The longest ASCII text that every matching path must contain, however its characters are
  /// encoded; nil if the predicate requires none.
  var requiredLiteral: [UInt8]? {
    switch self {
    case .constant, .or, .not: nil
    case .and(let parts, _): parts.compactMap(\.requiredLiteral).max { $0.count < $1.count }
    case .comparison(let comparison): comparison.requiredLiteral
    }
  }
}

extension Comparison {
  fileprivate var requiredLiteral: [UInt8]? {
    guard case .key(let key, _) = left, case .value(.string(let text), _) = right,
      quantifier == nil,
      options.isEmpty, DocumentAttribute.named(key)?.isAboutName == true
    else { return nil }
    let literal: [UInt8]
    switch operation {
    case .equal, .contains, .beginsWith, .endsWith: literal = Array(text.utf8)
    case .like:
      guard !text.utf8.contains(UInt8(ascii: "\\")) else { return nil }
      let pieces = text.utf8.split { [UInt8(ascii: "*"), UInt8(ascii: "?")].contains($0) }
      literal = pieces.map(Array.init).max { $0.count < $1.count } ?? []
    case .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in, .matches,
      .tokenMatches, .conformsTo, .isType:
      return nil
    }
    return literal.isEmpty || literal.contains { $0 >= 0x80 } ? nil : literal
  }
}
