/// Walks a text that contains one value, with the offset of each part: JSON and property lists look
/// the same through it.
public protocol NotationWalker {
  /// The offset of the next value, in bytes from the beginning of the text.
  var offset: Int { get }
  /// The kind of the next value, judging by its first characters.
  var nextKind: NotationKind { get }
  /// Walks an object: `body` gets each member's name and its offset, and takes the value. Throws
  /// what `body` throws, and `NotationError`.
  mutating func object(_ body: (inout Self, String, Int) throws -> Void) throws
  /// Walks an array: `body` takes each value. Throws as `object`.
  mutating func array(_ body: (inout Self) throws -> Void) throws
  /// Takes the next value as a whole. Throws `NotationError`.
  mutating func take() throws -> JSONValue
  /// Skips to the end; nothing may follow the value. Throws `NotationError`.
  mutating func end() throws
}

/// The kind of a value.
public enum NotationKind: Sendable {
  case object
  case array
  /// A string, a number or another single value; or an invalid one.
  case other
}

/// An error in a text, with its position.
public protocol NotationError: Error {
  /// The message, without a final period.
  var message: String { get }
  /// The position, in bytes from the beginning of the text.
  var offset: Int { get }
}
