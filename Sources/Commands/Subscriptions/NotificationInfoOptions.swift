internal import CloudModel
internal import CommandKit

/// The options for the contents of a subscription's notifications (R8.2).
struct NotificationInfoOptions {
  private let option: AnyOption
  private let set: @Sendable (Arguments, inout NotificationInfo) -> Void

  private init(
    _ name: String, _ path: any WritableKeyPath<NotificationInfo, String?> & Sendable,
    _ placeholder: String, _ help: String
  ) {
    let option = Option(name, nil, ValueKind<String>.text(placeholder), help)
    self.option = AnyOption(option)
    set = { arguments, info in info[keyPath: path] = arguments[option] }
  }

  private init(
    _ name: String, _ path: any WritableKeyPath<NotificationInfo, [FieldName]> & Sendable,
    _ help: String
  ) {
    let option = Option(name, nil, .fieldNames, help)
    self.option = AnyOption(option)
    set = { arguments, info in info[keyPath: path] = arguments[option] ?? [] }
  }

  private init(
    _ name: String, _ path: any WritableKeyPath<NotificationInfo, Bool> & Sendable, _ help: String
  ) {
    let flag = Flag(name, help)
    option = AnyOption(flag)
    set = { arguments, info in info[keyPath: path] = arguments[flag] }
  }

  private static let rows = [
    Self("alert", \.alertBody, "TEXT", "Text of the alert"),
    Self("alert-key", \.alertLocalizationKey, "KEY", "Localization key of the text"),
    Self("alert-args", \.alertLocalizationArgs, "Fields that fill the text"),
    Self("title", \.title, "TEXT", "Title of the alert"),
    Self("title-key", \.titleLocalizationKey, "KEY", "Localization key of the title"),
    Self("title-args", \.titleLocalizationArgs, "Fields that fill the title"),
    Self("subtitle", \.subtitle, "TEXT", "Subtitle of the alert"),
    Self("subtitle-key", \.subtitleLocalizationKey, "KEY", "Localization key of the subtitle"),
    Self("subtitle-args", \.subtitleLocalizationArgs, "Fields that fill the subtitle"),
    Self(
      "action-key", \.alertActionLocalizationKey, "KEY", "Localization key of the action's title"),
    Self("launch-image", \.alertLaunchImage, "NAME", "Launch image of the app"),
    Self("sound", \.soundName, "NAME", "Sound file, or default"),
    Self("badge", \.shouldBadge, "Increment the badge of the device"),
    Self(
      "content-available", \.shouldSendContentAvailable, "Wake the app in the background"),
    Self(
      "mutable-content", \.shouldSendMutableContent, "Let an app extension change the alert"),
    Self("category", \.category, "NAME", "Category of the alert"),
    Self(
      "desired-keys", \.desiredKeys, "Fields that the notification carries, at most three"),
    Self(
      "collapse-key", \.collapseIDKey, "KEY", "Notifications with the same key replace each other"),
  ]

  static var all: [AnyOption] { rows.map(\.option) }

  /// The notification info that the options set; nil if they set nothing.
  static func info(_ arguments: Arguments) -> NotificationInfo? {
    var info = NotificationInfo()
    for row in rows { row.set(arguments, &info) }
    return info.isEmpty ? nil : info
  }
}

extension ValueKind where Value == [FieldName] {
  /// Comma-separated field names.
  static let fieldNames = ValueKind<[FieldName]>(
    "FIELDS", candidates: .question("fieldLists")
  ) { (word) throws(ValueError) in
    try checked { () throws(CloudError) in
      try word.split(separator: ",").map { (name) throws(CloudError) in
        try FieldName(String(name))
      }
    }
  }
}
