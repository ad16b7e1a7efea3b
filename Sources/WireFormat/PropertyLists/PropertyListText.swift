internal import Basics
public import CloudModel

/// Values of the key-value store as an XML property list (Apple's PropertyList-1.0 DTD).
public struct PropertyListText {
  /// The text.
  public let text: String
  /// How many dates lost their fractions of a second, which property lists do not have.
  public let roundedDates: Int

  /// Writes a property list with a dictionary. Throws `PlacedValueError` for characters that XML
  /// does not allow.
  public init(_ values: [PropertyListValue.Member]) throws(PlacedValueError) {
    var writer = Writer()
    for member in values {
      guard member.key.isXML, member.value.isXML else {
        throw PlacedValueError(
          message: "\(member.key.visible): XML cannot contain control characters", offset: 0)
      }
    }
    writer.append(.dictionary(values), depth: 0)
    roundedDates = writer.roundedDates
    text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      \(writer.text)</plist>

      """
  }

  /// Whether bytes are a property list, XML or binary.
  public static func isOne(_ bytes: [UInt8]) -> Bool {
    bytes.first { $0 > 0x20 } == UInt8(ascii: "<")
      || bytes.withUnsafeBytes { BinaryPropertyList.isOne($0) }
  }

  /// Reads the members of the dictionary in a property list, XML or binary, keeping their types.
  /// Throws `PropertyListError`.
  public static func values(_ bytes: [UInt8]) throws -> [PropertyListValue.Member] {
    let (value, start) = try bytes.withUnsafeBytes { bytes in
      if BinaryPropertyList.isOne(bytes) {
        var list = BinaryPropertyList(bytes)
        return (try list.value(), 0)
      }
      var walker = try PropertyListWalker(walking: bytes)
      let start = walker.offset
      let value = try walker.value()
      try walker.end()
      return (value, start)
    }
    guard case .dictionary(let members) = value else {
      throw PropertyListError("expected a dictionary of keys", at: start)
    }
    return syncedPreferences(members) ?? members
  }

  /// The keys in a file of `~/Library/SyncedPreferences`, where macOS keeps key-value stores: each
  /// member of its dictionary `values` has a `value`, unless it was removed, and `changecount` or
  /// `version` is beside it. Nil for other members. Apple does not document it; public readers of
  /// Finder's and Safari's files show it.
  private static func syncedPreferences(
    _ members: [PropertyListValue.Member]
  ) -> [PropertyListValue.Member]? {
    guard case .dictionary(let keys)? = members.first(where: { $0.key == "values" })?.value,
      members.contains(where: { ["changecount", "version"].contains($0.key) }),
      members.allSatisfy({ $0.key == "values" || !$0.value.hasMembers })
    else { return nil }
    var values: [PropertyListValue.Member] = []
    for key in keys {
      guard case .dictionary(let parts) = key.value else { return nil }
      if let value = parts.first(where: { $0.key == "value" })?.value {
        values.append(PropertyListValue.Member(key.key, value))
      }
    }
    return values
  }

  /// Writes elements, indented by two spaces per level.
  private struct Writer {
    var text = ""
    var roundedDates = 0

    mutating func append(_ value: PropertyListValue, depth: Int) {
      switch value {
      case .string(let text): element("string", text.escaped, depth)
      case .integer(let number): element("integer", String(number), depth)
      case .unsigned(let number): element("integer", String(number), depth)
      case .double(let number): element("real", String(number), depth)
      case .bool(let isTrue): line(isTrue ? "<true/>" : "<false/>", depth)
      case .date(let time):
        if time.milliseconds % 1000 != 0 { roundedDates += 1 }
        element("date", time.text.dropLast(5) + "Z", depth)
      case .data(let bytes): element("data", Base64.encode(bytes), depth)
      case .array(let items):
        line("<array>", depth)
        for item in items { append(item, depth: depth + 1) }
        line("</array>", depth)
      case .dictionary(let members):
        line("<dict>", depth)
        for member in members {
          element("key", member.key.escaped, depth + 1)
          append(member.value, depth: depth + 1)
        }
        line("</dict>", depth)
      }
    }

    private mutating func element(_ name: String, _ content: String, _ depth: Int) {
      line("<\(name)>\(content)</\(name)>", depth)
    }

    private mutating func line(_ line: String, _ depth: Int) {
      text += String(repeating: "  ", count: depth) + line + "\n"
    }
  }
}

extension PropertyListValue {
  /// Whether it is an array or a dictionary.
  fileprivate var hasMembers: Bool { kind == .array || kind == .dictionary }

  /// Whether XML allows all its characters.
  fileprivate var isXML: Bool {
    switch self {
    case .string(let text): text.isXML
    case .array(let items): items.allSatisfy(\.isXML)
    case .dictionary(let members): members.allSatisfy { $0.key.isXML && $0.value.isXML }
    case .integer, .unsigned, .double, .bool, .date, .data: true
    }
  }
}

extension String {
  /// Whether XML allows all its characters.
  fileprivate var isXML: Bool { unicodeScalars.allSatisfy(\.isXML) }

  /// The text between tags; a carriage return is escaped, or it would be read as a line end.
  fileprivate var escaped: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\r": text += "&#13;"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
