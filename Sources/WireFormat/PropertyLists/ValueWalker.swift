internal import Basics

/// Walks a value that was read completely, such as a binary property list. It has no positions.
struct ValueWalker: NotationWalker {
  private var value: JSONValue?

  /// Starts at a value.
  init(_ value: JSONValue) { self.value = value }

  /// Starts at the value of a binary property list.
  init(binaryPropertyList bytes: UnsafeRawBufferPointer) throws(PropertyListError) {
    var list = BinaryPropertyList(bytes)
    self.init(try list.json())
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
