internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `ckdb kvs watch` and `ckdb kvs events`
enum KeyValueEvents {
  private static let since = Option(
    "since", nil, ValueKind<Int>.count("N", atLeast: 0), "Only events after number N")
  private static let timeout = Option(
    "timeout", nil, .waitingTime, default: "until interrupted", "Stop after this many seconds")
  private static let count = Option(
    "count", nil, .count("N", atLeast: 1), "Stop after this many events")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(since), AnyOption(KeyValueNoun.storeID)],
      discussion: """
        Prints the changes that the app on the device did not make itself, oldest first, as one \
        JSON object each. The reasons are 0 serverChange, 1 initialSyncChange, 2 \
        quotaViolationChange and 3 accountChange.
        """,
      examples: [.init("List the events on the pad", "ckdb kvs events --device pad")]
    ) { arguments, context in
      for event in try KeyValueNoun.open(arguments, context).events(
        after: Int64(arguments[since] ?? 0))
      {
        write(event, context)
      }
    }
  }

  static var watch: Command<Context> {
    Command(
      options: [
        AnyOption(since), AnyOption(timeout), AnyOption(count), AnyOption(KeyValueNoun.storeID),
      ],
      discussion: """
        Prints each event of the device as it happens, whichever process caused it. Without \
        --since, starts with the next one. The exit code is 0 after --count events and 1 at \
        --timeout.
        """,
      examples: [
        .init(
          "Wait for a change by another device, at most 5 seconds",
          "ckdb kvs watch --device pad --since 0 --count 1 --timeout 5s")
      ]
    ) { arguments, context in
      let watch = try KeyValueWatch(
        KeyValueNoun.open(arguments, context), after: arguments[since].map { Int64($0) })
      let end = arguments[timeout].map { Platform.monotonicMilliseconds + Int64($0 * 1000) }
      var left = arguments[count]
      // A pager would wait for the end of output that has none.
      context.output.release()
      let isComplete = try watch.next(until: end) { event in
        write(event, context)
        context.surroundings.flush()
        left = left.map { $0 - 1 }
        return left != 0
      }
      if !isComplete { throw QuietExit(code: .no) }
    }
  }

  private static func write(_ event: KeyValueEvent, _ context: Context) {
    context.output.buffer.append(json: KeyValueJSON.object(event))
    context.output.line("")
  }
}

extension ValueKind where Value == Double {
  /// A time span in seconds, with or without the unit: `5`, `5s`.
  static let waitingTime = ValueKind<Double>("SECONDS") { (word) throws(ValueError) in
    try ValueKind<Double>.seconds.parse(word.hasSuffix("s") ? String(word.dropLast()) : word)
  }
}
