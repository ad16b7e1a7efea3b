internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `ckdb assert notifications FILE|--count N|--none`: checks the notifications sent to the device.
enum AssertNotifications {
  static func run(_ words: [String], _ arguments: Arguments, _ context: Context) throws {
    guard arguments[AssertCommand.names] == nil, arguments.all(AssertCommand.ignore).isEmpty else {
      throw CommandError("--names and --ignore cannot be used with 'assert notifications'", .usage)
    }
    let wanted = [
      !words.isEmpty, arguments[AssertCommand.count] != nil, arguments[AssertCommand.none],
    ]
    guard words.count <= 1, wanted.count(where: { $0 }) == 1 else {
      throw CommandError(
        "'assert notifications' needs one of FILE, --count N or --none", .usage)
    }
    var found: [JSONValue] = []
    try context.environment().notifications {
      found.append(NotificationJSON.object($0))
      return true
    }
    let faults: [String]
    if let path = words.first {
      let expected = try expected(path, context)
      faults = differences(expected, found, isSubset: arguments[AssertCommand.subset])
    } else {
      let count = arguments[AssertCommand.count] ?? 0
      faults =
        found.count == count
        ? []
        : ["-count: \(count)", "+count: \(found.count)"] + found.prefix(20).map { "+\($0.text)" }
    }
    try AssertReport.write(
      faults, of: "notifications", "the notifications differ", words.first, arguments, context)
    guard faults.isEmpty else { throw QuietExit(code: .no) }
    context.report("\(found.count.counted("notification")) as expected")
  }

  /// The objects of a file: a JSON array, or one object per line.
  private static func expected(_ path: String, _ context: Context) throws -> [JSONValue] {
    let bytes =
      try path == "-"
      ? FileSystem.contents(of: context.surroundings.input) : FileSystem.contents(of: path)
    let text = String(decoding: bytes, as: UTF8.self)
    if let list = try? JSONParser.parse(text).array { return list }
    var objects: [JSONValue] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where !line.allSatisfy({ $0 == " " || $0 == "\r" }) {
      do throws(JSONError) { objects.append(try JSONParser.parse(String(line))) } catch {
        throw CommandError(
          "\(path):\(index + 1):\(error.offset + 1): \(error.message)", .data,
          hint: "write a JSON array of notifications, or one object per line")
      }
    }
    return objects
  }

  /// The differences: each expected object must follow in order, with all the members that it
  /// names; with `isSubset`, other objects may come in between.
  private static func differences(
    _ expected: [JSONValue], _ found: [JSONValue], isSubset: Bool
  ) -> [String] {
    var lines: [String] = []
    if isSubset {
      var rest = found[...]
      for wanted in expected {
        if let place = rest.firstIndex(where: { $0.fits(wanted) }) {
          rest = rest[(place + 1)...]
        } else {
          lines.append("-\(wanted.text)")
        }
      }
      return lines
    }
    for place in 0..<max(expected.count, found.count) {
      let wanted = expected.indices.contains(place) ? expected[place] : nil
      let got = found.indices.contains(place) ? found[place] : nil
      if let wanted, let got, got.fits(wanted) { continue }
      if let wanted { lines.append("-\(wanted.text)") }
      if let got { lines.append("+\(got.text)") }
    }
    return lines
  }
}

extension JSONValue {
  /// Whether the value matches an expected one: an object needs all expected members, and any
  /// value matches `{"any": true}`.
  fileprivate func fits(_ expected: JSONValue) -> Bool {
    guard case .object(let members) = expected else { return self == expected }
    if members.count == 1, members[0].name == "any", members[0].value == .bool(true) {
      return true
    }
    return members.allSatisfy { member in
      guard let own = self[member.name] else { return member.value == .null }
      return own.fits(member.value)
    }
  }
}
