internal import CloudModel
internal import CommandKit
internal import FieldCodecs
internal import PredicateLanguage
internal import WireFormat

extension ValueKind where Value == PredicateParser.Argument {
  /// A value for `%@`: bare text, or `timestamp:…`, `location:…`, `int64:…`, `double:…`,
  /// `ref:…`, `string:…`.
  static let predicateArgument = ValueKind<PredicateParser.Argument>("VALUE") {
    (word) throws(ValueError) in
    guard let colon = word.firstIndex(of: ":"), let base = bases[String(word[..<colon])] else {
      return .text(word)
    }
    let text = String(word[word.index(after: colon)...])
    guard let value = FieldValue(text: text, as: base) else {
      throw ValueError("'\(text)' is not a valid \(base.rawValue)")
    }
    return .value(value)
  }

  private static let bases: [String: FieldType.Base] = [
    "timestamp": .timestamp, "location": .location, "int64": .int64, "double": .double,
    "ref": .reference, "string": .string,
  ]
}

extension ValueKind where Value == [SortKey] {
  /// `a,-b`: sort keys.
  static let sort = ValueKind<[SortKey]>("FIELDS", candidates: .question("fieldLists")) {
    (word) throws(ValueError) in
    let keys = word.split(separator: ",").map { part in
      part.hasPrefix("-")
        ? SortKey(String(part.dropFirst()), isAscending: false) : SortKey(String(part))
    }
    guard !keys.isEmpty, keys.allSatisfy({ !$0.key.isEmpty }) else {
      throw ValueError("'\(word)' does not name a field")
    }
    return keys
  }
}

extension ValueKind where Value == SortKey {
  /// `FIELD=LAT,LON`: a sort by distance.
  static let near = ValueKind<SortKey>("FIELD=LAT,LON", candidates: .question("near")) {
    (word) throws(ValueError) in
    guard let equals = word.firstIndex(of: "="), equals > word.startIndex,
      let place = Location(String(word[word.index(after: equals)...]))
    else { throw ValueError("expected FIELD=LAT,LON, found '\(word)'") }
    return SortKey(String(word[..<equals]), origin: place)
  }
}

extension ValueKind where Value == QueryCursor {
  /// The opaque text of a cursor.
  static let cursor = ValueKind<QueryCursor>("CURSOR") { (word) throws(ValueError) in
    guard let cursor = QueryCursor(text: word) else {
      let error = CloudError(.invalidArguments, "not a valid cursor for this version of ckdb")
      throw ValueError(error.message, refusal: error)
    }
    return cursor
  }
}
