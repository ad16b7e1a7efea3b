internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `ckdb notification watch`
enum NotificationWatchCommand {
  static let forward = Option(
    "forward", nil,
    ValueKind<LoopbackRequest>("URL") { (word) throws(ValueError) in
      guard let request = LoopbackRequest(word) else {
        throw ValueError(
          "expected http://127.0.0.1:PORT/…, http://localhost:PORT/… or http://[::1]:PORT/…, found "
            + "'\(word.visible)'", hint: "--exec can run curl for any other address")
      }
      return request
    }, "Post each payload to a web server on this machine")
  static let exec = Option(
    "exec", nil, ValueKind<String>.text("COMMAND"),
    "Run a shell command with each payload on its standard input")
  static let secret = Option(
    "secret", nil, .file, "Sign what --forward sends with the key in this file")

  static var command: Command<Context> {
    Command(
      options: [
        AnyOption(NotificationNoun.since), AnyOption(Watching.timeout),
        AnyOption(Watching.count("notifications")), AnyOption(forward), AnyOption(exec),
        AnyOption(secret),
      ],
      discussion: """
        Prints each notification of the device as a line of JSON when it arrives, whichever \
        process caused it. Without --since, starts with the next one. The exit code is 0 after \
        --count notifications and 1 at --timeout.

        --forward and --exec get the APNs payload, as 'notification payload' prints it. A request \
        that is not answered with 2xx is retried for three seconds. After that, or when a command \
        fails, watching ends with an error that names the --since to continue with. --timeout and \
        signals end a request and a command, too. With --secret \
        the header Ckdb-Signature is the HMAC-SHA256 of the body, in hexadecimal digits.
        """,
      examples: [
        .init(
          "Wait for two notifications after number 1, at most 5 seconds",
          "ckdb notification watch --since 1 --count 2 --timeout 5"),
        .init(
          "Save the payload of the next one",
          "ckdb notification watch --since 1 --count 1 --exec 'cat > push.apns'"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let delivery = try Delivery(arguments, context)
    let watch = try context.environment().watchNotifications(
      after: arguments[NotificationNoun.since])
    try Watching.run(arguments, context, watch.next) { notification, end in
      context.output.buffer.append(json: NotificationJSON.object(notification))
      context.output.line("")
      context.surroundings.flush()
      try delivery.deliver(notification, until: end)
    }
  }
}

/// Forwards notifications to a web server or a command.
private struct Delivery {
  let server: LoopbackRequest?
  let command: String?
  let key: [UInt8]?
  let context: Context

  /// The pauses before each retry.
  private static let pausesMilliseconds: [Int64] = [100, 200, 400, 800, 1600]
  /// How long a web server may take, with all retries.
  private static let answerMilliseconds: Int64 = 3_100

  init(_ arguments: Arguments, _ context: Context) throws {
    self.context = context
    server = arguments[NotificationWatchCommand.forward]
    command = arguments[NotificationWatchCommand.exec]
    guard let path = arguments[NotificationWatchCommand.secret] else {
      key = nil
      return
    }
    guard server != nil else { throw CommandError("--secret needs --forward", .usage) }
    var bytes = try FileSystem.contents(of: path)
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    guard !bytes.isEmpty else { throw CommandError("\(path) is empty", .data) }
    key = bytes
  }

  /// Delivers a notification before the time `end`, nil for no limit.
  func deliver(_ notification: PushNotification, until end: Int64?) throws {
    if server == nil, command == nil { return }
    let payload = PushPayload(notification).bytes
    if let server, let fault = try post(payload, to: server, until: end) {
      throw failure("the web server \(fault)", notification, isOver(end) ? .no : .unavailable)
    }
    if let command, let fault = try run(command, payload, until: end) {
      throw failure("the command \(fault)", notification, .no)
    }
  }

  private func isOver(_ end: Int64?) -> Bool {
    end.map { Platform.monotonicMilliseconds >= $0 } ?? false
  }

  private func failure(
    _ what: String, _ notification: PushNotification, _ code: ExitCode
  ) -> CommandError {
    CommandError(
      "notification \(notification.number): \(what)", code,
      hint: "continue with --since \(notification.number - 1)")
  }

  /// Posts a payload; returns the last failure if no try succeeds.
  private func post(
    _ payload: [UInt8], to server: LoopbackRequest, until end: Int64?
  ) throws -> String? {
    var headers = [("Content-Type", "application/json")]
    if let key {
      let code = SHA256.authenticationCode(payload, key: key)
      headers.append(("Ckdb-Signature", code.hexadecimal))
    }
    let limit = min(end ?? .max, Platform.monotonicMilliseconds + Self.answerMilliseconds)
    let interruption = Interruption(heedsSignals: true, deadline: limit)
    var fault = "does not answer"
    for pause in [0] + Self.pausesMilliseconds {
      try Self.wait(until: min(limit, Platform.monotonicMilliseconds + pause))
      if isOver(limit) { break }
      let status = server.post(payload, headers: headers, interruption)
      try CommandError.checkInterrupt()
      if let status, (200..<300).contains(status) { return nil }
      fault = status.map { "answers \($0)" } ?? "does not answer"
    }
    return fault
  }

  private static func wait(until end: Int64) throws {
    while Platform.monotonicMilliseconds < end {
      try CommandError.checkInterrupt()
      Platform.sleep(milliseconds: min(50, max(1, end - Platform.monotonicMilliseconds)))
    }
  }

  /// Runs a command with a payload as its input; returns its failure, if any.
  private func run(
    _ command: String, _ payload: [UInt8], until end: Int64?
  ) throws -> String? {
    let process = try ReadingProcess(
      ["/bin/sh", "-c", command], context.surroundings.allVariables(), inOwnGroup: true)
    process.output.buffer += payload
    process.output.line("")
    guard let code = process.finish(Interruption(heedsSignals: true, deadline: end)) else {
      process.terminate()
      try CommandError.checkInterrupt()
      return "did not end before --timeout"
    }
    return code == 0 ? nil : "ended with \(code)"
  }
}
