internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `ckdb notification …`
enum NotificationNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("list", "List the notifications sent to a device", verb: { list }),
    CommandRow("show", "Show a notification", verb: { show }),
    CommandRow("read", "Mark notifications as read", verb: { read }),
    CommandRow(
      "watch", "Print notifications as they come", verb: { NotificationWatchCommand.command }),
    CommandRow("payload", "Print the APNs payload of a notification", verb: { payload }),
    CommandRow("badge", "Print or set the badge of the device", verb: { badge }),
    CommandRow("clear", "Clear the notifications of a device", verb: { clear }),
  ]

  private static let count = ValueKind<Int64>.count("N", atLeast: 0)
  static let number = Operand("N", count, "Number of the notification")
  static let numbers = Operand("N", count, .oneOrMore, "Number of a notification")
  static let since = Option("since", nil, count, "Only notifications after number N")
  static let unread = Flag("unread", "Only notifications that are not marked as read")
  static let bundle = Option(
    "bundle", nil, ValueKind<String>.text("ID"), "Bundle ID of the app, for xcrun simctl push")
  static let allDevices = Flag("all-devices", "Clear those of all devices of the account")

  private static var list: Command<Context> {
    Command(
      options: [AnyOption(since), AnyOption(unread)],
      discussion: """
        Lists the notifications of the account on the device of --device, oldest first, for all \
        databases of the environment. The device that made a change is not notified of it; \
        commands without --device act from the device cli. Numbers are never reused.
        """,
      examples: [
        .init("List the notifications on the phone", "ckdb notification list --device phone"),
        .init("List what is new since number 12", "ckdb notification list --since 12 --jsonl"),
      ]
    ) { arguments, context in
      let output = try NotificationOutput(context)
      let onlyUnread = arguments[unread]
      try context.environment().notifications(after: arguments[since] ?? 0) {
        if !onlyUnread || !$0.isRead { output.write($0) }
        return true
      }
      output.finish()
    }
  }

  private static var show: Command<Context> {
    Command(
      operands: [AnyOperand(number)],
      examples: [.init("Show a notification", "ckdb notification show 3 --json")]
    ) { arguments, context in
      let output = try NotificationOutput(context)
      try context.environment().notifications([arguments.required(number)]).forEach(output.write)
      output.finish()
    }
  }

  private static var read: Command<Context> {
    Command(
      operands: [AnyOperand(numbers)],
      discussion: "Marks them as read on all devices of the account.",
      examples: [.init("Mark two as read", "ckdb notification read 3 4")]
    ) { arguments, context in
      let numbers = arguments.all(numbers)
      try context.environment().markNotificationsRead(numbers)
      context.report("read \(Set(numbers).count.counted("notification"))")
    }
  }

  private static var payload: Command<Context> {
    Command(
      operands: [AnyOperand(number)], options: [AnyOption(bundle)],
      discussion: """
        Prints what APNs would deliver: the dictionaries aps and ck, at most 4096 bytes. With \
        --bundle, it can be passed to 'xcrun simctl push'.
        """,
      examples: [
        .init(
          "Write a file for 'xcrun simctl push booted'",
          "ckdb notification payload 3 --bundle com.example.app")
      ]
    ) { arguments, context in
      let found = try context.environment().notifications([arguments.required(number)])
      for notification in found {
        context.output.buffer += PushPayload(notification, target: arguments[bundle]).bytes
        context.output.line("")
      }
    }
  }

  private static let value = Operand(
    "N", ValueKind<Int>.count("N", atLeast: 0), .optional, "The new badge; 0 removes it")

  private static var badge: Command<Context> {
    Command(
      operands: [AnyOperand(value)],
      discussion: """
        Notifications of subscriptions with --badge increment the badge. The app sets it, usually \
        to 0 when it is opened.
        """,
      examples: [
        .init("Print the badge of the phone", "ckdb notification badge --device phone"),
        .init("Remove it", "ckdb notification badge 0 --device phone"),
      ]
    ) { arguments, context in
      let environment = try context.environment()
      guard let badge = arguments[value] else {
        return context.output.line(String(try environment.badge()))
      }
      try environment.set(badge: badge)
      context.report("set the badge to \(badge)")
    }
  }

  private static var clear: Command<Context> {
    Command(
      options: [AnyOption(allDevices)],
      discussion: """
        Later commands no longer list the notifications. Their numbers are not reused, and the \
        badge stays.
        """,
      examples: [.init("Begin a test without old notifications", "ckdb notification clear")]
    ) { arguments, context in
      try context.environment().clearNotifications(onAllDevices: arguments[allDevices])
      context.report("cleared the notifications")
    }
  }
}

/// Prints notifications.
final class NotificationOutput {
  private static let columns = [
    "number", "type", "reason", "subscriptionID", "record", "zone", "text", "at",
  ]
  private let output: RowOutput
  private let isJSON: Bool

  init(_ context: Context) throws {
    isJSON = try context.format().isJSON
    output = try RowOutput(
      context, noun: "notification", columns: isJSON ? NotificationJSON.names : Self.columns)
  }

  func write(_ notification: PushNotification) {
    output.row(isJSON ? NotificationJSON.values(notification) : cells(notification))
  }

  func finish() { output.finish() }

  private func cells(_ notification: PushNotification) -> [JSONValue] {
    func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    return [
      .int(notification.number), .string(notification.kind.notificationType),
      text(notification.reason?.name), .string(notification.subscription.text),
      text(notification.record?.text), text(notification.zone?.text),
      notification.shownText.isEmpty ? .null : .string(notification.shownText),
      .string(notification.at.text),
    ]
  }
}
