internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import FieldCodecs

/// `ckdb assert kvs FILE`: compares a file with the keys of the device.
enum AssertKeyValues {
  static func run(_ words: [String], _ arguments: Arguments, _ context: Context) throws {
    guard words.count == 1, let path = words.first, arguments[AssertCommand.names] == nil,
      arguments[AssertCommand.count] == nil, !arguments[AssertCommand.none]
    else {
      throw CommandError(
        "'assert kvs' takes one FILE, as 'ckdb kvs export' writes it", .usage)
    }
    let ignored = arguments.all(AssertCommand.ignore)
    let expected = try KeyValueFiles.values(in: KeyAssignment.contents(of: path, context), path)
    let store = try context.keyValueStore(context.containerID().id, in: context.store())
    let found = try store.entries().compactMap { entry, _ in
      entry.value.map { PropertyListValue.Member(entry.key, $0) }
    }
    let lines = differences(
      expected.filter { !ignored.contains($0.key) }, found.filter { !ignored.contains($0.key) },
      isSubset: arguments[AssertCommand.subset])
    try AssertReport.write(lines, of: "kvs", "the keys differ", path, arguments, context)
    guard lines.isEmpty else { throw QuietExit(code: .no) }
    context.report("\(expected.count.counted("key")) as expected")
  }

  /// The differences in key order; with `isSubset`, more keys are allowed.
  private static func differences(
    _ expected: [PropertyListValue.Member], _ found: [PropertyListValue.Member], isSubset: Bool
  ) -> [String] {
    var rest: [String: PropertyListValue] = [:]
    for member in found { rest[member.key] = member.value }
    var lines: [(key: String, line: String)] = []
    func add(_ sign: String, _ key: String, _ value: PropertyListValue) {
      lines.append((key, "\(sign)\(JSONValue.string(key).text): \(value.tagged.text)"))
    }
    for member in expected {
      let value = rest.removeValue(forKey: member.key)
      if value == member.value { continue }
      add("-", member.key, member.value)
      if let value { add("+", member.key, value) }
    }
    if !isSubset { for (key, value) in rest { add("+", key, value) } }
    // Sorting keeps the order of the two lines of a key.
    return lines.sorted { utf8Precedes($0.key, $1.key) }.map(\.line)
  }
}
