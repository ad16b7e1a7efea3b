internal import Basics

/// The schema of a container in one environment: the contents of a schema file.
public struct Schema: Sendable, Equatable {
  /// The roles of the app, in byte order of their names.
  public var roles: [SecurityRole]
  /// The record types, in byte order of their names.
  public var types: [RecordTypeSchema]

  /// Creates a schema; sorts both lists.
  public init(roles: [SecurityRole] = [], types: [RecordTypeSchema] = []) {
    self.roles = roles.sorted { utf8Precedes($0.name, $1.name) }
    self.types = types.sorted { utf8Precedes($0.name.text, $1.name.text) }
  }

  /// Adds the types and fields of another schema that this one lacks.
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

  /// The type with a name.
  public func type(_ name: String) -> RecordTypeSchema? {
    types.first { $0.name.text == name }
  }
}
