/// What the pushes of a subscription say and carry (R8.2, `CKSubscription.NotificationInfo`).
public struct NotificationInfo: Sendable, Equatable {
  /// The text of the alert.
  public var alertBody: String?
  /// The key of the alert's text in the app; comes before `alertBody` (C186).
  public var alertLocalizationKey: String?
  /// The fields of the record whose values fill that text.
  public var alertLocalizationArgs: [FieldName] = []
  /// The title.
  public var title: String?
  /// The key of the title in the app.
  public var titleLocalizationKey: String?
  /// The fields whose values fill the title.
  public var titleLocalizationArgs: [FieldName] = []
  /// The subtitle.
  public var subtitle: String?
  /// The key of the subtitle in the app; comes before `subtitle`.
  public var subtitleLocalizationKey: String?
  /// The fields whose values fill the subtitle.
  public var subtitleLocalizationArgs: [FieldName] = []
  /// The key of the name of the alert's button.
  public var alertActionLocalizationKey: String?
  /// The image that is shown while the app starts.
  public var alertLaunchImage: String?
  /// The sound's file, or `default`.
  public var soundName: String?
  /// The category of the alert, for its actions.
  public var category: String?
  /// By which key pushes replace each other.
  public var collapseIDKey: String?
  /// The fields of the record that the push carries.
  public var desiredKeys: [FieldName] = []
  /// Whether the push counts up the badge.
  public var shouldBadge = false
  /// Whether the push wakes the app in the background.
  public var shouldSendContentAvailable = false
  /// Whether an extension of the app may change the alert.
  public var shouldSendMutableContent = false

  /// An empty one.
  public init() {}

  /// A push carries so many fields (R8.2).
  public static let mostDesiredKeys = 3

  /// Whether it says nothing.
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
    /// Where its value is.
    public let path: any WritableKeyPath<NotificationInfo, Value> & Sendable

    init(_ name: String, _ path: any WritableKeyPath<NotificationInfo, Value> & Sendable) {
      (self.name, self.path) = (name, path)
    }
  }

  /// The properties that are texts.
  public static let texts: [Property<String?>] = [
    .init("alertBody", \.alertBody), .init("alertLocalizationKey", \.alertLocalizationKey),
    .init("title", \.title), .init("titleLocalizationKey", \.titleLocalizationKey),
    .init("subtitle", \.subtitle), .init("subtitleLocalizationKey", \.subtitleLocalizationKey),
    .init("alertActionLocalizationKey", \.alertActionLocalizationKey),
    .init("alertLaunchImage", \.alertLaunchImage), .init("soundName", \.soundName),
    .init("category", \.category), .init("collapseIDKey", \.collapseIDKey),
  ]

  /// The properties that are lists of fields. `desiredKeys` are `additionalFields` on the wire.
  public static let fieldLists: [Property<[FieldName]>] = [
    .init("alertLocalizationArgs", \.alertLocalizationArgs),
    .init("titleLocalizationArgs", \.titleLocalizationArgs),
    .init("subtitleLocalizationArgs", \.subtitleLocalizationArgs),
    .init("additionalFields", \.desiredKeys),
  ]

  /// The properties that are true or false.
  public static let switches: [Property<Bool>] = [
    .init("shouldBadge", \.shouldBadge),
    .init("shouldSendContentAvailable", \.shouldSendContentAvailable),
    .init("shouldSendMutableContent", \.shouldSendMutableContent),
  ]
}
