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

  /// Adds the types and fields that another schema has beyond this one.
  public mutating func formUnion(_ other: Schema) {
    for type in other.types {
      guard let place = types.firstIndex(where: { $0.name.text == type.name.text }) else {
        types.append(type)
        continue
      }
      let names = Set(types[place].fields.map(\.name.text))
      types[place].fields += type.fields.filter { !names.contains($0.name.text) }
      types[place].fields.sort { utf8Precedes($0.name.text, $1.name.text) }
    }
    types.sort { utf8Precedes($0.name.text, $1.name.text) }
  }

  /// The type of a name.
  public func type(_ name: String) -> RecordTypeSchema? {
    types.first { $0.name.text == name }
  }
}
