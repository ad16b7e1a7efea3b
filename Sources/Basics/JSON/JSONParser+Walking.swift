extension JSONParser: NotationWalker {
  /// The offset of the next value.
  public var offset: Int { place }

  /// The kind of the next value.
  public var nextKind: NotationKind {
    switch current {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    default: .other
    }
  }

  /// Walks an object.
  public mutating func object(_ body: (inout Self, String, Int) throws -> Void) throws {
    guard try opens(UInt8(ascii: "{"), UInt8(ascii: "}")) else { return }
    var names = NamesMet()
    repeat {
      let start = place
      let name = try memberName()
      guard names.insert(name) else { throw Self.twice(name, at: start) }
      try body(&self, name, start)
    } while try !endOfItem(UInt8(ascii: "}"), "\",\" or \"}\"")
    depth -= 1
  }

  /// Walks an array.
  public mutating func array(_ body: (inout Self) throws -> Void) throws {
    guard try opens(UInt8(ascii: "["), UInt8(ascii: "]")) else { return }
    repeat {
      try body(&self)
    } while try !endOfItem(UInt8(ascii: "]"), "\",\" or \"]\"")
    depth -= 1
  }

  /// Takes the next value as a whole.
  public mutating func take() throws -> JSONValue { try value() }

  /// Skips the next value, which must be valid; duplicate names in it are not noticed.
  public mutating func skip() throws(JSONError) {
    switch current {
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "{"):
      guard try opens(UInt8(ascii: "{"), UInt8(ascii: "}")) else { return }
      repeat {
        guard current == UInt8(ascii: "\"") else { throw unexpected("a name in quotes") }
        try skipString()
        skipBlanks()
        guard current == UInt8(ascii: ":") else { throw unexpected("\":\"") }
        place += 1
        skipBlanks()
        try skip()
      } while try !endOfItem(UInt8(ascii: "}"), "\",\" or \"}\"")
      depth -= 1
    case UInt8(ascii: "["):
      guard try opens(UInt8(ascii: "["), UInt8(ascii: "]")) else { return }
      repeat { try skip() } while try !endOfItem(UInt8(ascii: "]"), "\",\" or \"]\"")
      depth -= 1
    default: _ = try value()
    }
  }

  /// Skips to the end of the text.
  public mutating func end() throws {
    skipBlanks()
    guard place == bytes.count else { throw unexpected("the end of the text") }
  }

  /// Skips an opening bracket; returns false if the closing one follows immediately.
  private mutating func opens(_ open: UInt8, _ close: UInt8) throws(JSONError) -> Bool {
    guard current == open else { throw unexpected("\"\(Unicode.Scalar(open))\"") }
    guard depth < Self.deepest else { throw tooDeep }
    place += 1
    skipBlanks()
    guard current != close else {
      place += 1
      return false
    }
    depth += 1
    return true
  }
}
