/// The texts and options of a subscription's pushes (R8.2, `CKSubscription.NotificationInfo`).
public struct NotificationInfo: Sendable, Equatable {
  /// The text of the alert.
  public var alertBody: String?
  /// The key of the alert's text in the app; precedes `alertBody` (C186).
  public var alertLocalizationKey: String?
  /// The record's fields whose values fill in that text.
  public var alertLocalizationArgs: [FieldName] = []
  /// The title.
  public var title: String?
  /// The key of the title in the app.
  public var titleLocalizationKey: String?
  /// The fields whose values fill in the title.
  public var titleLocalizationArgs: [FieldName] = []
  /// The subtitle.
  public var subtitle: String?
  /// The key of the subtitle in the app; precedes `subtitle`.
  public var subtitleLocalizationKey: String?
  /// The fields whose values fill in the subtitle.
  public var subtitleLocalizationArgs: [FieldName] = []
  /// The key of the name of the alert's button.
  public var alertActionLocalizationKey: String?
  /// The image shown while the app starts.
  public var alertLaunchImage: String?
  /// The sound's file, or `default`.
  public var soundName: String?
  /// The category of the alert, for its actions.
  public var category: String?
  /// The key by which pushes replace one another.
  public var collapseIDKey: String?
  /// The record's fields to include in the push.
  public var desiredKeys: [FieldName] = []
  /// Whether the push increments the badge.
  public var shouldBadge = false
  /// Whether the push wakes the app in the background.
  public var shouldSendContentAvailable = false
  /// Whether an app extension may change the alert.
  public var shouldSendMutableContent = false

  /// Creates empty info.
  public init() {}

  /// The maximum number of fields in a push (R8.2).
  public static let mostDesiredKeys = 3

  /// Whether it is empty.
  public var isEmpty: Bool { self == NotificationInfo() }

  /// The fields whose values a push needs.
  public var keys: [FieldName] {
    desiredKeys + alertLocalizationArgs + titleLocalizationArgs + subtitleLocalizationArgs
  }
}

extension NotificationInfo {
  /// A property by its name in CloudKit's API.
  public struct Property<Value>: Sendable {
    /// The name.
    public let name: String
    /// The path to its value.
    public let path: any WritableKeyPath<NotificationInfo, Value> & Sendable

    init(_ name: String, _ path: any WritableKeyPath<NotificationInfo, Value> & Sendable) {
      (self.name, self.path) = (name, path)
    }
  }

  /// The string properties.
  public static let texts: [Property<String?>] = [
    .init("alertBody", \.alertBody), .init("alertLocalizationKey", \.alertLocalizationKey),
    .init("title", \.title), .init("titleLocalizationKey", \.titleLocalizationKey),
    .init("subtitle", \.subtitle), .init("subtitleLocalizationKey", \.subtitleLocalizationKey),
    .init("alertActionLocalizationKey", \.alertActionLocalizationKey),
    .init("alertLaunchImage", \.alertLaunchImage), .init("soundName", \.soundName),
    .init("category", \.category), .init("collapseIDKey", \.collapseIDKey),
  ]

  /// The field list properties. `desiredKeys` are `additionalFields` on the wire.
  public static let fieldLists: [Property<[FieldName]>] = [
    .init("alertLocalizationArgs", \.alertLocalizationArgs),
    .init("titleLocalizationArgs", \.titleLocalizationArgs),
    .init("subtitleLocalizationArgs", \.subtitleLocalizationArgs),
    .init("additionalFields", \.desiredKeys),
  ]

  /// The boolean properties.
  public static let switches: [Property<Bool>] = [
    .init("shouldBadge", \.shouldBadge),
    .init("shouldSendContentAvailable", \.shouldSendContentAvailable),
    .init("shouldSendMutableContent", \.shouldSendMutableContent),
  ]
}
