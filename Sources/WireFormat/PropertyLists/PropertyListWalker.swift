public import Basics
internal import CloudModel
internal import FieldCodecs

/// Walks an XML property list (Apple's PropertyList-1.0 DTD). Dates and data become what they are
/// in JSON: a text with its type.
///
/// Used because FoundationEssentials' decoder has no positions, and accepts duplicate keys.
public struct PropertyListWalker: NotationWalker {
  private var text: XMLScanner
  private var depth = 0
  private static let deepest = 128

  /// Starts before the value of a text. Throws `PropertyListError`.
  public init(walking bytes: UnsafeRawBufferPointer) throws {
    text = XMLScanner(bytes)
    if let offset = bytes.firstInvalidUTF8 {
      throw PropertyListError("the text is not UTF-8", at: offset)
    }
    try text.skipProlog()
    let tag = try text.openingTag()
    guard tag.name == "plist", !tag.isEmpty else {
      throw PropertyListError("expected <plist>", at: tag.offset)
    }
    try text.skipMisc()
  }

  /// The offset of the next value.
  public var offset: Int { text.place }

  /// The kind of the next value.
  public var nextKind: NotationKind {
    var ahead = text
    switch (try? ahead.openingTag())?.name {
    case "dict": return .object
    case "array": return .array
    default: return .other
    }
  }

  /// Takes a tag below the root, which has no attributes.
  private mutating func openingTag() throws -> XMLScanner.Tag {
    let tag = try text.openingTag()
    if let attribute = tag.attributes.first {
      throw PropertyListError("<\(tag.name)> takes no attributes", at: attribute.offset)
    }
    return tag
  }

  /// Walks a dictionary.
  public mutating func object(_ body: (inout Self, String, Int) throws -> Void) throws {
    try enter("dict") { walker in
      var names = NamesMet()
      while try !walker.text.closes("dict") {
        let tag = try walker.openingTag()
        guard tag.name == "key" else {
          throw PropertyListError("expected <key>", at: tag.offset)
        }
        let name = tag.isEmpty ? "" : try walker.text.content(of: tag)
        guard names.insert(name) else {
          throw PropertyListError("the key '\(name)' appears twice", at: tag.offset)
        }
        try walker.text.skipMisc()
        try body(&walker, name, tag.offset)
      }
    }
  }

  /// Walks an array.
  public mutating func array(_ body: (inout Self) throws -> Void) throws {
    try enter("array") { walker in
      while try !walker.text.closes("array") { try body(&walker) }
    }
  }

  private mutating func enter(_ name: String, _ work: (inout Self) throws -> Void) throws {
    let tag = try openingTag()
    guard tag.name == name else { throw PropertyListError("expected <\(name)>", at: tag.offset) }
    guard depth < Self.deepest else {
      throw PropertyListError("nested more than \(Self.deepest) levels deep", at: tag.offset)
    }
    depth += 1
    try text.skipMisc()
    if !tag.isEmpty { try work(&self) }
    depth -= 1
    try text.skipMisc()
  }

  /// Takes the next value as a whole.
  public mutating func take() throws -> JSONValue {
    switch nextKind {
    case .object:
      var members: [JSONMember] = []
      try object { walker, name, _ in
        let offset = walker.offset
        members.append(JSONMember(name, try walker.take(), offset: offset))
      }
      return .object(members)
    case .array:
      var items: [JSONValue] = []
      try array { items.append(try $0.take()) }
      return .typedList(items)
    case .other: return try single()
    }
  }

  /// Skips to the end of the text.
  public mutating func end() throws {
    guard try text.closes("plist") else {
      throw PropertyListError("expected </plist>", at: text.place)
    }
    try text.skipMisc()
    guard text.isAtEnd else {
      throw PropertyListError("unexpected text after </plist>", at: text.place)
    }
  }

  // MARK: Values

