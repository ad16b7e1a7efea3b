internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import FieldCodecs

/// `ckdb kvs get KEY`, `ckdb kvs list [PREFIX]` and `ckdb kvs usage`
enum KeyValueGet {
  private static let type = Option(
    "as", nil, .propertyType, "Print the value as this type, as the typed getters do")
  private static let sameType = Option("type", nil, .propertyType, "Same as --as")
  private static let usesDefault = Flag(
    "default", "With --as int, double or bool, print 0, 0.0 or false if the key has no such value")
  private static let prefix = Operand(
    "PREFIX", ValueKind<String>.text("PREFIX", candidates: .question("keys")), .optional,
    "Only keys that begin with PREFIX")
  private static let prefixOption = Option(
    "prefix", nil, ValueKind<String>.text("PREFIX"), "Same as PREFIX")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(KeyValueNoun.key)],
      options: [
        AnyOption(type), AnyOption(sameType), AnyOption(usesDefault),
        AnyOption(KeyValueNoun.storeID),
      ],
      discussion: """
        Prints the value that the device has: text as it is, data as Base64, arrays and \
        dictionaries as JSON. With --as int, double or bool, numbers and Booleans convert to each \
        other, as the typed getters do: 1.9 to 1, and 2 to true. The exit code is 1 if the key has \
        no value, or with --as a value of another type.
        """,
      examples: [
        .init("Print a value", "ckdb kvs get level --device phone"),
        .init("Print 0 if there is no score", "ckdb kvs get score --as int --default"),
      ]
    ) { arguments, context in
      let store = try KeyValueNoun.open(arguments, context)
      let key = arguments.required(KeyValueNoun.key)
      let wanted = arguments[type] ?? arguments[sameType]
      var value = try store.value(key)
      if let wanted { value = value?.converted(to: wanted) }
      if value == nil, arguments[usesDefault] { value = wanted.flatMap(zero) }
      guard let value else { throw QuietExit(code: .no) }
      switch try context.settings.chosenFormat() {
      case nil, .raw: return context.output.line(text(value))
      case .some: break
      }
      let output = try RowOutput(context, noun: "key", columns: ["key", "type", "value"])
      output.row([.string(key), .string(value.kind.rawValue), value.plain])
      output.finish()
    }
  }

  /// The typed getter's result for a missing value.
  private static func zero(_ kind: PropertyListValue.Kind) -> PropertyListValue? {
    switch kind {
    case .integer: .integer(0)
    case .double: .double(0)
    case .bool: .bool(false)
    case .string, .date, .data, .array, .dictionary: nil
    }
  }

  static func text(_ value: PropertyListValue) -> String { value.plain.string ?? value.plain.text }

  static var list: Command<Context> {
    Command(
      operands: [AnyOperand(prefix)],
      options: [AnyOption(prefixOption), AnyOption(KeyValueNoun.storeID)],
      discussion: """
        Lists the keys that have a value on the device, in byte order. Pending ones wait for \
        'ckdb kvs sync'.
        """,
      examples: [
        .init("List all keys", "ckdb kvs list"),
        .init("List the keys with a prefix as JSON", "ckdb kvs list screen. --json"),
      ]
    ) { arguments, context in
      let start = arguments[prefix] ?? arguments[prefixOption] ?? ""
      let output = try RowOutput(
        context, noun: "key", columns: ["key", "type", "value", "size", "pending", "device", "at"])
      for (entry, isPending) in try KeyValueNoun.open(arguments, context).entries() {
        guard let value = entry.value, entry.key.utf8.starts(with: start.utf8) else { continue }
        output.row([
          .string(entry.key), .string(value.kind.rawValue), value.plain,
          .int(Int64(value.size)), .bool(isPending), .string(entry.device.name),
          .string(entry.at.text),
        ])
      }
      output.finish()
    }
  }

  static var usage: Command<Context> {
    Command(
      options: [AnyOption(KeyValueNoun.storeID)],
      discussion: """
        Shows how many keys the device has, and the size of their values in bytes: the length of \
        text and data, 8 for a number or a date, 1 for a Boolean, and for arrays and dictionaries \
        the sum of their members and the keys in them. The keys of the store do not count.
        """,
      examples: [.init("Show the usage", "ckdb kvs usage")]
    ) { arguments, context in
      let store = try KeyValueNoun.open(arguments, context)
      let (usage, limits) = (try store.usage(), try store.behavior().limits)
      let largest = try store.entries().max {
        ($0.entry.value?.size ?? 0) < ($1.entry.value?.size ?? 0)
      }
      let output = try RowOutput(
        context, noun: "device",
        columns: ["keys", "maxKeys", "bytes", "maxBytes", "largestKey", "largestBytes"])
      output.row([
        .int(Int64(usage.keys)), .int(Int64(limits.keys)), .int(Int64(usage.bytes)),
        .int(Int64(limits.bytes)), largest.map { .string($0.entry.key) } ?? .null,
        largest?.entry.value.map { .int(Int64($0.size)) } ?? .null,
      ])
      output.finish()
    }
  }
}
