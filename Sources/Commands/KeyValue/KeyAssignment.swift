internal import Basics
internal import CloudModel
internal import CommandKit
internal import FieldCodecs

/// A key and its value as typed: `name=text`, `level:=13`, `when:timestamp=…`, `blob:bytes@FILE`.
struct KeyAssignment: Sendable {
  /// The word as typed.
  let word: String
  let key: String
  let source: Source

  /// The part after the key.
  enum Source: Sendable {
    /// `=text`, whose type `--type` may set.
    case text(String)
    /// `:=json`.
    case json(String)
    /// `:type=text`.
    case typed(PropertyListValue.Kind, String)
    /// `:data@file`.
    case file(String)
    /// A key alone; `--file` gives its value.
    case none
    /// `:type=` with an unknown type.
    case unknown(String)
  }

  /// Parses a word. The key ends before the type, or else before the first `=`.
  init(_ word: String) {
    self.word = word
    let scalars = word.unicodeScalars
    let mark = scalars.firstIndex(of: "=") ?? scalars.endIndex
    let head = String(scalars[..<mark])
    for type in [":data@", ":bytes@"] {
      guard let place = scalars[..<mark].firstRange(of: type.unicodeScalars) else { continue }
      key = String(scalars[..<place.lowerBound])
      source = .file(String(scalars[place.upperBound...]))
      return
    }
    guard mark < scalars.endIndex else {
      (key, source) = (word, .none)
      return
    }
    let after = String(scalars[scalars.index(after: mark)...])
    let colon = head.unicodeScalars.lastIndex(of: ":")
    let type = colon.map { String(head.unicodeScalars[head.unicodeScalars.index(after: $0)...]) }
    // A key may contain a colon; a type has only identifier characters.
    guard let colon, let type, type.utf8.allSatisfy(\.isIdentifierByte) else {
      (key, source) = (head, .text(after))
      return
    }
    key = String(head.unicodeScalars[..<colon])
    if type.isEmpty {
      source = .json(after)
    } else if let kind = PropertyListValue.Kind(typed: type) {
      source = .typed(kind, after)
    } else {
      source = .unknown(type)
    }
  }

  /// The value; nil for `null`, which removes the key. `kind` is the type of texts that name none.
  /// Throws `CommandError`.
  func value(_ kind: PropertyListValue.Kind?, _ context: Context) throws -> PropertyListValue? {
    switch source {
    case .none:
      throw CommandError(
        "the key '\(key.visible)' has no value", .usage,
        hint: "write KEY=TEXT, KEY:=JSON, KEY:TYPE=VALUE or KEY:data@FILE")
    case .unknown(let name): throw CommandError.unknownKind(name)
    case .text(let text): return try Self.read(text, kind ?? .string, key)
    case .typed(let kind, let text): return try Self.read(text, kind, key)
    case .json(let text): return try Self.read(json: text, key)
    case .file(let path): return .data(try Self.contents(of: path, context))
    }
  }

  static func contents(of path: String, _ context: Context) throws -> [UInt8] {
    try path == "-"
      ? FileSystem.contents(of: context.surroundings.input) : FileSystem.contents(of: path)
  }

  private static func read(json text: String, _ key: String) throws -> PropertyListValue? {
    let json: JSONValue
    do { json = try JSONParser.parse(text) } catch {
      throw CommandError("the value of '\(key.visible)' is not valid JSON: \(error.message)", .data)
    }
    if json == .null { return nil }
    guard let value = PropertyListValue(plain: json) else {
      throw CommandError(
        "the value of '\(key.visible)' contains null or a number out of range", .data,
        hint: "values are strings, numbers, true, false, dates, data, arrays and dictionaries")
    }
    return value
  }

  /// Parses text as a type.
  static func read(
    _ text: String, _ kind: PropertyListValue.Kind, _ key: String
  ) throws -> PropertyListValue {
    let value: PropertyListValue? =
      switch kind {
      case .string: .string(text)
      case .integer: Int64(text).map { .integer($0) } ?? UInt64(text).map { .unsigned($0) }
      case .double: Double(text).flatMap { $0.isFinite ? .double($0) : nil }
      case .bool: ["true": true, "false": false, "1": true, "0": false][text].map { .bool($0) }
      case .date: Timestamp(text).map { .date($0) }
      case .data: Base64.decode(text).map { .data($0) }
      case .array, .dictionary: try read(json: text, key).flatMap { $0.kind == kind ? $0 : nil }
      }
    guard let value else {
      throw CommandError(
        "the value of '\(key.visible)' is not a valid \(kind.rawValue): '\(text.visible)'",
        .data)
    }
    return value
  }
}

extension CommandError {
  fileprivate static func unknownKind(_ name: String) -> CommandError {
    let error = ValueError.unknownKind(name)
    return CommandError(error.message, .usage, hint: error.hint)
  }
}

extension ValueError {
  fileprivate static func unknownKind(_ name: String) -> ValueError {
    let words = PropertyListValue.Kind.allCases.map(\.rawValue)
    let nearest = Suggestion.nearest(to: name, among: words)
    return ValueError(
      "unknown type '\(name.visible)'",
      hint: nearest.map { "did you mean \($0)?" } ?? "types are \(words.joined(separator: ", "))")
  }
}

extension ValueKind where Value == PropertyListValue.Kind {
  /// The type of a property list value.
  static let propertyType = ValueKind<PropertyListValue.Kind>(
    "TYPE",
    candidates: .words(["string", "int", "double", "bool", "date", "data", "array", "dictionary"])
  ) { (word) throws(ValueError) in
    guard let kind = PropertyListValue.Kind(typed: word) else { throw .unknownKind(word) }
    return kind
  }
}

extension ValueKind where Value == KeyAssignment {
  /// A key with a value.
  static let keyAssignment = ValueKind<KeyAssignment>(
    "KEY=VALUE", candidates: .question("keyAssignments")
  ) { (word) throws(ValueError) in KeyAssignment(word) }
}
