internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb kvs set KEY=VALUE…` and `ckdb kvs remove KEY…`
enum KeyValueSet {
  private static let assignments = Operand(
    "KEY=VALUE", .keyAssignment, .oneOrMore, "Key with its value")
  private static let keys = Operand(
    "KEY", ValueKind<String>.text("KEY", candidates: .question("keys")), .oneOrMore, "Key")
  private static let type = Option(
    "type", nil, .propertyType, default: "string; with --file data",
    "Type of values written as KEY=VALUE")
  private static let file = Option("file", nil, .file, "Read the value of KEY from a file")
  private static let time = Option(
    "at", nil, .time, default: "the clock of the device", "When the device wrote it")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(assignments)],
      options: [
        AnyOption(type), AnyOption(file), AnyOption(time), AnyOption(KeyValueNoun.auto),
        AnyOption(KeyValueNoun.storeID),
      ],
      discussion: """
        Sets keys of the key-value store on the device, all or none. Other devices see them after \
        'ckdb kvs sync' on both.

        KEY=TEXT is a string, KEY:=JSON what the JSON says: true stays a Boolean, 1 an integer, \
        1.0 a double; null removes the key. KEY:TYPE=VALUE names the type: string, int, double, \
        bool, date (or timestamp), data (or bytes, Base64), array, dictionary. KEY:data@FILE reads \
        a file. A key that is too long is refused. So is a value that exceeds the quota: the old \
        values stay, and the device gets an event with the reason quotaViolationChange.
        """,
      examples: [
        .init("Set two keys at once", "ckdb kvs set name=Anna level:=13"),
        .init("Set a date", "ckdb kvs set saved:date=2026-05-01T12:00:00Z"),
        .init(
          "Set a dictionary on the phone", "ckdb kvs set game:='{\"level\":13}' --device phone"),
      ]
    ) { arguments, context in
      let store = try KeyValueNoun.open(arguments, context)
      var values: [(key: String, value: PropertyListValue?)] = []
      if arguments[file] != nil, arguments.all(assignments).count > 1 {
        throw CommandError("--file takes exactly one KEY", .usage)
      }
      for assignment in arguments.all(assignments) {
        let key = arguments[file] == nil ? assignment.key : assignment.word
        guard !values.contains(where: { utf8Equal($0.key, key) }) else {
          throw CommandError("the key '\(key.visible)' is given twice", .usage)
        }
        values.append((key, try value(assignment, arguments, context)))
      }
      try store.set(values, at: arguments[time])
      try KeyValueNoun.synchronizeIfWanted(store, context)
      report(values, context)
    }
  }

  /// Reports how many keys were set and removed.
  static func report(
    _ values: [(key: String, value: PropertyListValue?)], _ context: Context
  ) {
    let removed = values.count { $0.value == nil }
    let done = [("set", values.count - removed), ("removed", removed)].filter { $0.1 > 0 }
    context.report(
      done.isEmpty
        ? "nothing to set" : done.map { "\($0) \($1.counted("key"))" }.joined(separator: ", "))
  }

  private static func value(
    _ assignment: KeyAssignment, _ arguments: Arguments, _ context: Context
  ) throws -> PropertyListValue? {
    guard let path = arguments[file] else {
      return try assignment.value(arguments[type], context)
    }
    let bytes = try KeyAssignment.contents(of: path, context)
    let kind = arguments[type] ?? .data
    if kind == .data { return .data(bytes) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError("\(path) is not UTF-8", .data, hint: "--type data takes any bytes")
    }
    return try KeyAssignment.read(text, kind, assignment.word)
  }

  static var remove: Command<Context> {
    Command(
      operands: [AnyOperand(keys)],
      options: [AnyOption(time), AnyOption(KeyValueNoun.auto), AnyOption(KeyValueNoun.storeID)],
      discussion: """
        Removes keys on the device; other devices lose them after 'ckdb kvs sync' on both. This \
        also succeeds for a key that the device does not have, since another device may have it.
        """,
      examples: [.init("Remove a key", "ckdb kvs remove level")]
    ) { arguments, context in
      let store = try KeyValueNoun.open(arguments, context)
      let keys = arguments.all(keys)
      try store.set(keys.map { ($0, nil) }, at: arguments[time])
      try KeyValueNoun.synchronizeIfWanted(store, context)
      context.report("removed \(keys.count.counted("key"))")
    }
  }
}
