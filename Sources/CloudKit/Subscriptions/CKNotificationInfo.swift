internal import Basics
internal import CloudModel
@_exported public import Foundation

/// The texts and options of a subscription's pushes (`CKSubscription.NotificationInfo`, R8.2).
public final class CKNotificationInfo: NSObject, NSSecureCoding, NSCopying, Sendable {
  private let info: Locked<NotificationInfo>

  /// Creates info for a silent push.
  public override init() { info = Locked(NotificationInfo()) }

  init(_ stored: NotificationInfo) { info = Locked(stored) }

  /// Creates info.
  public convenience init(
    alertBody: String? = nil, alertLocalizationKey: String? = nil,
    alertLocalizationArgs: [CKRecord.FieldKey] = [], title: String? = nil,
    titleLocalizationKey: String? = nil, titleLocalizationArgs: [CKRecord.FieldKey] = [],
    subtitle: String? = nil, subtitleLocalizationKey: String? = nil,
    subtitleLocalizationArgs: [CKRecord.FieldKey] = [],
    alertActionLocalizationKey: String? = nil, alertLaunchImage: String? = nil,
    soundName: String? = nil, desiredKeys: [CKRecord.FieldKey] = [], shouldBadge: Bool = false,
    shouldSendContentAvailable: Bool = false, shouldSendMutableContent: Bool = false,
    category: String? = nil, collapseIDKey: String? = nil
  ) {
    var info = NotificationInfo()
    (info.alertBody, info.alertLocalizationKey) = (alertBody, alertLocalizationKey)
    info.alertLocalizationArgs = alertLocalizationArgs.storedNames
    (info.title, info.titleLocalizationKey) = (title, titleLocalizationKey)
    info.titleLocalizationArgs = titleLocalizationArgs.storedNames
    (info.subtitle, info.subtitleLocalizationKey) = (subtitle, subtitleLocalizationKey)
    info.subtitleLocalizationArgs = subtitleLocalizationArgs.storedNames
    info.alertActionLocalizationKey = alertActionLocalizationKey
    (info.alertLaunchImage, info.soundName) = (alertLaunchImage, soundName)
    (info.desiredKeys, info.shouldBadge) = (desiredKeys.storedNames, shouldBadge)
    info.shouldSendContentAvailable = shouldSendContentAvailable
    info.shouldSendMutableContent = shouldSendMutableContent
    (info.category, info.collapseIDKey) = (category, collapseIDKey)
    self.init(info)
  }

  /// The info as the service knows it. Throws `invalidArguments` for a field that cannot exist.
  func stored() throws(CloudError) -> NotificationInfo {
    let info = info.withLock { $0 }
    for key in info.keys { _ = try FieldName(key.text) }
    return info
  }

  private func get<T: Sendable>(_ path: KeyPath<NotificationInfo, T>) -> T {
    info.withLock { $0[keyPath: path] }
  }

  private func set<T: Sendable>(_ path: WritableKeyPath<NotificationInfo, T>, _ value: T) {
    info.withLock { $0[keyPath: path] = value }
  }

  private func keys(_ path: KeyPath<NotificationInfo, [FieldName]>) -> [String]? {
    let names = get(path)
    return names.isEmpty ? nil : names.map(\.text)
  }

  // MARK: Texts

