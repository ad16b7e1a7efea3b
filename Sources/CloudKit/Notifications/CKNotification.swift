@_exported public import Foundation

/// A class that can read its objects from the dictionary of a push.
///
/// A protocol, because only the initializer of a protocol can return an object of a subclass: that
/// of the push's kind.
public protocol RemoteNotification {}

extension RemoteNotification {
  /// Reads the dictionary of a push, which the app's delegate got: a `CKQueryNotification`,
  /// `CKRecordZoneNotification` or `CKDatabaseNotification`. Nil for a push that is not CloudKit's.
  public init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
    guard let push = RemotePush(notificationDictionary), let known = push.notification as? Self
    else { return nil }
    self = known
  }
}

/// A push of a subscription (R8.3).
open class CKNotification: NSObject, RemoteNotification, @unchecked Sendable {
  /// The identity of a notification.
  public typealias ID = CKNotificationID

  /// The kinds of notifications.
  public enum NotificationType: Int, Sendable {
    case query = 1
    case recordZone = 2
    case readNotification = 3
    case database = 4
  }

  // What a push says never changes; so the compiler need not check it.
  let push: RemotePush

  init(_ push: RemotePush) { self.push = push }

  /// The kind of the subscription.
  open var notificationType: CKNotification.NotificationType { push.type }
  /// The identity of the notification; nil if it did not fit into the push.
  open var notificationID: CKNotification.ID? { push.id.map { CKNotificationID($0) } }
  /// The container; nil if it did not fit into the push.
  open var containerIdentifier: String? { push.container }
  /// The user whose subscription it is.
  open var subscriptionOwnerUserRecordID: CKRecord.ID? {
    push.user.map { CKRecord.ID(recordName: $0) }
  }
  /// Whether parts did not fit into the push.
  open var isPruned: Bool { push.isPruned }
  /// The subscription.
  open var subscriptionID: CKSubscription.ID? { push.subject["sid"] as? String }

  // MARK: Texts

  /// The text of the alert.
  open var alertBody: String? { push.alert["body"] as? String }
  /// The key of the alert's text in the app.
  open var alertLocalizationKey: String? { push.alert["loc-key"] as? String }
  /// The values that fill in that text.
  open var alertLocalizationArgs: [String]? { push.alert["loc-args"] as? [String] }
  /// The title.
  open var title: String? { push.alert["title"] as? String }
  /// The key of the title in the app.
  open var titleLocalizationKey: String? { push.alert["title-loc-key"] as? String }
  /// The values that fill in the title.
  open var titleLocalizationArgs: [String]? { push.alert["title-loc-args"] as? [String] }
  /// The subtitle.
  open var subtitle: String? { push.alert["subtitle"] as? String }
  /// The key of the subtitle in the app.
  open var subtitleLocalizationKey: String? { push.alert["subtitle-loc-key"] as? String }
  /// The values that fill in the subtitle.
  open var subtitleLocalizationArgs: [String]? { push.alert["subtitle-loc-args"] as? [String] }
  /// The key of the name of the alert's button.
  open var alertActionLocalizationKey: String? { push.alert["action-loc-key"] as? String }
  /// The image that is shown while the app starts.
  open var alertLaunchImage: String? { push.alert["launch-image"] as? String }
  /// The number on the app's icon; nil if it does not change.
  open var badge: NSNumber? { push.aps["badge"] as? NSNumber }
  /// The file of a sound, or `default`.
  open var soundName: String? { push.aps["sound"] as? String }
  /// The category of the alert.
  open var category: String? { push.aps["category"] as? String }

  /// `<CKDatabaseNotification: 0x7f…; subscriptionID=all>`.
  open override var description: String {
    "<\(type(of: self)): \(address(of: self)); subscriptionID=\(subscriptionID ?? "nil")>"
  }
}

/// A push of a query subscription: a record was created, changed or deleted.
open class CKQueryNotification: CKNotification, @unchecked Sendable {
  /// What happened to the record.
  public enum Reason: Int, Sendable {
    case recordCreated = 1
    case recordUpdated = 2
    case recordDeleted = 3
  }

  /// What happened to the record.
  open var queryNotificationReason: CKQueryNotification.Reason {
    (push.subject["fo"] as? NSNumber).flatMap { Reason(rawValue: $0.intValue) } ?? .recordUpdated
  }

  /// The values of the fields that the subscription asks for; nil for none.
  open var recordFields: [String: Any]? { push.subject["af"] as? [String: Any] }

  /// The record; nil if it did not fit into the push.
  open var recordID: CKRecord.ID? {
    guard let name = push.subject["rid"] as? String, !name.isEmpty else { return nil }
    return CKRecord.ID(recordName: name, zoneID: push.zoneID ?? .default)
  }

  /// The database of the record.
  open var databaseScope: CKDatabase.Scope { push.scope ?? .private }
}

/// A push of a zone subscription: a record of the zone changed.
open class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
  /// The zone; nil if it did not fit into the push.
  open var recordZoneID: CKRecordZone.ID? { push.zoneID }
  /// The database of the zone.
  open var databaseScope: CKDatabase.Scope { push.scope ?? .private }
}

/// A push of a database subscription: a zone of the database changed.
open class CKDatabaseNotification: CKNotification, @unchecked Sendable {
  /// The database.
  open var databaseScope: CKDatabase.Scope { push.scope ?? .private }
}

/// The identity of a notification (`CKNotification.ID`).
public final class CKNotificationID: NSObject, NSSecureCoding, NSCopying, Sendable {
  private let text: String

  init(_ text: String) { self.text = text }

  /// Returns the identity itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Identities can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private static let key = "NotificationID"

  /// Writes the identity to a keyed archive.
  public func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: Self.key) }

  /// Reads an identity from a keyed archive; nil for another object.
  public init?(coder: NSCoder) {
    guard let text = coder.string(forKey: Self.key) else { return nil }
    self.text = text
  }

  /// Whether it is the same notification.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKNotificationID)?.text == text
  }

  public override var hash: Int { text.hashValue }

  /// The identity as text.
  public override var description: String { text }
}
