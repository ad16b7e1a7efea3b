internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import PredicateLanguage
internal import Testing

@testable internal import WireFormat

/// The filters of queries of Web Services (W4.5).
@Suite struct QueryFilterTests {
  /// A filter and the predicate that it means.
  private static let meanings: [(String, String)] = [
    (
      #""comparator":"EQUALS","fieldName":"f","fieldValue":{"value":"x","type":"STRING"}"#,
      "f == 'x'"
    ),
    (
      #""comparator":"NOT_EQUALS","fieldName":"f","fieldValue":{"value":1,"type":"INT64"}"#,
      "f != 1"
    ),
    (#""comparator":"LESS_THAN","fieldName":"f","fieldValue":{"value":1.5}"#, "f < 1.5"),
    (
      #""comparator":"LESS_THAN_OR_EQUALS","fieldName":"f","fieldValue":{"value":"a"}"#,
      "f <= 'a'"
    ),
    (
      #""comparator":"GREATER_THAN","fieldName":"f","fieldValue":{"value":0,"type":"TIMESTAMP"}"#,
      "f > date('1970-01-01T00:00:00Z')"
    ),
    (
      #""comparator":"GREATER_THAN_OR_EQUALS","fieldName":"f","fieldValue":{"value":"a"}"#,
      "f >= 'a'"
    ),
    (
      #""comparator":"NEAR","fieldName":"f","distance":100.5,"fieldValue":{"type":"LOCATION","value":{"latitude":1,"longitude":2}}"#,
      "distanceToLocation:fromLocation:(f, location(1, 2)) < 100.5"
    ),
    (
      #""comparator":"CONTAINS_ALL_TOKENS","fieldName":"f","fieldValue":{"value":"a b"}"#,
      "allTokens TOKENMATCHES[cdl] 'a b'"
    ),
    (
      #""comparator":"CONTAINS_ANY_TOKENS","fieldName":"f","fieldValue":{"value":"a b"}"#,
      "SELF CONTAINS 'a b'"
    ),
    (
      #""comparator":"IN","fieldName":"f","fieldValue":{"value":["a","b"],"type":"STRING_LIST"}"#,
      "f IN {'a', 'b'}"
    ),
    (
      #""comparator":"NOT_IN","fieldName":"f","fieldValue":{"value":["a"],"type":"STRING_LIST"}"#,
      "NOT (f IN {'a'})"
    ),
    (#""comparator":"LIST_CONTAINS","fieldName":"f","fieldValue":{"value":"a"}"#, "f CONTAINS 'a'"),
    (
      #""comparator":"NOT_LIST_CONTAINS","fieldName":"f","fieldValue":{"value":"a"}"#,
      "NOT (f CONTAINS 'a')"
    ),
    (
      #""comparator":"LIST_CONTAINS_ANY","fieldName":"f","fieldValue":{"value":["a"]}"#,
      "ANY f IN {'a'}"
    ),
    (
      #""comparator":"NOT_LIST_CONTAINS_ANY","fieldName":"f","fieldValue":{"value":["a"]}"#,
      "NOT (ANY f IN {'a'})"
    ),
    (
      #""comparator":"LIST_CONTAINS_ALL","fieldName":"f","fieldValue":{"value":["a"]}"#,
      "ALL {'a'} IN f"
    ),
    (
      #""comparator":"NOT_LIST_CONTAINS_ALL","fieldName":"f","fieldValue":{"value":["a"]}"#,
      "NOT (ALL {'a'} IN f)"
    ),
    (#""comparator":"BEGINS_WITH","fieldName":"f","fieldValue":{"value":"a"}"#, "f BEGINSWITH 'a'"),
    (
      #""comparator":"NOT_BEGINS_WITH","fieldName":"f","fieldValue":{"value":"a"}"#,
      "NOT (f BEGINSWITH 'a')"
    ),
    (
      #""comparator":"LIST_MEMBER_BEGINS_WITH","fieldName":"f","fieldValue":{"value":"a"}"#,
      "ANY f BEGINSWITH 'a'"
    ),
    (
      #""comparator":"NOT_LIST_MEMBER_BEGINS_WITH","fieldName":"f","fieldValue":{"value":"a"}"#,
      "NOT (ANY f BEGINSWITH 'a')"
    ),
    (
      #""comparator":"LIST_NOT_CONTAINS_ANY","fieldName":"f","fieldValue":{"value":["a"]}"#,
      "NOT (ANY f IN {'a'})"
    ),
    (
      #""comparator":"EQUALS","fieldName":"___recordID","fieldValue":{"type":"REFERENCE","value":{"recordName":"r"}}"#,
      "recordName == ref('r')"
    ),
    (
      #""comparator":"EQUALS","systemFieldName":"createdUserRecordName","fieldValue":{"value":"_a"}"#,
      "creatorUserRecordID == '_a'"
    ),
  ]

  private func predicate(_ filter: String) throws -> Predicate {
    try QueryFilter.predicate([try JSONParser.parse("{\(filter)}")])
  }

  @Test("W4.5: each of the 21 comparators means a predicate", arguments: meanings)
  func meaning(_ filter: String, _ text: String) throws {
    #expect(try predicate(filter).text == PredicateParser.parse(text).text)
  }

  @Test("W4.5: filters are joined by AND; none is every record")
  func several() throws {
    let filter = try JSONParser.parse(
      #"{"comparator":"EQUALS","fieldName":"f","fieldValue":{"value":"x"}}"#)
    #expect(try QueryFilter.predicate([]).text == "TRUEPREDICATE")
    #expect(
      try QueryFilter.predicate([filter, filter]).text
        == PredicateParser.parse("f == 'x' AND f == 'x'").text)
  }

  @Test("W4.7: a predicate is written as the filters that mean it", arguments: meanings)
  func writing(_ filter: String, _ text: String) throws {
    let filters = try #require(try predicate(filter).wireFilters)
    #expect(try QueryFilter.predicate(filters).text == predicate(filter).text)
  }

  @Test("W4.7: what filters cannot say has none")
  func unwritable() throws {
    for text in ["a == 1 OR b == 2", "a LIKE 'x*'", "a ==[c] 'x'", "NOT (a != 1)"] {
      #expect(try PredicateParser.parse(text).wireFilters == nil, "\(text)")
    }
  }

  @Test("a number without a type takes the type of its field (W0.10)")
  func untyped() throws {
    let read = try predicate(#""comparator":"EQUALS","fieldName":"f","fieldValue":{"value":5}"#)
    guard case .comparison(let comparison) = read, case .untyped("5", _) = comparison.right else {
      Issue.record("\(read)")
      return
    }
  }
}
