internal import Basics

/// Goes through a value that has been read as a whole, as a binary property list is: it has no
/// places in a text.
struct ValueWalker: NotationWalker {
  private var value: JSONValue?

  /// Stands before a value.
  init(_ value: JSONValue) { self.value = value }

  /// Stands before the value of a binary property list. Throws `PropertyListError`.
  init(binaryPropertyList bytes: UnsafeRawBufferPointer) throws(PropertyListError) {
    var list = BinaryPropertyList(bytes)
    self.init(try list.read())
  }

  var offset: Int { 0 }

  var nextKind: NotationKind {
    switch value {
    case .object?: .object
    case .array?: .array
    case .null?, .bool?, .int?, .double?, .outOfRange?, .string?, nil: .other
    }
  }

  mutating func object(_ body: (inout ValueWalker, String, Int) throws -> Void) throws {
    guard case .object(let members)? = value else { throw unexpected("a dictionary") }
    for member in members {
      value = member.value
      try body(&self, member.name, 0)
    }
    value = nil
  }

  mutating func array(_ body: (inout ValueWalker) throws -> Void) throws {
    guard case .array(let items)? = value else { throw unexpected("an array") }
    for item in items {
      value = item
      try body(&self)
    }
    value = nil
  }

  mutating func take() throws -> JSONValue {
    guard let taken = value else { throw unexpected("a value") }
    value = nil
    return taken
  }

  func end() throws {}

  private func unexpected(_ expected: String) -> PropertyListError {
    PropertyListError("expected \(expected)", at: 0)
  }
}
