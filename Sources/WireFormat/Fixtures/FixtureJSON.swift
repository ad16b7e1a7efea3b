internal import Basics
internal import CloudModel

/// Reads and writes the JSON of fixture entries. Errors are `invalidArguments`.
enum FixtureJSON {
  static func members(
    _ json: JSONValue, _ what: String
  ) throws(CloudError) -> [JSONMember] {
    if case .object(let members) = json { return members }
    throw fault("\(what) must be an object, not \(json.kind)")
  }

  static func text(_ json: JSONValue, _ key: String) throws(CloudError) -> String {
    if case .string(let text) = json { return text }
    throw fault("'\(key)' must be a string, not \(json.kind)")
  }

  static func bool(_ json: JSONValue, _ key: String) throws(CloudError) -> Bool {
    if case .bool(let value) = json { return value }
    throw fault("'\(key)' must be true or false, not \(json.kind)")
  }

  static func texts(_ json: JSONValue, _ key: String) throws(CloudError) -> [String] {
    guard case .array(let items) = json else { return [try text(json, key)] }
    return try items.map { (item) throws(CloudError) -> String in try text(item, key) }
  }

  static func fault(_ message: String) -> CloudError { CloudError(.invalidArguments, message) }

  static func unknown(_ key: String, _ what: String, _ known: [String]) -> CloudError {
    CloudError(
      .invalidArguments, "unknown key '\(key.visible)' in \(what)",
      remedy: .nearest(to: key, among: known))
  }

  static func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
