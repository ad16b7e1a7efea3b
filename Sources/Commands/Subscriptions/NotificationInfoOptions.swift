internal import CloudModel
internal import CommandKit

/// The options for the contents of a subscription's notifications (R8.2).
enum NotificationInfoOptions {
  private static let text = ValueKind<String>.text("TEXT")
  private static let key = ValueKind<String>.text("KEY")

  static let alert = Option("alert", nil, text, "Text of the alert")
  static let alertKey = Option("alert-key", nil, key, "Localization key of the text")
  static let alertArgs = Option("alert-args", nil, .fieldNames, "Fields that fill the text")
  static let title = Option("title", nil, text, "Title of the alert")
  static let titleKey = Option("title-key", nil, key, "Localization key of the title")
  static let titleArgs = Option("title-args", nil, .fieldNames, "Fields that fill the title")
  static let subtitle = Option("subtitle", nil, text, "Subtitle of the alert")
  static let subtitleKey = Option("subtitle-key", nil, key, "Localization key of the subtitle")
  static let subtitleArgs = Option(
    "subtitle-args", nil, .fieldNames, "Fields that fill the subtitle")
  static let actionKey = Option("action-key", nil, key, "Localization key of the action's title")
  static let launchImage = Option(
    "launch-image", nil, ValueKind<String>.text("NAME"), "Launch image of the app")
  static let sound = Option("sound", nil, ValueKind<String>.text("NAME"), "Sound file, or default")
  static let badge = Flag("badge", "Increment the badge of the device")
  static let contentAvailable = Flag("content-available", "Wake the app in the background")
  static let mutableContent = Flag(
    "mutable-content", "Let an app extension change the alert")
  static let category = Option(
    "category", nil, ValueKind<String>.text("NAME"), "Category of the alert")
  static let desiredKeys = Option(
    "desired-keys", nil, .fieldNames, "Fields that the notification carries, at most three")
  static let collapseKey = Option(
    "collapse-key", nil, key, "Notifications with the same key replace each other")

  static var all: [AnyOption] {
    [
      AnyOption(alert), AnyOption(alertKey), AnyOption(alertArgs), AnyOption(title),
      AnyOption(titleKey), AnyOption(titleArgs), AnyOption(subtitle), AnyOption(subtitleKey),
      AnyOption(subtitleArgs), AnyOption(actionKey), AnyOption(launchImage), AnyOption(sound),
      AnyOption(badge), AnyOption(contentAvailable), AnyOption(mutableContent),
      AnyOption(category), AnyOption(desiredKeys), AnyOption(collapseKey),
    ]
  }

  /// The notification info that the options set; nil if they set nothing.
  static func info(_ arguments: Arguments) -> NotificationInfo? {
    var info = NotificationInfo()
    info.alertBody = arguments[alert]
    info.alertLocalizationKey = arguments[alertKey]
    info.alertLocalizationArgs = arguments[alertArgs] ?? []
    info.title = arguments[title]
    info.titleLocalizationKey = arguments[titleKey]
    info.titleLocalizationArgs = arguments[titleArgs] ?? []
    info.subtitle = arguments[subtitle]
    info.subtitleLocalizationKey = arguments[subtitleKey]
    info.subtitleLocalizationArgs = arguments[subtitleArgs] ?? []
    info.alertActionLocalizationKey = arguments[actionKey]
    info.alertLaunchImage = arguments[launchImage]
    info.soundName = arguments[sound]
    info.category = arguments[category]
    info.collapseIDKey = arguments[collapseKey]
    info.desiredKeys = arguments[desiredKeys] ?? []
    info.shouldBadge = arguments[badge]
    info.shouldSendContentAvailable = arguments[contentAvailable]
    info.shouldSendMutableContent = arguments[mutableContent]
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
