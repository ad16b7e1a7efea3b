internal import Basics

/// The schema of a container in one environment: what a schema file says.
public struct Schema: Sendable, Equatable {
  /// The roles of the app, in the byte order of their names.
  public var roles: [SecurityRole]
  /// The record types, in the byte order of their names.
  public var types: [RecordTypeSchema]

  /// Puts a schema together; both lists are brought into order.
  public init(roles: [SecurityRole] = [], types: [RecordTypeSchema] = []) {
    self.roles = roles.sorted { utf8Precedes($0.name, $1.name) }
    self.types = types.sorted { utf8Precedes($0.name.text, $1.name.text) }
  }

  /// The type of a name.
  public func type(_ name: String) -> RecordTypeSchema? {
    types.first { $0.name.text == name }
  }
}
