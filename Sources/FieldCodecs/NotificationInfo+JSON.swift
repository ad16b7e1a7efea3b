public import Basics
public import CloudModel

extension NotificationInfo {
  /// The properties that are set, as JSON with the names on the wire (web-services.md, §4).
  public var json: JSONValue {
    var members: [JSONMember] = []
    for property in Self.texts {
      if let text = self[keyPath: property.path] {
        members.append(JSONMember(property.name, .string(text)))
      }
    }
    for property in Self.fieldLists where !self[keyPath: property.path].isEmpty {
      members.append(
        JSONMember(property.name, .array(self[keyPath: property.path].map { .string($0.text) })))
    }
    for property in Self.switches where self[keyPath: property.path] {
      members.append(JSONMember(property.name, .bool(true)))
    }
    return .object(members)
  }

  /// Reads the output of `json`; ignores everything else.
  public init(json value: JSONValue) {
    self.init()
    for property in Self.texts { self[keyPath: property.path] = value[property.name]?.string }
    for property in Self.fieldLists {
      self[keyPath: property.path] = (value[property.name]?.array ?? []).compactMap(\.string).map {
        FieldName(stored: $0)
      }
    }
    for property in Self.switches {
      self[keyPath: property.path] = value[property.name] == .bool(true)
    }
  }
}
