/// Goes through a text that notes one value, and gives the place of each part: JSON and
/// property lists look the same through it.
public protocol NotationWalker {
  /// Where the next value begins, in bytes from the beginning of the text.
  var offset: Int { get }
  /// What the next value is, as far as its first characters tell.
  var nextKind: NotationKind { get }
  /// Goes through an object: `body` gets each member's name and its place, and takes the
  /// value. Throws what `body` throws, and `NotationError`.
  mutating func object(_ body: (inout Self, String, Int) throws -> Void) throws
  /// Goes through an array: `body` takes each value. Throws as `object`.
  mutating func array(_ body: (inout Self) throws -> Void) throws
  /// Takes the next value as a whole. Throws `NotationError`.
  mutating func take() throws -> JSONValue
  /// Goes to the end, after which nothing may appear. Throws `NotationError`.
  mutating func end() throws
}

/// What a value is.
public enum NotationKind: Sendable {
  case object
  case array
  /// A text, a number or another single value; or something that is none.
  case other
}

/// What is wrong with a text, and where.
public protocol NotationError: Error {
  /// What is wrong, as a sentence without its end.
  var message: String { get }
  /// Where, in bytes from the beginning of the text.
  var offset: Int { get }
}
