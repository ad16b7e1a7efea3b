internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb document watch`
enum DocumentEvents {
  static let since = Option(
    "since", nil, ValueKind<Int>.count("N", atLeast: 0), "Start with the events after number N")
  static let timeout = Option(
    "timeout", nil, .waitingTime, default: "until interrupted", "Stop after this many seconds")
  static let count = Option(
    "count", nil, .count("N", atLeast: 1), "Stop after this many events")

  static var watch: Command<Context> {
    Command(
      options: [AnyOption(since), AnyOption(timeout), AnyOption(count)],
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
      let watch = try DocumentWatch(
        DocumentNoun.open(context), after: arguments[since].map { Int64($0) })
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
