/// Reads the tags and texts of an XML document (XML 1.0). A document type is skipped with all that
/// it declares: only the five predefined entities and numbers of characters are known.
public struct XMLScanner {
  private let bytes: UnsafeRawBufferPointer
  /// The offset of the next byte.
  public private(set) var place = 0

  /// An opening tag.
  public struct Tag {
    /// The element's name.
    public var name: String
    /// The attributes, in the order of the text.
    public var attributes: [Attribute]
    /// Whether it closes itself.
    public var isEmpty: Bool
    /// The offset of its first byte.
    public var offset: Int

    /// Whether no attribute has a name. A few are compared one by one, many by their hashes.
    fileprivate func isNew(_ name: String, _ names: inout NamesMet?) -> Bool {
      if attributes.count < 16 { return self[name] == nil }
      if names == nil {
        names = NamesMet()
        for attribute in attributes { _ = names?.insert(attribute.name) }
      }
      return names?.insert(name) ?? true
    }

    /// The value of an attribute; nil for none.
    public subscript(attribute: String) -> String? {
      attributes.first { $0.name == attribute }?.value
    }
  }

  /// An attribute of a tag.
  public struct Attribute {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
    /// The offset of the name's first byte.
    public var offset: Int
  }

  /// Starts at the beginning of a text, which is UTF-8.
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
  }

  /// Whether nothing is left.
  public var isAtEnd: Bool { place >= bytes.count }

  private func starts(with text: StaticString) -> Bool {
    let end = place + text.utf8CodeUnitCount
    return end <= bytes.count
      && bytes[place..<end].elementsEqual(
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func skip(to end: StaticString, _ what: String) throws(XMLError) {
    let start = place
    while !isAtEnd {
      if starts(with: end) {
        place += end.utf8CodeUnitCount
        return
      }
      place += 1
    }
    throw XMLError("\(what) is not closed", at: start)
  }

  private mutating func skipBlanks() {
    while !isAtEnd, bytes[place].isXMLBlank { place += 1 }
  }

  /// Skips a comment or a processing instruction; returns false if neither follows.
  private mutating func skipRemark() throws(XMLError) -> Bool {
    if starts(with: "<!--") {
      try skip(to: "-->", "a comment")
    } else if starts(with: "<?") {
      try skip(to: "?>", "a processing instruction")
    } else {
      return false
    }
    return true
  }

  /// Skips blanks, comments and processing instructions. Throws `XMLError`.
  public mutating func skipMisc() throws(XMLError) {
    repeat { skipBlanks() } while try skipRemark()
  }

  /// Skips everything before the root. Throws `XMLError`.
  public mutating func skipProlog() throws(XMLError) {
    try skipMisc()
    guard starts(with: "<!DOCTYPE") else { return }
    let start = place
    var isInside = false
    while !isAtEnd {
      switch bytes[place] {
      case UInt8(ascii: "\""): try skipLiteral("\"")
      case UInt8(ascii: "'"): try skipLiteral("'")
      case UInt8(ascii: "["): isInside = true
      case UInt8(ascii: "]"): isInside = false
      case UInt8(ascii: ">") where !isInside:
        place += 1
        return try skipMisc()
      default: if try skipRemark() { continue }
      }
      place += 1
    }
    throw XMLError("the document type is not closed", at: start)
  }

  /// Skips a literal of the document type to its closing quote.
  private mutating func skipLiteral(_ quote: StaticString) throws(XMLError) {
    place += 1
    try skip(to: quote, "a literal in the document type")
    place -= 1
  }

  // MARK: Tags

  /// Takes an opening tag. Throws `XMLError`.
  public mutating func openingTag() throws(XMLError) -> Tag {
    let start = place
    guard !isAtEnd else { throw XMLError("expected a tag, but the text ends", at: place) }
    guard bytes[place] == UInt8(ascii: "<"), !starts(with: "</") else {
      throw XMLError(
        starts(with: "</") ? "expected a value before the closing tag" : "expected a tag",
        at: place)
    }
    place += 1
    let name = takeName()
    guard !name.isEmpty else { throw XMLError("a tag has no name", at: start) }
    var tag = Tag(name: name, attributes: [], isEmpty: false, offset: start)
    var names: NamesMet?
    while true {
      let hadBlank = !isAtEnd && bytes[place].isXMLBlank
      skipBlanks()
      guard !isAtEnd else { throw XMLError("<\(name) is not closed", at: start) }
      if bytes[place] == UInt8(ascii: ">") {
        place += 1
        return tag
      }
      if starts(with: "/>") {
        place += 2
        tag.isEmpty = true
        return tag
      }
      guard hadBlank else { throw XMLError("expected a blank before the attribute", at: place) }
      let attribute = try attribute()
      guard tag.isNew(attribute.name, &names) else {
        throw XMLError("the attribute '\(attribute.name)' appears twice", at: attribute.offset)
      }
      tag.attributes.append(attribute)
    }
  }

  private mutating func takeName() -> String {
    let start = place
    while !isAtEnd, !bytes[place].endsXMLName { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func attribute() throws(XMLError) -> Attribute {
    let start = place
    let name = takeName()
    skipBlanks()
    guard !name.isEmpty, !isAtEnd, bytes[place] == UInt8(ascii: "=") else {
      throw XMLError("expected an attribute, as in name=\"value\"", at: start)
    }
    place += 1
    skipBlanks()
    guard !isAtEnd, bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'") else {
      throw XMLError("the value of '\(name)' is not in quotes", at: start)
    }
    let quote = bytes[place]
    place += 1
    if let value = plainValue(endingWith: quote) {
      return Attribute(name: name, value: value, offset: start)
    }
    var value: [UInt8] = []
    while !isAtEnd, bytes[place] != quote {
      switch bytes[place] {
      case UInt8(ascii: "&"): value.append(contentsOf: String(try entity()).utf8)
      case UInt8(ascii: "<"):
        throw XMLError("the value of '\(name)' contains <, or is not closed", at: start)
      // XML 1.0, §3.3.3: each line end and tab becomes a blank.
      case 0x0D where place + 1 < bytes.count && bytes[place + 1] == 0x0A: place += 1
      case let byte:
        value.append(byte.isXMLBlank ? 0x20 : byte)
        place += 1
      }
    }
    guard !isAtEnd else { throw XMLError("the value of '\(name)' is not closed", at: start) }
    place += 1
    return Attribute(name: name, value: try checked(value, of: name, at: start), offset: start)
  }

  /// Takes an attribute's value if it is only ASCII without markup, as nearly all are.
  private mutating func plainValue(endingWith quote: UInt8) -> String? {
    var end = place
    while end < bytes.count, bytes[end] != quote {
      let byte = bytes[end]
      guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "&"), byte != UInt8(ascii: "<") else {
        return nil
      }
      end += 1
    }
    guard end < bytes.count else { return nil }
    defer { place = end + 1 }
    return String(decoding: bytes[place..<end], as: UTF8.self)
  }

  /// Whether the named closing tag follows, which is then taken. Throws `XMLError` for another
  /// closing tag, and at the end of the text.
  public mutating func closes(_ name: String) throws(XMLError) -> Bool {
    try skipMisc()
    guard !isAtEnd else { throw XMLError("<\(name)> is not closed", at: place) }
    guard starts(with: "</") else { return false }
    let start = place
    place += 2
    let found = takeName()
    skipBlanks()
    guard found == name, !isAtEnd, bytes[place] == UInt8(ascii: ">") else {
      throw XMLError("expected </\(name)>, found </\(found)>", at: start)
    }
    place += 1
    return true
  }

  // MARK: Texts

  /// Takes the text of an element with its closing tag. Throws `XMLError`.
  public mutating func content(of tag: Tag) throws(XMLError) -> String {
    var text: [UInt8] = []
    while !isAtEnd {
      let byte = bytes[place]
      if byte == UInt8(ascii: "&") {
        text.append(contentsOf: String(try entity()).utf8)
      } else if starts(with: "<![CDATA[") {
        place += 9
        let start = place
        try skip(to: "]]>", "a CDATA section")
        for index in start..<(place - 3) { append(index, to: &text) }
      } else if starts(with: "<!--") {
        try skip(to: "-->", "a comment")
      } else if byte == UInt8(ascii: "<") {
        guard try closes(tag.name) else {
          throw XMLError("<\(tag.name)> can contain only text", at: place)
        }
        return try checked(text, of: "<\(tag.name)>", at: tag.offset)
      } else {
        append(place, to: &text)
        place += 1
      }
    }
    throw XMLError("<\(tag.name)> is not closed", at: tag.offset)
  }

  /// Skips the text before the next tag, whatever it is. Throws `XMLError`.
  public mutating func skipText() throws(XMLError) {
    while !isAtEnd {
      if bytes[place] != UInt8(ascii: "<") {
        place += 1
      } else if starts(with: "<![CDATA[") {
        try skip(to: "]]>", "a CDATA section")
      } else if try !skipRemark() {
        return
      }
    }
  }

  /// Appends a byte; every line end becomes LF (XML 1.0, §2.11).
  private func append(_ index: Int, to text: inout [UInt8]) {
    guard bytes[index] == UInt8(ascii: "\r") else { return text.append(bytes[index]) }
    let isBeforeLF = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
    if !isBeforeLF { text.append(UInt8(ascii: "\n")) }
  }

  /// A text as a string. Throws for characters that XML forbids.
  private func checked(
    _ text: [UInt8], of what: String, at offset: Int
  ) throws(XMLError) -> String {
    let string = String(decoding: text, as: UTF8.self)
    guard string.unicodeScalars.allSatisfy(\.isXML) else {
      throw XMLError("\(what) contains a control character, which XML forbids", at: offset)
    }
    return string
  }

  private mutating func entity() throws(XMLError) -> Character {
    let start = place
    let end = bytes[place...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
    guard let end else { throw XMLError("& must be written as &amp;", at: start) }
    let name = String(decoding: bytes[(place + 1)..<end], as: UTF8.self)
    place = end + 1
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let number =
        name.hasPrefix("#x")
        ? UInt32(name.dropFirst(2), radix: 16)
        : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
      // UInt32 takes a sign, XML does not.
      guard let scalar = number.flatMap(Unicode.Scalar.init), scalar.isXML, !name.contains("+")
      else { throw XMLError("unknown entity &\(name);", at: start) }
      return Character(scalar)
    }
  }
}

/// An error in an XML text, with its position.
public struct XMLError: NotationError {
  /// The message, without a final period.
  public let message: String
  /// The position, in bytes from the beginning of the text.
  public let offset: Int

  /// Creates an error.
  public init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}

extension UInt8 {
  /// Whether XML ignores the byte between tags.
  fileprivate var isXMLBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

  fileprivate var endsXMLName: Bool {
    isXMLBlank || self == UInt8(ascii: "/") || self == UInt8(ascii: ">")
      || self == UInt8(ascii: "<") || self == UInt8(ascii: "=")
  }
}

extension Unicode.Scalar {
  /// Whether XML allows the character, also by its number (XML 1.0, §2.2 and §4.1).
  public var isXML: Bool {
    value >= 0x20 && value != 0xFFFE && value != 0xFFFF
      || self == "\t" || self == "\n" || self == "\r"
  }
}
