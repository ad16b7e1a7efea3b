internal import Basics
internal import CommandKit

/// The user's settings for terminal output: `$XDG_CONFIG_HOME/ckdb/config.json`. Other output never
/// depends on them.
struct Configuration {
  /// The file; nil if its location is unknown.
  let path: String?
  /// The values by their keys, in their order.
  private(set) var values: [JSONMember] = []

  /// A key that may be set.
  struct Key: Sendable {
    let name: String
    /// The description, as a sentence without the period.
    let help: String
    /// The possible words; nil if `parse` decides.
    var choices: [String]?
    /// Reads a word.
    let parse: @Sendable (String) throws(ValueError) -> JSONValue

    fileprivate static func text(_ name: String, _ help: String) -> Key {
      Key(name: name, help: help) { (word) throws(ValueError) in .string(word) }
    }

    fileprivate static func choice(_ name: String, _ words: [String], _ help: String) -> Key {
      Key(name: name, help: help, choices: words) { (word) throws(ValueError) in
        guard words.contains(word) else { throw ValueError.unknown(word, among: words) }
        return .string(word)
      }
    }

    fileprivate static func count(_ name: String, atLeast least: Int, _ help: String) -> Key {
      Key(name: name, help: help) { (word) throws(ValueError) in
        .int(Int64(try ValueKind<Int>.count("N", atLeast: least).parse(word)))
      }
    }
  }

  /// The keys, except those of aliases.
  static let keys: [Key] = [
    .text(
      "prompt",
      "Text of the prompt, with {container}, {environment}, {database}, {zone}, {user}, {mark}"),
    .choice(
      "format", OutputFormat.allCases.map(\.rawValue), "Format of results on a terminal"),
    .choice("dates", DateStyle.allCases.map(\.rawValue), "Dates in tables on a terminal"),
    .choice("timer", ["on", "off"], "Print the time that each command takes at the prompt"),
    .text("pager", "Program for long output at the prompt, instead of PAGER; none for no pager"),
    .text("editor", "Program for .edit and 'config edit'"),
    .count("history.limit", atLeast: 0, "Number of lines that the prompt's history keeps"),
    .count(
      "transaction.idleSeconds", atLeast: 1,
      "Seconds without a key after which the prompt rolls a transaction back"),
    .count("table.maximumWidth", atLeast: 20, "Maximum width of a table in columns"),
  ]
  /// The prefix of alias keys.
  static let aliasPrefix = "alias."

  /// Reads the file. Throws `CommandError` if it is not a JSON object.
  init(_ surroundings: Surroundings) throws {
    let variable = surroundings.variable
    let folder = variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
    path = folder.map { $0 + "/ckdb/config.json" }
    guard let path, FileSystem.exists(path) else { return }
    do {
      let bytes = try FileSystem.contents(of: path)
      let json = try bytes.withUnsafeBytes { try JSONParser.parse($0) }
      guard case .object(let members) = json else {
        throw CommandError("\(path) is not a JSON object", .configuration)
      }
      values = members
    } catch let error as JSONError {
      let before = (try? FileSystem.contents(of: path).prefix(error.offset)) ?? []
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      throw CommandError("\(path):\(line): \(error.message)", .configuration)
    }
  }

  /// A value as text; nil if it is not set.
  func text(_ key: String) -> String? {
    guard let value = values.first(where: { $0.name == key })?.value else { return nil }
    return value.cellText
  }

  /// A value as a number; nil if it is not set.
  func count(_ key: String) -> Int? { text(key).flatMap { Int($0) } }

  /// The words of an alias; nil if there is none.
  func alias(_ name: String) -> [String]? {
    var splitter = WordSplitter()
    return text(Self.aliasPrefix + name).flatMap { splitter.take(line: $0).first }
  }

  /// The names of the aliases.
  var aliases: [String] {
    values.map(\.name).filter { $0.hasPrefix(Self.aliasPrefix) }
      .map { String($0.dropFirst(Self.aliasPrefix.count)) }
  }

  // MARK: Changing

  /// Sets a value, or removes it (nil), and writes the file. Throws `CommandError`.
  mutating func set(_ key: String, _ value: JSONValue?) throws {
    values.removeAll { $0.name == key }
    if let value {
      values.append(JSONMember(key, value))
      values.sort { utf8Precedes($0.name, $1.name) }
    }
    let path = try requirePath()
    try FileSystem.makeDirectories(FileSystem.parent(of: path))
    let lines = values.map { "  \(JSONValue.string($0.name).text): \($0.value.text)" }
    try FileSystem.replace(
      path, with: Array("{\n\(lines.joined(separator: ",\n"))\n}\n".utf8))
  }

  /// The file's path. Throws `CommandError` if its location is unknown.
  func requirePath() throws -> String {
    if let path { return path }
    throw CommandError(
      "cannot locate config.json: HOME is not set", .configuration,
      hint: "set HOME or XDG_CONFIG_HOME")
  }
}
