internal import Basics
internal import Foundation

/// The JSON files of the service (`CKDB_CONFORMANCE`).
enum Conformance {
  /// The paths of a folder's files; none without the folder.
  static func files(_ folder: String) -> [String] {
    guard let root = ProcessInfo.processInfo.environment["CKDB_CONFORMANCE"] else { return [] }
    let path = "\(root)/\(folder)"
    let names = try? FileSystem.list(path).filter { $0.hasSuffix(".json") }.sorted()
    return (names ?? []).map { "\(path)/\($0)" }
  }

  /// The JSON of a file.
  static func json(of path: String) throws -> JSONValue {
    try parse(FileSystem.contents(of: path))
  }

  /// The JSON of a text.
  static func parse(_ bytes: [UInt8]) throws -> JSONValue {
    try bytes.withUnsafeBytes { try JSONParser.parse($0) }
  }
}

extension JSONValue {
  /// The value with the members of objects in the order of their names.
  var sorted: JSONValue { sorted(without: []) }

  /// The value with the members of objects in the order of their names, except some.
  func sorted(without names: Set<String>) -> JSONValue {
    switch self {
    case .object(let members):
      .object(
        members.filter { !names.contains($0.name) }
          .map { JSONMember($0.name, $0.value.sorted(without: names)) }
          .sorted { $0.name < $1.name })
    case .array(let items): .array(items.map { $0.sorted(without: names) })
    case .null, .bool, .int, .double, .outOfRange, .string: self
    }
  }
}
