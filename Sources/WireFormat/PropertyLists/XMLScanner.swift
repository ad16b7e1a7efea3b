internal import Basics

/// Reads the tags and texts of XML as far as property lists need it: attributes only on the root,
/// only the five predefined and numeric entities, no declarations inside the document type.
struct XMLScanner {
  private let bytes: UnsafeRawBufferPointer
  private(set) var place = 0

  /// An opening tag.
  struct Tag {
    var name: String
    /// Whether it closes itself.
    var isEmpty: Bool
    /// The position where it begins.
    var offset: Int
  }

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { place >= bytes.count }

  private func starts(with text: StaticString) -> Bool {
    let end = place + text.utf8CodeUnitCount
    return end <= bytes.count
      && bytes[place..<end].elementsEqual(
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func skip(to end: StaticString, _ what: String) throws {
    let start = place
    while !isAtEnd {
      if starts(with: end) {
        place += end.utf8CodeUnitCount
        return
      }
      place += 1
    }
    throw PropertyListError("\(what) is not closed", at: start)
  }

  /// Skips blanks, comments and processing instructions.
  mutating func skipMisc() throws {
    while !isAtEnd {
      switch bytes[place] {
      case 0x20, 0x09, 0x0A, 0x0D: place += 1
      default:
        if starts(with: "<!--") {
          try skip(to: "-->", "a comment")
        } else if starts(with: "<?") {
          try skip(to: "?>", "a processing instruction")
        } else {
          return
        }
      }
    }
  }

  /// Skips everything before the root.
  mutating func skipProlog() throws {
    try skipMisc()
    guard starts(with: "<!DOCTYPE") else { return }
    let start = place
    while !isAtEnd, bytes[place] != UInt8(ascii: ">") {
      if bytes[place] == UInt8(ascii: "[") {
        throw PropertyListError("declarations in the document type are not supported", at: place)
      }
      place += 1
    }
    if isAtEnd { throw PropertyListError("the document type is not closed", at: start) }
    place += 1
    try skipMisc()
  }

  // MARK: Tags

  /// Takes an opening tag. Throws `PropertyListError`.
  mutating func openingTag() throws -> Tag {
    let start = place
    guard !isAtEnd else { throw PropertyListError("expected a tag, but the text ends", at: place) }
    guard bytes[place] == UInt8(ascii: "<"), !starts(with: "</") else {
      throw PropertyListError(
        starts(with: "</") ? "expected a value before the closing tag" : "expected a tag",
        at: place)
    }
    place += 1
    let name = takeName()
    guard !name.isEmpty else { throw PropertyListError("a tag has no name", at: start) }
    let attributes = place
    while !isAtEnd, bytes[place] != UInt8(ascii: ">") { place += 1 }
    guard !isAtEnd else { throw PropertyListError("<\(name) is not closed", at: start) }
    let isEmpty = place > attributes && bytes[place - 1] == UInt8(ascii: "/")
    let rest = bytes[attributes..<(isEmpty ? place - 1 : place)]
    guard name == "plist" || rest.allSatisfy({ $0 <= 0x20 }) else {
      throw PropertyListError("<\(name)> takes no attributes", at: attributes)
    }
    place += 1
    return Tag(name: name, isEmpty: isEmpty, offset: start)
  }

  private mutating func takeName() -> String {
    let start = place
    while !isAtEnd, !" \t\n\r/><".utf8.contains(bytes[place]) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  /// Whether the named closing tag follows, which is then taken. Throws `PropertyListError` for
  /// another closing tag, and at the end of the text.
  mutating func closes(_ name: String) throws -> Bool {
    try skipMisc()
    guard !isAtEnd else { throw PropertyListError("<\(name)> is not closed", at: place) }
    guard starts(with: "</") else { return false }
    let start = place
    place += 2
    let found = takeName()
    while !isAtEnd, bytes[place] <= 0x20 { place += 1 }
    guard found == name, !isAtEnd, bytes[place] == UInt8(ascii: ">") else {
      throw PropertyListError("expected </\(name)>, found </\(found)>", at: start)
    }
    place += 1
    return true
  }

  // MARK: Texts

  /// Takes the text of an element with its closing tag. Throws `PropertyListError`.
  mutating func content(of tag: Tag) throws -> String {
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
          throw PropertyListError("<\(tag.name)> can contain only text", at: place)
        }
        let string = String(decoding: text, as: UTF8.self)
        guard string.unicodeScalars.allSatisfy(\.isXML) else {
          throw PropertyListError(
            "<\(tag.name)> contains a control character, which XML forbids", at: tag.offset)
        }
        return string
      } else {
        append(place, to: &text)
        place += 1
      }
    }
    throw PropertyListError("<\(tag.name)> is not closed", at: tag.offset)
  }

  /// Appends a byte; every line end becomes LF (XML 1.0, §2.11).
  private func append(_ index: Int, to text: inout [UInt8]) {
    guard bytes[index] == UInt8(ascii: "\r") else { return text.append(bytes[index]) }
    let isBeforeLF = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
    if !isBeforeLF { text.append(UInt8(ascii: "\n")) }
  }

  private mutating func entity() throws -> Character {
    let start = place
    let end = bytes[place...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
    guard let end else { throw PropertyListError("& must be written as &amp;", at: start) }
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
      else { throw PropertyListError("unknown entity &\(name);", at: start) }
      return Character(scalar)
    }
  }
}

extension Unicode.Scalar {
  /// Whether XML allows the character, also by its number (XML 1.0, §2.2 and §4.1).
  var isXML: Bool {
    value >= 0x20 && value != 0xFFFE && value != 0xFFFF
      || self == "\t" || self == "\n" || self == "\r"
  }
}