  /// Takes the next value as a key-value store's value: dates and data keep their types.
  mutating func value() throws -> PropertyListValue {
    switch nextKind {
    case .object:
      var members: [PropertyListValue.Member] = []
      try object { walker, name, _ in members.append(.init(name, try walker.value())) }
      return .dictionary(of: members)
    case .array:
      var items: [PropertyListValue] = []
      try array { items.append(try $0.value()) }
      return .array(items)
    case .other:
      let start = offset
      return try PropertyListValue(single: single(), at: start)
    }
  }

  private mutating func single() throws -> JSONValue {
    let tag = try openingTag()
    let known = ["string", "integer", "real", "true", "false", "date", "data"]
    guard known.contains(tag.name) else {
      throw PropertyListError(
        known.contains(tag.name.lowercased())
          ? "<\(tag.name)> must be lower-case" : "<\(tag.name)> is not a value",
        at: tag.offset)
    }
    let content = tag.isEmpty ? "" : try text.content(of: tag)
    try text.skipMisc()
    let word = String(content.trimmed)
    switch tag.name {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "integer": return try Self.integer(word, at: tag.offset)
    case "real":
      guard let number = Double(word) else {
        throw PropertyListError("'\(word)' is not a real number", at: tag.offset)
      }
      return .real(number)
    case "date":
      guard CivilTime.parse(word) != nil else {
        throw PropertyListError("'\(word)' is not a date", at: tag.offset)
      }
      return .typed(.string(word), "TIMESTAMP")
    case "data":
      let digits = String(decoding: content.utf8.filter { $0 > 0x20 }, as: UTF8.self)
      guard Base64.decode(digits) != nil else {
        throw PropertyListError("the data is not Base64", at: tag.offset)
      }
      return .typed(.string(digits), "BYTES")
    default: return .string(content)
    }
  }

  private static func integer(_ word: String, at offset: Int) throws -> JSONValue {
    if let number = Int64(word) { return .int(number) }
    if word.hasPrefix("0x"), let number = UInt64(word.dropFirst(2), radix: 16) {
      return .unsigned(number)
    }
    let digits = word.drop { $0 == "-" || $0 == "+" }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw PropertyListError("'\(word)' is not an integer", at: offset)
    }
    return .outOfRange(word.hasPrefix("+") ? String(word.dropFirst()) : word)
  }
}

/// An error in a property list, with its position.
public struct PropertyListError: NotationError {
  /// The message, without a final period.
  public let message: String
  /// The position, in bytes from the beginning of the text.
  public let offset: Int

  init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}

extension String {
  /// The text without surrounding blanks.
  fileprivate var trimmed: Substring {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return self[first...last]
  }
}

extension PropertyListValue {
  /// The value of an element of a property list that contains no others. Throws
  /// `PropertyListError` with the position for a number out of range.
  init(single json: JSONValue, at offset: Int) throws(PropertyListError) {
    let value: PropertyListValue? =
      if let type = json["type"]?.string, let text = json["value"]?.string {
        type == "TIMESTAMP"
          ? Timestamp(text).map { .date($0) } : Base64.decode(text).map { .data($0) }
      } else {
        PropertyListValue(plain: json)
      }
    guard let value else { throw PropertyListError("the number is out of range", at: offset) }
    self = value
  }
}

extension JSONValue {
  /// An integer without a sign.
  static func unsigned(_ number: UInt64) -> JSONValue {
    Int64(exactly: number).map { .int($0) } ?? .outOfRange(String(number))
  }

  /// A real number, which JSON writes only if it is finite.
  static func real(_ number: Double) -> JSONValue {
    number.isFinite ? .double(number) : .outOfRange("1e999")
  }

  /// A value with its type, for types that plain JSON cannot write.
  static func typed(_ value: JSONValue, _ type: String) -> JSONValue {
    .object([JSONMember("value", value), JSONMember("type", .string(type))])
  }

  /// A list; if its values all have the same type, a list of that type.
  static func typedList(_ items: [JSONValue]) -> JSONValue {
    guard let type = items.first?["type"]?.string, items.first?["value"] != nil,
      items.allSatisfy({ $0["type"]?.string == type && $0["value"] != nil })
    else { return .array(items) }
    return typed(.array(items.compactMap { $0["value"] }), "LIST<\(type)>")
  }
}
