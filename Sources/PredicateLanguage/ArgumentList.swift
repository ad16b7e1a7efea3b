internal import Basics
internal import CloudModel

extension Comparison {
  /// The comparison, with JSON arrays of arguments expanded where several values are expected
  /// (M3.8): `IN %@`, `BETWEEN %@`, `ANY %@ = field`.
  var listingArguments: Comparison {
    var listed = self
    if operation == .in || operation == .between { listed.right = right.listed }
    if quantifier != nil { listed.left = left.listed }
    return listed
  }
}

extension Expression {
  fileprivate var listed: Expression {
    guard case .untyped(let text, let span) = self, text.hasPrefix("["),
      case .array(let items)? = try? JSONParser.parse(text)
    else { return self }
    var values: [Expression] = []
    for item in items {
      switch item {
      case .string(let text): values.append(.untyped(text, span))
      case .int(let number): values.append(.value(.int64(number), span))
      case .double(let number): values.append(.value(.double(number), span))
      case .bool(let flag): values.append(.value(.int64(flag ? 1 : 0), span))
      case .null: values.append(.null(span))
      case .outOfRange, .array, .object: return self
      }
    }
    return .aggregate(values, span)
  }
}