  /// The text of the alert.
  public var alertBody: String? {
    get { get(\.alertBody) }
    set { set(\.alertBody, newValue) }
  }
  /// The key of the alert's text in the app; it precedes `alertBody`.
  public var alertLocalizationKey: String? {
    get { get(\.alertLocalizationKey) }
    set { set(\.alertLocalizationKey, newValue) }
  }
  /// The fields whose values fill in that text.
  public var alertLocalizationArgs: [CKRecord.FieldKey]? {
    get { keys(\.alertLocalizationArgs) }
    set { set(\.alertLocalizationArgs, (newValue ?? []).storedNames) }
  }
  /// The title.
  public var title: String? {
    get { get(\.title) }
    set { set(\.title, newValue) }
  }
  /// The key of the title in the app; it precedes `title`.
  public var titleLocalizationKey: String? {
    get { get(\.titleLocalizationKey) }
    set { set(\.titleLocalizationKey, newValue) }
  }
  /// The fields whose values fill in the title.
  public var titleLocalizationArgs: [CKRecord.FieldKey]? {
    get { keys(\.titleLocalizationArgs) }
    set { set(\.titleLocalizationArgs, (newValue ?? []).storedNames) }
  }
  /// The subtitle.
  public var subtitle: String? {
    get { get(\.subtitle) }
    set { set(\.subtitle, newValue) }
  }
  /// The key of the subtitle in the app; it precedes `subtitle`.
  public var subtitleLocalizationKey: String? {
    get { get(\.subtitleLocalizationKey) }
    set { set(\.subtitleLocalizationKey, newValue) }
  }
  /// The fields whose values fill in the subtitle.
  public var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
    get { keys(\.subtitleLocalizationArgs) }
    set { set(\.subtitleLocalizationArgs, (newValue ?? []).storedNames) }
  }
  /// The key of the name of the alert's button.
  public var alertActionLocalizationKey: String? {
    get { get(\.alertActionLocalizationKey) }
    set { set(\.alertActionLocalizationKey, newValue) }
  }

  // MARK: Options

  /// The image that is shown while the app starts.
  public var alertLaunchImage: String? {
    get { get(\.alertLaunchImage) }
    set { set(\.alertLaunchImage, newValue) }
  }
  /// The file of a sound, or `default`.
  public var soundName: String? {
    get { get(\.soundName) }
    set { set(\.soundName, newValue) }
  }
  /// The fields of the record that a push contains; at most three.
  public var desiredKeys: [CKRecord.FieldKey]? {
    get { keys(\.desiredKeys) }
    set { set(\.desiredKeys, (newValue ?? []).storedNames) }
  }
  /// Whether a push increments the badge.
  public var shouldBadge: Bool {
    get { get(\.shouldBadge) }
    set { set(\.shouldBadge, newValue) }
  }
  /// Whether a push wakes the app in the background.
  public var shouldSendContentAvailable: Bool {
    get { get(\.shouldSendContentAvailable) }
    set { set(\.shouldSendContentAvailable, newValue) }
  }
  /// Whether an extension of the app may change the alert.
  public var shouldSendMutableContent: Bool {
    get { get(\.shouldSendMutableContent) }
    set { set(\.shouldSendMutableContent, newValue) }
  }
  /// The category of the alert, for its actions.
  public var category: String? {
    get { get(\.category) }
    set { set(\.category, newValue) }
  }
  /// The key by which pushes replace one another.
  public var collapseIDKey: String? {
    get { get(\.collapseIDKey) }
    set { set(\.collapseIDKey, newValue) }
  }

  // MARK: Copying and archiving

  /// Returns an independent copy.
  public func copy(with zone: NSZone? = nil) -> Any { CKNotificationInfo(info.withLock { $0 }) }

  /// Info can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the info to a keyed archive.
  public func encode(with coder: NSCoder) {
    let info = info.withLock { $0 }
    for text in NotificationInfo.texts {
      coder.encode(info[keyPath: text.path].map { $0 as NSString }, forKey: text.name)
    }
    for list in NotificationInfo.fieldLists {
      coder.encode(
        info[keyPath: list.path].map { $0.text as NSString } as NSArray, forKey: list.name)
    }
    for option in NotificationInfo.switches {
      coder.encode(info[keyPath: option.path], forKey: option.name)
    }
  }

  /// Reads info from a keyed archive.
  public init?(coder: NSCoder) {
    var info = NotificationInfo()
    for text in NotificationInfo.texts {
      info[keyPath: text.path] = coder.string(forKey: text.name)
    }
    for list in NotificationInfo.fieldLists {
      let names =
        coder.object(of: [NSArray.self, NSString.self], forKey: list.name) as? [String] ?? []
      info[keyPath: list.path] = names.storedNames
    }
    for option in NotificationInfo.switches {
      info[keyPath: option.path] = coder.bool(forKey: option.name)
    }
    self.info = Locked(info)
  }

  /// Whether all texts and options are the same.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKNotificationInfo else { return false }
    return info.withLock { $0 } == other.info.withLock { $0 }
  }

  public override var hash: Int { alertBody?.hashValue ?? title?.hashValue ?? 0 }
}

extension [String] {
  /// The names of fields, which are checked when a subscription is saved.
  fileprivate var storedNames: [FieldName] { map { FieldName(stored: $0) } }
}
