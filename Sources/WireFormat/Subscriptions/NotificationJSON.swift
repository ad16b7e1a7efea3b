public import Basics
public import CloudModel

/// A notification as `notification list` prints it: the part sent to the device.
public enum NotificationJSON {
  /// The names of the members, in their order.
  public static let names = [
    "number", "notificationID", "type", "reason", "subscriptionID", "recordName", "zone",
    "database", "recordFields", "alert", "badge", "sound", "category", "collapseID", "pruned",
    "read", "at",
  ]

  /// The values of the members; null for missing ones.
  public static func values(_ notification: PushNotification) -> [JSONValue] {
    let payload = PushPayload(notification)
    let hasSubject = payload.hasSubject
    func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    func subject(_ value: String?) -> JSONValue { hasSubject ? text(value) : .null }
    return [
      .int(notification.number), payload.hasID ? .string(notification.id) : .null,
      .string(notification.kind.notificationType), subject(notification.reason?.name),
      subject(notification.subscription.text), subject(notification.record?.text),
      subject(notification.zone?.text), .string(notification.scope.name), payload.fields,
      payload.alertValue, payload.value("badge"), payload.value("sound"),
      payload.value("category"), text(notification.info.collapseIDKey),
      .bool(payload.isPruned), .bool(notification.isRead), .string(notification.at.text),
    ]
  }

  /// The notification as one object.
  public static func object(_ notification: PushNotification) -> JSONValue {
    .object(
      zip(names, values(notification)).compactMap { name, value in
        value == .null ? nil : JSONMember(name, value)
      })
  }
}

extension PushNotification {
  /// The text that a user would see: the title, the subtitle and the body. A localization key is
  /// its own text, with its arguments filled in: in order for `%@`, by number for `%2$@` (C185).
  public var shownText: String {
    let parts = [
      shown(info.title, info.titleLocalizationKey, arguments.title),
      shown(info.subtitle, info.subtitleLocalizationKey, arguments.subtitle),
      shown(info.alertBody, info.alertLocalizationKey, arguments.alert),
    ]
    return parts.compactMap { $0 }.joined(separator: ": ")
  }

  private func shown(_ text: String?, _ key: String?, _ arguments: [String]) -> String? {
    guard let key else { return text }
    return Self.filled(key, arguments)
  }

  private static func filled(_ key: String, _ arguments: [String]) -> String {
    var result = ""
    var (rest, next) = (key[...], 0)
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[percent...].dropFirst()
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      let end = rest[digits.endIndex...]
      if let number = Int(digits), end.hasPrefix("$@") {
        result += arguments.indices.contains(number - 1) ? arguments[number - 1] : ""
        rest = end.dropFirst(2)
      } else if rest.first == "@" {
        result += arguments.indices.contains(next) ? arguments[next] : ""
        next += 1
        rest = rest.dropFirst()
      } else {
        result += "%"
        if rest.first == "%" { rest = rest.dropFirst() }
      }
    }
    return result + rest
  }
}
