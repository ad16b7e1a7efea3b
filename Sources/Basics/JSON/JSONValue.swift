/// A JSON value with exact integers and ordered objects.
public enum JSONValue: Sendable, Equatable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number written without fraction and exponent.
  case int(Int64)
  /// A number written with a fraction or an exponent; always finite.
  case double(Double)
  /// The text of a number that fits neither.
  case outOfRange(String)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, members in the order of the text.
  case object([JSONMember])

  /// The kind of value, for messages: "a string".
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .int: "an integer"
    case .double: "a number"
    case .outOfRange: "a number out of range"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// The value of a member; nil if this is not an object or has no such member.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { utf8Equal($0.name, name) }?.value
  }

  /// The members of an array.
  public var array: [JSONValue]? {
    if case .array(let members) = self { members } else { nil }
  }

  /// The text of a string value.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }
}

/// A member of a JSON object.
public struct JSONMember: Sendable, Equatable {
  /// The member's name.
  public var name: String
  /// The member's value.
  public var value: JSONValue
  /// The offset of the value, in bytes from the beginning of the parsed text.
  public var offset: Int

  /// Creates a member; `offset` matters only if it came from a text.
  public init(_ name: String, _ value: JSONValue, offset: Int = 0) {
    self.name = name
    self.value = value
    self.offset = offset
  }
}

/// An error in a JSON text, with its position.
public struct JSONError: NotationError, Sendable, Equatable {
  /// The message, without a final period.
  public let message: String
  /// The position, in bytes from the beginning of the parsed text.
  public let offset: Int

  /// Creates an error at an offset.
  public init(_ message: String, at offset: Int) {
    self.message = message
    self.offset = offset
  }
}

extension JSONValue {
  /// The number, as a real number.
  public var number: Double? {
    switch self {
    case .int(let number): Double(number)
    case .double(let number): number
    case .null, .bool, .outOfRange, .string, .array, .object: nil
    }
  }
}
