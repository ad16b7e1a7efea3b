internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import PredicateLanguage
internal import WireFormat

/// A cktool filter as part of a predicate: `FIELD OPERATOR VALUE`. The value's type is guessed or
/// written before a colon (L5.5).
struct CKToolFilter {
  /// The field.
  let key: String
  /// The indexes that the service accepts for the filter: the field needs one of them.
  let indexes: FieldIndexes
  let format: String
  let arguments: [PredicateParser.Argument]

  /// Parses a filter. Throws `CommandError` if it is invalid.
  init(_ text: String) throws {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
    guard parts.count == 3 else {
      throw CommandError(
        "'\(text.visible)' is not a valid filter", .usage, hint: "write FIELD OPERATOR VALUE")
    }
    guard let format = Self.formats.first(where: { $0.words.contains(parts[1].uppercased()) })
    else {
      throw CommandError(
        "unknown operator '\(String(parts[1]).visible)' in '\(text.visible)'", .usage,
        hint: "operators are \(Self.formats.map { $0.words[0] }.joined(separator: ", "))")
    }
    key = String(parts[0])
    let value = String(parts[2].drop { $0 == " " })
    let name = PredicateParser.Argument.text(key)
    switch format.kind {
    case .value:
      (self.format, arguments) = (format.text, [name, try Self.value(value, text)])
      indexes = format.isRange ? [.queryable, .sortable] : .queryable
    case .list:
      (self.format, arguments) = (format.text, [name, try Self.list(value, text)])
      indexes = .queryable
    case .circle:
      (self.format, arguments) = (format.text, [name] + (try Self.circle(value, text)))
      indexes = .queryable
    case .words:
      (self.format, arguments) = Self.words(
        Self.explicit(value)?.text ?? value, in: key, separator: format.text)
      indexes = .searchable
    }
  }

  private enum Kind {
    case value
    case words
    case list
    case circle
  }

  /// An operator: its names and its predicate format.
  private struct Format {
    let words: [String]
    let text: String
    let kind: Kind
    var isRange = false
  }

  private static let formats = [
    Format(words: ["EQUALS", "=="], text: "%K == %@", kind: .value),
    Format(words: ["NOT_EQUALS", "!="], text: "%K != %@", kind: .value),
    Format(words: ["LESS_THAN", "<"], text: "%K < %@", kind: .value, isRange: true),
    Format(words: ["LESS_THAN_OR_EQUALS", "<="], text: "%K <= %@", kind: .value, isRange: true),
    Format(words: ["GREATER_THAN", ">"], text: "%K > %@", kind: .value, isRange: true),
    Format(words: ["GREATER_THAN_OR_EQUALS", ">="], text: "%K >= %@", kind: .value, isRange: true),
    Format(
      words: ["NEAR"], text: "distanceToLocation:fromLocation:(%K, %@) < %@", kind: .circle),
    Format(words: ["CONTAINS_ALL_TOKENS"], text: " AND ", kind: .words),
    Format(words: ["CONTAINS_ANY_TOKENS"], text: " OR ", kind: .words),
    Format(words: ["LIST_CONTAINS_ANY"], text: "ANY %K IN %@", kind: .list),
    Format(words: ["LIST_NOT_CONTAINS_ANY"], text: "NOT (ANY %K IN %@)", kind: .list),
  ]

  /// Matches words in a field's text or, with the key `allTokens`, in any text.
  private static func words(
    _ text: String, in key: String, separator: String
  ) -> (String, [PredicateParser.Argument]) {
    let words = text.split { !$0.isLetter && !$0.isNumber }.map { String($0) }
    guard !words.isEmpty else { return ("FALSEPREDICATE", []) }
    if key == "allTokens" {
      let part = words.map { _ in "allTokens TOKENMATCHES[cdl] %@" }
      return ("(\(part.joined(separator: separator)))", words.map { .value(.string($0)) })
    }
    let parts = words.map { _ in "%K MATCHES[cd] %@" }
    return (
      "(\(parts.joined(separator: separator)))",
      words.flatMap { [.text(key), .value(.string("(?s).*\\b\($0)\\b.*"))] }
    )
  }

  // MARK: Values

  private static func explicit(_ word: String) -> (type: FieldType, text: String)? {
    let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let type = FieldType(toolName: String(parts[0])) else { return nil }
    return (type, String(parts[1]))
  }

  /// A value of the type written before it, or else of a guessed type.
  private static func value(_ word: String, _ filter: String) throws -> PredicateParser.Argument {
    guard let (type, text) = explicit(word) else { return .value(guess(word)) }
    let value: FieldValue? =
      switch type.base {
      case .timestamp: Timestamp(toolText: text).map { .timestamp($0) }
      case .reference: try? .reference(Reference(RecordName(text)))
      case .number, .asset: nil
      case .string, .int64, .double, .bytes, .location: FieldValue(text: text, as: type.base)
      }
    guard !type.isList, let value else {
      throw CommandError(
        "'\(text.visible)' in '\(filter.visible)' is not a valid value of its type", .data)
    }
    return .value(value)
  }

  /// An integer, a real number, a date, a location, or text.
  private static func guess(_ word: String) -> FieldValue {
    if let number = Int64(word) { return .int64(number) }
    if let number = FieldValue(text: word, as: .double) { return number }
    if let time = Timestamp(toolText: word) { return .timestamp(time) }
    if let place = FieldValue(text: word, as: .location) { return place }
    return .string(word)
  }

  /// Comma-separated values.
  private static func list(_ word: String, _ filter: String) throws -> PredicateParser.Argument {
    let words = word.split(separator: ",").map { String($0).trimmed }
    let values = try words.map { word -> FieldValue in
      guard case .value(let value) = try value(word, filter) else { return .string(word) }
      return value
    }
    return .value(.list(values))
  }

  /// A location and, after a second comma, a radius in kilometres.
  private static func circle(
    _ word: String, _ filter: String
  ) throws -> [PredicateParser.Argument] {
    let parts = (explicit(word)?.text ?? word).split(separator: ",").map { String($0).trimmed }
    let radius = parts.count == 3 ? Double(parts[2]) : radiusKilometres
    guard parts.count >= 2, let radius,
      let place = FieldValue(text: parts[0] + "," + parts[1], as: .location)
    else {
      throw CommandError("'\(filter.visible)' needs LATITUDE,LONGITUDE[,KILOMETRES]", .data)
    }
    return [.value(place), .value(.double(radius * 1000))]
  }

  /// The default radius: Apple's location index is as coarse.
  private static let radiusKilometres = 10.0
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

extension SortKey {
  /// Reads `FIELD`, `FIELD ASC` or `FIELD DESC`. Throws `CommandError`.
  init(toolText text: String) throws {
    let words = text.split(separator: " ")
    let order = words.count == 2 ? words[1].uppercased() : "ASC"
    guard let field = words.first, words.count <= 2, order == "ASC" || order == "DESC" else {
      throw CommandError(
        "'\(text.visible)' is not a valid sort", .usage, hint: "write FIELD [ASC|DESC]")
    }
    self.init(String(field), isAscending: order == "ASC")
  }
}
