internal import Basics
internal import CloudModel
internal import FieldCodecs

/// A filter of a query in Web Services (W4.5): a comparison of a predicate.
struct QueryFilter {
  private let json: JSONValue

  /// The predicate that requires all filters of a `filterBy`.
  static func predicate(_ filters: [JSONValue]) throws(ValueReadingError) -> Predicate {
    let parts = try filters.map { (json) throws(ValueReadingError) in
      try QueryFilter(json: json).predicate()
    }
    return switch parts.count {
    case 0: .constant(true, nowhere)
    case 1: parts[0]
    default: .and(parts, nowhere)
    }
  }

  /// A predicate that comes from no text has no places.
  private static let nowhere = 0..<0

  private func predicate() throws(ValueReadingError) -> Predicate {
    guard let written = json["comparator"]?.string else {
      throw ValueReadingError("a filter must have a comparator")
    }
    // CKTool JS writes LIST_NOT_CONTAINS, pyicloud CONTAINS_ANY.
    var name = written.replacingUTF8("LIST_NOT_", with: "NOT_LIST_")
    if name == "CONTAINS_ANY" { name = "LIST_CONTAINS_ANY" }
    let isNegated = name.hasPrefix("NOT_") && name != "NOT_EQUALS"
    guard let comparator = Comparator(rawValue: isNegated ? String(name.dropFirst(4)) : name)
    else { throw ValueReadingError("unknown comparator '\(written.visible)'") }
    let comparison = Predicate.comparison(try comparison(comparator))
    return isNegated ? .not(comparison, Self.nowhere) : comparison
  }

  /// The comparators of CloudKit JS, without their `NOT_`.
  private enum Comparator: String {
    case equals = "EQUALS"
    case notEquals = "NOT_EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    case near = "NEAR"
    case containsAllTokens = "CONTAINS_ALL_TOKENS"
    case containsAnyTokens = "CONTAINS_ANY_TOKENS"
    case `in` = "IN"
    case listContains = "LIST_CONTAINS"
    case listContainsAny = "LIST_CONTAINS_ANY"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case beginsWith = "BEGINS_WITH"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
  }

  private func comparison(_ comparator: Comparator) throws(ValueReadingError) -> Comparison {
    let value = try value("fieldValue")
    // Words are searched in all fields, so these filters need not name one.
    if comparator == .containsAllTokens { return Self.allTokens(value) }
    if comparator == .containsAnyTokens {
      return Self.comparison(.record(Self.nowhere), .contains, value)
    }
    let key = try key()
    switch comparator {
    case .equals: return Self.comparison(key, .equal, value)
    case .notEquals: return Self.comparison(key, .notEqual, value)
    case .lessThan: return Self.comparison(key, .less, value)
    case .lessThanOrEquals: return Self.comparison(key, .lessOrEqual, value)
    case .greaterThan: return Self.comparison(key, .greater, value)
    case .greaterThanOrEquals: return Self.comparison(key, .greaterOrEqual, value)
    case .near:
      return Self.comparison(
        .distance(key, value, Self.nowhere), .less, try self.value("distance"))
    case .containsAllTokens, .containsAnyTokens: preconditionFailure("answered above")
    case .in: return Self.comparison(key, .in, value)
    case .listContains: return Self.comparison(key, .contains, value)
    case .listContainsAny: return Self.comparison(key, .in, value, .any)
    case .listContainsAll: return Self.comparison(value, .in, key, .all)
    case .beginsWith: return Self.comparison(key, .beginsWith, value)
    case .listMemberBeginsWith: return Self.comparison(key, .beginsWith, value, .any)
    }
  }

  private static func allTokens(_ words: Expression) -> Comparison {
    comparison(
      .key("allTokens", nowhere), .tokenMatches, words,
      options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])
  }

  private static func comparison(
    _ left: Expression, _ operation: Comparison.Operation, _ right: Expression,
    _ quantifier: Comparison.Quantifier? = nil, options: Comparison.Options = []
  ) -> Comparison {
    Comparison(
      quantifier: quantifier, left: left, operation: operation, options: options, right: right,
      span: nowhere, operationSpan: nowhere)
  }

  private func key() throws(ValueReadingError) -> Expression {
    .key(try Self.key(json, of: "a filter"), Self.nowhere)
  }

  /// The key that a filter or a sort names: a field, or a system field by either of its names.
  static func key(_ json: JSONValue, of what: String) throws(ValueReadingError) -> String {
    if let name = json["systemFieldName"]?.string {
      guard let key = systemKeys[name] ?? SystemKey(name) else {
        throw ValueReadingError("unknown systemFieldName '\(name.visible)'")
      }
      return key.rawValue
    }
    guard let name = json["fieldName"]?.string else {
      throw ValueReadingError("\(what) must have a fieldName")
    }
    if name.hasPrefix("___"), let key = systemKeys[name] ?? SystemKey(name) { return key.rawValue }
    do throws(CloudError) { return try FieldName(name).key } catch {
      throw ValueReadingError(error.message)
    }
  }

  /// The service's names of system fields that predicates spell differently.
  private static let systemKeys: [String: SystemKey] = [
    "createdTimestamp": .creationDate, "modifiedTimestamp": .modificationDate,
    "createdUserRecordName": .creatorUserRecordID,
    "modifiedUserRecordName": .lastModifiedUserRecordID, "___share": .share,
    "___parent": .parent,
  ]

  private func value(_ name: String) throws(ValueReadingError) -> Expression {
    guard let member = json[name] else { throw ValueReadingError("a filter must have a \(name)") }
    let field = try Self.field(member)
    // A number without a type may be a date.
    if field.type == nil, case .int64(let number)? = field.value {
      return .untyped(String(number), Self.nowhere)
    }
    guard let value = field.value else {
      throw ValueReadingError("Expected constant value in comparison expression")
    }
    return .value(value, Self.nowhere)
  }

  /// A distance, and in some clients any value, is written without its type.
  private static func field(_ json: JSONValue) throws(ValueReadingError) -> WireField {
    if case .object(let members) = json, members.contains(where: { $0.name == "value" }) {
      return try WireField(json)
    }
    return try WireField(.object([JSONMember("value", json)]))
  }
}
