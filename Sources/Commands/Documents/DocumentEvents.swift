internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb document watch`
enum DocumentEvents {
  static let since = Option(
    "since", nil, ValueKind<Int64>.count("N", atLeast: 0), "Start with the events after number N")

  static var watch: Command<Context> {
    Command(
      options: [AnyOption(since), AnyOption(Watching.timeout), AnyOption(Watching.count)],
      discussion: """
        Prints each event of the device's documents as it happens, whichever process caused it, as \
        one JSON object each: didAppear, didChange, didMove, accommodateDeletion, didGainVersion, \
        didLoseVersion, didResolveConflictVersion, resurrected, loadFromContents, save and \
        uploadFailed. Without --since, starts with the next one. The exit code is 0 after --count \
        events and 1 at --timeout.
        """,
      examples: [
        .init(
          "Wait for the first event, at most 5 seconds",
          "ckdb document watch --since 0 --count 1 --timeout 5s --device phone")
      ]
    ) { arguments, context in
      let watch = try DocumentNoun.open(context).watch(
        after: arguments[since])
      try Watching.run(arguments, context, watch.next) { event, _ in write(event, context) }
    }
  }

  private static func write(_ event: DocumentEvent, _ context: Context) {
    var members = [
      JSONMember("event", .string(event.kind.rawValue)),
      JSONMember("path", .string(event.path.text)),
    ]
    if let detail = event.detail { members.append(JSONMember("detail", .string(detail))) }
    members += [
      JSONMember("device", .string(event.device.name)), JSONMember("at", .string(event.at.text)),
      JSONMember("number", .int(event.number)),
    ]
    context.output.buffer.append(json: .object(members))
    context.output.line("")
  }
}
