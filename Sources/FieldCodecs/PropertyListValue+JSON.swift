public import Basics
public import CloudModel

// Values of the key-value store as JSON: plain, as users write them, or tagged with the type of
// each value, which loses nothing.
extension PropertyListValue {
  /// Converts plain JSON; an object becomes a dictionary. Nil for values that property lists do not
  /// have: null, and numbers that fit neither 64 bits nor a double.
  public init?(plain json: JSONValue) {
    switch json {
    case .null: return nil
    case .outOfRange(let text):
      guard let number = UInt64(text) else { return nil }
      self = .unsigned(number)
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .integer(value)
    case .double(let value): self = .double(value)
    case .string(let text): self = .string(text)
    case .array(let items):
      let values = items.compactMap { PropertyListValue(plain: $0) }
      guard values.count == items.count else { return nil }
      self = .array(values)
    case .object(let members):
      let values = members.compactMap { member in
        PropertyListValue(plain: member.value).map { Member(member.name, $0) }
      }
      guard values.count == members.count else { return nil }
      self = .dictionary(of: values)
    }
  }

  /// The value as plain JSON: a date as ISO 8601, data as Base64.
  public var plain: JSONValue {
    switch self {
    case .string(let text): .string(text)
    case .integer(let value): .int(value)
    case .unsigned(let value): .outOfRange(String(value))
    case .double(let value): .double(value)
    case .bool(let value): .bool(value)
    case .date(let value): .string(value.text)
    case .data(let bytes): .string(Base64.encode(bytes))
    case .array(let items): .array(items.map(\.plain))
    case .dictionary(let members): .object(members.map { JSONMember($0.key, $0.value.plain) })
    }
  }

  /// The value with its type: `{"integer":1}`, `{"array":[{"string":"a"}]}`.
  public var tagged: JSONValue {
    let value: JSONValue =
      switch self {
      case .array(let items): .array(items.map(\.tagged))
      case .dictionary(let members):
        .object(members.map { JSONMember($0.key, $0.value.tagged) })
      case .string, .integer, .unsigned, .double, .bool, .date, .data: plain
      }
    return .object([JSONMember(kind.rawValue, value)])
  }

  /// Reads a value with its type. Throws `ValueReadingError` for anything else.
  public init(tagged json: JSONValue) throws(ValueReadingError) {
    guard case .object(let members) = json, members.count == 1, let member = members.first,
      let kind = Kind(rawValue: member.name)
    else {
      let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValueReadingError("expected an object with one member: \(kinds)")
    }
    switch (kind, member.value) {
    case (.array, .array(let items)):
      var values: [PropertyListValue] = []
      for item in items { values.append(try PropertyListValue(tagged: item)) }
      self = .array(values)
    case (.dictionary, .object(let members)):
      var values: [Member] = []
      for member in members {
        values.append(Member(member.name, try PropertyListValue(tagged: member.value)))
      }
      self = .dictionary(of: values)
    case (.double, .int(let number)): self = .double(Double(number))
    case (.date, .string(let text)):
      guard Int64(text) == nil, let time = Timestamp(text) else {
        throw ValueReadingError("'\(text.visible)' is not a date")
      }
      self = .date(time)
    case (.data, .string(let text)):
      guard let bytes = Base64.decode(text) else {
        throw ValueReadingError("the data is not Base64")
      }
      self = .data(bytes)
    case (_, let value):
      guard let plain = PropertyListValue(plain: value), plain.kind == kind else {
        throw ValueReadingError("expected the type \(kind.rawValue), found \(value.kind)")
      }
      self = plain
    }
  }
}
