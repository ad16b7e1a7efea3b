public import Basics
public import CloudModel
internal import FieldCodecs

extension Predicate {
  /// The predicate as `filterBy` of Web Services; nil if filters cannot express it.
  public var wireFilters: [JSONValue]? {
    switch self {
    case .constant(true, _): return []
    case .and(let parts, _):
      let filters = parts.compactMap(\.wireFilter)
      return filters.count == parts.count ? filters : nil
    case .comparison, .not: return wireFilter.map { [$0] }
    case .constant, .or: return nil
    }
  }

  private var wireFilter: JSONValue? {
    switch self {
    case .comparison(let comparison): comparison.filter(isNegated: false)
    case .not(.comparison(let comparison), _): comparison.filter(isNegated: true)
    case .constant, .and, .or, .not: nil
    }
  }
}

extension Comparison {
  /// The comparators of comparisons whose left side is a field, by quantifier and operator.
  private static let comparators: [(Quantifier?, Operation, String)] = [
    (nil, .equal, "EQUALS"), (nil, .notEqual, "NOT_EQUALS"), (nil, .less, "LESS_THAN"),
    (nil, .lessOrEqual, "LESS_THAN_OR_EQUALS"), (nil, .greater, "GREATER_THAN"),
    (nil, .greaterOrEqual, "GREATER_THAN_OR_EQUALS"), (nil, .in, "IN"),
    (nil, .contains, "LIST_CONTAINS"), (nil, .beginsWith, "BEGINS_WITH"),
    (.any, .in, "LIST_CONTAINS_ANY"), (.any, .beginsWith, "LIST_MEMBER_BEGINS_WITH"),
  ]

  fileprivate func filter(isNegated: Bool) -> JSONValue? {
    func filter(
      _ comparator: String, _ key: String?, _ value: FieldValue, distance: FieldValue? = nil
    ) -> JSONValue? {
      let isCoded = isNegated && comparator.hasPrefix("NOT_")
      guard !isCoded, let type = value.type?.wireName else { return nil }
      var members = [JSONMember("comparator", .string((isNegated ? "NOT_" : "") + comparator))]
      if let key { members.append(JSONMember("fieldName", .string(Self.wireKey(key)))) }
      members.append(
        JSONMember(
          "fieldValue",
          .object([
            JSONMember("value", value.wireValue(in: .defaultZone)),
            JSONMember("type", .string(type)),
          ])))
      if let distance {
        members.append(JSONMember("distance", distance.wireValue(in: .defaultZone)))
      }
      return .object(members)
    }
    switch (left, right) {
    case (.key("allTokens", _), .value(let words, _)):
      return filter("CONTAINS_ALL_TOKENS", nil, words)
    case (.record, .value(let words, _)) where operation == .contains:
      return filter("CONTAINS_ANY_TOKENS", nil, words)
    case (.key(let key, _), .value(let value, _)):
      let known = Self.comparators.first { $0.0 == quantifier && $0.1 == operation }
      guard options.isEmpty, let known else { return nil }
      return filter(known.2, key, value)
    case (.distance(.key(let key, _), .value(let place, _), _), .value(let distance, _))
    where operation == .less:
      return filter("NEAR", key, place, distance: distance)
    case (.value(let list, _), .key(let key, _)) where quantifier == .all && operation == .in:
      return filter("LIST_CONTAINS_ALL", key, list)
    default: return nil
    }
  }

  /// The name of a field or a system field in Web Services.
  private static func wireKey(_ key: String) -> String {
    SystemKey(key)?.schemaName ?? FieldName(key: key).text
  }
}
