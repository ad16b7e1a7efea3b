internal import Basics
internal import CloudModel
internal import FieldCodecs

/// A filter of a query in Web Services (W4.5): a comparison of a predicate.
struct QueryFilter {
  private let json: JSONValue

  /// The text of the predicate that requires all filters of a `filterBy`.
  static func predicate(_ filters: [JSONValue]) throws(ValueReadingError) -> String {
    if filters.isEmpty { return "TRUEPREDICATE" }
    return try filters.map { (json) throws(ValueReadingError) in try QueryFilter(json: json).text()
    }
    .joined(separator: " AND ")
  }

  private func text() throws(ValueReadingError) -> String {
    guard let comparator = json["comparator"]?.string else {
      throw ValueReadingError("a filter must have a comparator")
    }
    let isNegated = comparator.hasPrefix("NOT_") && comparator != "NOT_EQUALS"
    let name = isNegated ? String(comparator.dropFirst(4)) : comparator
    guard let text = try comparison(name, key(), value("fieldValue")) else {
      throw ValueReadingError("unknown comparator '\(comparator.visible)'")
    }
    return isNegated ? "NOT (\(text))" : text
  }

  /// The comparison by a comparator without its `NOT_`; nil for an unknown one.
  private func comparison(
    _ comparator: String, _ key: String, _ value: String
  ) throws(ValueReadingError) -> String? {
    switch comparator {
    case "EQUALS": "\(key) == \(value)"
    case "NOT_EQUALS": "\(key) != \(value)"
    case "LESS_THAN": "\(key) < \(value)"
    case "LESS_THAN_OR_EQUALS": "\(key) <= \(value)"
    case "GREATER_THAN": "\(key) > \(value)"
    case "GREATER_THAN_OR_EQUALS": "\(key) >= \(value)"
    case "IN": "\(key) IN \(value)"
    case "BEGINS_WITH": "\(key) BEGINSWITH \(value)"
    case "NEAR":
      "distanceToLocation:fromLocation:(\(key), \(value)) < \(try self.value("distance"))"
    case "CONTAINS_ALL_TOKENS": "allTokens TOKENMATCHES[cdl] \(value)"
    case "CONTAINS_ANY_TOKENS": "SELF CONTAINS \(value)"
    case "LIST_CONTAINS": "\(key) CONTAINS \(value)"
    case "LIST_CONTAINS_ANY": "ANY \(key) IN \(value)"
    case "LIST_CONTAINS_ALL": "ALL \(value) IN \(key)"
    case "LIST_MEMBER_BEGINS_WITH": "ANY \(key) BEGINSWITH \(value)"
    default: nil
    }
  }

  private func key() throws(ValueReadingError) -> String {
    if let name = json["systemFieldName"]?.string {
      guard let key = Self.systemKeys[name] ?? SystemKey(name) else {
        throw ValueReadingError("unknown systemFieldName '\(name.visible)'")
      }
      return key.rawValue
    }
    guard let name = json["fieldName"]?.string else {
      throw ValueReadingError("a filter must have a fieldName")
    }
    if name.hasPrefix("___"), let key = SystemKey(name) { return key.rawValue }
    do throws(CloudError) { return "#\(try FieldName(name).text)" } catch {
      throw ValueReadingError(error.message)
    }
  }

  /// The service's names of system fields that predicates spell differently.
  private static let systemKeys: [String: SystemKey] = [
    "createdTimestamp": .creationDate, "modifiedTimestamp": .modificationDate,
    "createdUserRecordName": .creatorUserRecordID,
    "modifiedUserRecordName": .lastModifiedUserRecordID,
  ]

  private func value(_ name: String) throws(ValueReadingError) -> String {
    guard let member = json[name], let value = try PlainJSONReader.read(member).value else {
      throw ValueReadingError("a filter must have a \(name)")
    }
    return value.predicateText
  }
}
