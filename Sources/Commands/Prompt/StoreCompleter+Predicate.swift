internal import CloudModel
internal import CloudServices
internal import FieldCodecs
internal import PredicateLanguage

extension StoreCompleter {
  /// Completes a predicate by the part of the grammar at its end.
  func predicate(_ text: String) throws -> Completer.Completion {
    guard let ending = PredicateEnding(text) else { return .init() }
    let word = ending.word
    let candidates: [String]
    switch ending.expected {
    case .operand where ending.quote == nil: candidates = try operands(word)
    case .key(let keys): candidates = try fields(after: keys).filter { $0.hasPrefix(word) }
    case .comparison(let path) where ending.quote == nil:
      candidates = try operators(of: path).filter { $0.hasPrefix(word.uppercased()) }
    case .values where ending.quote == nil && word.isEmpty: candidates = ["{"]
    case .values: candidates = try operands(word)
    case .connective where ending.quote == nil:
      candidates = ["AND", "OR"].filter { $0.hasPrefix(word.uppercased()) }
    case .value(let path): candidates = try values(of: path, ending)
    case .recordName:
      let names = try context.database().names(
        beginningWith: word, in: context.zone(), atMost: 50)
      candidates = names.map { literal($0.text, ending.quote) + ")" }
    case .operand, .comparison, .connective: candidates = []
    }
    return Completer.Completion(
      kept: String(text.dropLast(word.count)), endings: candidates, isWord: false)
  }

  /// The operators that fit the type of a field; all if it is not known.
  private func operators(of path: [String]?) throws -> [String] {
    let (equality, order) = (["==", "!="], ["<", "<=", ">", ">="])
    let texts = ["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES"]
    guard let path, path.count == 1,
      let known = try type()?.field(path[0])?.type ?? SystemKey(path[0])?.type
    else { return equality + order + texts + ["IN", "BETWEEN"] }
    if known.isList { return ["CONTAINS"] + equality }
    return switch known.base {
    case .string: equality + texts + ["IN"] + order + ["BETWEEN"]
    case .int64, .double, .number, .timestamp: equality + order + ["BETWEEN", "IN"]
    case .reference: equality + ["IN"]
    case .bytes, .location, .asset: equality
    }
  }

  /// The beginnings of function calls.
  static let functions = [
    "abs(", "average(", "CAST(", "ceiling(", "date(", "distanceToLocation:fromLocation:(", "floor(",
    "length(", "location(", "lowercase(", "max(", "median(", "min(", "now()", "ref(", "sqrt(",
    "SUBQUERY(", "sum(", "TERNARY(", "uppercase(",
  ]

  /// Fields first; keywords, functions and keys of every record once a letter is typed.
  private func operands(_ word: String) throws -> [String] {
    let fields = try fields().filter { $0.hasPrefix(word) }
    if word.isEmpty { return fields }
    let keywords = ["NOT", "ANY", "ALL", "NONE", "SELF", "TRUEPREDICATE", "FALSEPREDICATE"]
    return fields + SystemKey.allCases.map(\.rawValue).filter { $0.hasPrefix(word) }
      + keywords.filter { $0.hasPrefix(word.uppercased()) }
      + Self.functions.filter { $0.hasPrefix(word) }
  }

  /// The fields of the records that a key path leads to.
  private func fields(after keys: [String]) throws -> [String] {
    let database = try context.database()
    let all = try schema()
    var types = try type().map { [$0] } ?? all
    for key in keys {
      var targets: [RecordType] = []
      for type in types {
        targets += try database.targetTypes(of: FieldName(key: key), in: type.name)
      }
      types = all.filter { targets.contains($0.name) }
    }
    var names: [String] = []
    for field in types.flatMap(\.fields) where !names.contains(field.name.text) {
      names.append(field.name.text)
    }
    return names
  }

  /// The most common values of the compared field, as literals.
  private func values(
    of path: [String]?, _ ending: PredicateEnding
  ) throws -> [String] {
    let words = ending.quote == nil ? ["nil", "TRUE", "FALSE", "ref(", "date(", "now()"] : []
    let others = ending.word.isEmpty ? [] : words.filter { $0.hasPrefix(ending.word) }
    guard let path, path.count == 1, let type = try type(), let field = type.field(path[0]) else {
      return others
    }
    let found = try values(of: field, in: type.name, beginningWith: ending.word)
    return found.compactMap { literal($0, ending.quote) } + others
  }

  private func literal(_ value: FieldValue, _ quote: Character?) -> String? {
    switch value {
    case .string(let text): literal(text, quote)
    case .int64, .double: quote == nil ? value.completionText : nil
    case .reference(let reference):
      quote == nil ? "ref(\(literal(reference.name.text, nil)))" : nil
    case .timestamp: quote == nil ? value.completionText.map { "date(\(literal($0, nil)))" } : nil
    case .bytes, .location, .asset, .list: nil
    }
  }

  /// Text as a string literal, whose opening quote may be typed already. Within the shell's single
  /// quotes, the literal has double ones.
  private func literal(_ text: String, _ open: Character?) -> String {
    let quote = open ?? (self.quote == "'" ? "\"" : "'")
    var escaped = ""
    for character in text {
      if character == quote || character == "\\" { escaped.append("\\") }
      escaped.append(character)
    }
    return (open == nil ? String(quote) : "") + escaped + String(quote)
  }
}
