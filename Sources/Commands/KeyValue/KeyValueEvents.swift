internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `ckdb kvs watch` and `ckdb kvs events`
enum KeyValueEvents {
  private static let since = Option(
    "since", nil, ValueKind<Int64>.count("N", atLeast: 0), "Only events after number N")

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
        after: arguments[since] ?? 0)
      {
        write(event, context)
      }
    }
  }

  static var watch: Command<Context> {
    Command(
      options: [
        AnyOption(since), AnyOption(Watching.timeout), AnyOption(Watching.count),
        AnyOption(KeyValueNoun.storeID),
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
      let watch = try KeyValueNoun.open(arguments, context).watch(
        after: arguments[since])
      try Watching.run(arguments, context, watch.next) { event, _ in write(event, context) }
    }
  }

  private static func write(_ event: KeyValueEvent, _ context: Context) {
    context.output.buffer.append(json: KeyValueJSON.object(event))
    context.output.line("")
  }
}
