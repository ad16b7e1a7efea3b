internal import CloudModel

extension Predicate {
  /// The predicate with many tests of one field for equality in an OR as one test with IN: SQLite
  /// compares each constant of a statement with all others. A list is equal to none of its members.
  func mergingEqualities(of type: RecordTypeSchema) -> Predicate {
    switch self {
    case .constant, .comparison: self
    case .and(let parts, let span): .and(parts.map { $0.mergingEqualities(of: type) }, span)
    case .not(let part, let span): .not(part.mergingEqualities(of: type), span)
    case .or(let parts, let span):
      Self.merged(parts.map { $0.mergingEqualities(of: type) }, of: type, span)
    }
  }

  /// From this number on, tests are merged.
  private static let manyTests = 100

  private static func merged(
    _ parts: [Predicate], of type: RecordTypeSchema, _ span: Span
  ) -> Predicate {
    if parts.count < manyTests { return .or(parts, span) }
    var tests: [String: [Comparison]] = [:]
    for case .comparison(let test) in parts {
      if let key = test.equalKey { tests[key, default: []].append(test) }
    }
    tests = tests.filter { key, all in
      all.count >= manyTests && type.field(key)?.type.isList == false
    }
    var merged: [Predicate] = []
    for part in parts {
      guard case .comparison(let test) = part, let key = test.equalKey, tests[key] != nil else {
        merged.append(part)
        continue
      }
      // The first test becomes that of all.
      guard let all = tests.updateValue([], forKey: key), !all.isEmpty else { continue }
      var one = test
      one.operation = .in
      one.right = .aggregate(all.map(\.right), span)
      merged.append(.comparison(one))
    }
    return merged.count == 1 ? merged[0] : .or(merged, span)
  }
}

extension Comparison {
  /// The key of a plain test for equality with a literal; nil for others.
  fileprivate var equalKey: String? {
    guard quantifier == nil, operation == .equal, options.isEmpty, case .key(let key, _) = left,
      case .value(let value, _) = right
    else { return nil }
    if case .list = value { return nil }
    return key
  }
}
