internal import CloudModel
internal import PredicateLanguage

/// A key whose index can find the records of a predicate.
struct Driver: Hashable {
  let key: String
  let kind: Kind

  enum Kind: Hashable {
    /// The records with some values, or in a range of them; a range returns them in its order.
    case value(isRange: Bool)
    /// Those that have a member in a list.
    case member
    /// Those that have words in their texts.
    case words
  }

  var isRange: Bool { kind == .value(isRange: true) }
}

extension Predicate {
  /// The keys whose indexes can find all matching records: one of the keys of an AND suffices, and
  /// each part of an OR needs its own.
  var drivers: [Driver] {
    switch self {
    case .constant, .not: return []
    case .and(let parts, _):
      return parts.contains(where: \.isByName) ? [] : parts.flatMap(\.drivers)
    case .or(let parts, _):
      let drivers = parts.map(\.drivers)
      guard drivers.allSatisfy({ !$0.isEmpty }) else { return [] }
      // Their records come in no particular order.
      return drivers.flatMap { $0.prefix(1) }.map {
        Driver(key: $0.key, kind: $0.isRange ? .value(isRange: false) : $0.kind)
      }
    case .comparison(let comparison):
      return isByName ? [] : comparison.driver.map { [$0] } ?? []
    }
  }

  /// Whether it asks for records by name, which the table of all names can find.
  var isByName: Bool {
    if case .and(let parts, _) = self { return parts.contains(where: \.isByName) }
    guard case .comparison(let comparison) = self, let driver = comparison.driver else {
      return false
    }
    return !driver.isRange && SystemKey(driver.key) == .recordName
  }
}

extension Comparison {
  fileprivate var driver: Driver? {
    if let search = textSearch {
      return search.isIndexed ? Driver(key: allTokens, kind: .words) : nil
    }
    guard options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) else { return nil }
    switch (quantifier, left, operation, right) {
    case (nil, .key(let key, _), .contains, .value), (nil, .value, .in, .key(let key, _)),
      (.any?, .key(let key, _), .equal, .value), (.any?, .key(let key, _), .in, .aggregate):
      return Driver(key: key, kind: .member)
    case (nil, .key(let key, _), .equal, .value), (nil, .value, .equal, .key(let key, _)),
      (nil, .key(let key, _), .in, .aggregate), (.any?, .aggregate, .equal, .key(let key, _)):
      return Driver(key: key, kind: .value(isRange: false))
    case (nil, .key(let key, _), .less, .value), (nil, .key(let key, _), .lessOrEqual, .value),
      (nil, .key(let key, _), .greater, .value),
      (nil, .key(let key, _), .greaterOrEqual, .value), (nil, .value, .less, .key(let key, _)),
      (nil, .value, .lessOrEqual, .key(let key, _)), (nil, .value, .greater, .key(let key, _)),
      (nil, .value, .greaterOrEqual, .key(let key, _)),
      (nil, .key(let key, _), .between, .aggregate),
      (nil, .key(let key, _), .beginsWith, .value):
      return Driver(key: key, kind: .value(isRange: true))
    case (nil, .key(let key, _), .like, .value(.string(let pattern), _)):
      return pattern.unicodeScalars.first.map { !["*", "?", "\\"].contains($0) } == true
        ? Driver(key: key, kind: .value(isRange: true)) : nil
    case (nil, .distance(.key(let key, _), .value, _), .less, .value),
      (nil, .distance(.key(let key, _), .value, _), .lessOrEqual, .value),
      (nil, .distance(.value, .key(let key, _), _), .less, .value),
      (nil, .distance(.value, .key(let key, _), _), .lessOrEqual, .value):
      // In the order of latitudes, which no sort asks for.
      return Driver(key: key, kind: .value(isRange: false))
    default: return nil
    }
  }
}
