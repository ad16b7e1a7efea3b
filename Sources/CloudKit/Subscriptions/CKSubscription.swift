internal import Basics
internal import CloudModel
internal import CloudServices
@_exported public import Foundation
internal import PredicateLanguage

/// What makes iCloud send pushes to the user's other devices (R8.1). Create one of its kinds.
///
/// A lock protects what changes, which is why the compiler need not check it.
open class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The name of a subscription.
  public typealias ID = String
  /// The texts and options of a subscription's pushes.
  public typealias NotificationInfo = CKNotificationInfo

  /// The kinds of subscriptions.
  public enum SubscriptionType: Int, Sendable {
    case query = 1
    case recordZone = 2
    case database = 3
  }

  /// The name, unique among those of the user in a database.
  public let subscriptionID: CKSubscription.ID
  /// The kind.
  public let subscriptionType: CKSubscription.SubscriptionType
  let content: Locked<Content>

  /// What an app can change.
  struct Content: Sendable {
    var recordType: String?
    var zoneID: CKRecordZone.ID?
    var info: NotificationInfo?
  }

  /// What the pushes contain; nil for silent ones.
  open var notificationInfo: CKSubscription.NotificationInfo? {
    get { content.withLock { $0.info } }
    set {
      let info = newValue?.copy() as? NotificationInfo
      content.withLock { $0.info = info }
    }
  }

  init(_ id: String, _ type: SubscriptionType, _ content: Content) {
    precondition(!id.isEmpty, "CKSubscription.subscriptionID must not be empty")
    (subscriptionID, subscriptionType) = (id, type)
    self.content = Locked(content)
  }

  /// The subscription as the service knows it. Throws `invalidArguments` for what none can have.
  func request() throws(CloudError) -> SubscriptionRequest {
    let content = content.withLock { $0 }
    var subscription = Subscription(
      try SubscriptionID(subscriptionID),
      Subscription.Kind(rawValue: subscriptionType.rawValue) ?? .query, in: .private)
    subscription.zone = try content.zoneID?.zone()
    subscription.type = try content.recordType.map { (name) throws(CloudError) in
      try RecordType(schemaName: name)
    }
    subscription.info = try content.info?.stored()
    return SubscriptionRequest(subscription, isNamed: true)
  }

  // MARK: Copying and archiving

  /// Returns an independent copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    CKSubscription(subscriptionID, subscriptionType, copiedContent)
  }

  var copiedContent: Content {
    var content = content.withLock { $0 }
    content.info = content.info?.copy() as? NotificationInfo
    return content
  }

  /// Subscriptions can be read from archives that name their classes.
  open class var supportsSecureCoding: Bool { true }

  private enum Key {
    static let id = "SubscriptionID"
    static let type = "SubscriptionType"
    static let recordType = "RecordType"
    static let zoneID = "ZoneID"
    static let info = "NotificationInfo"
  }

  /// Writes the subscription to a keyed archive.
  open func encode(with coder: NSCoder) {
    let content = content.withLock { $0 }
    coder.encode(subscriptionID as NSString, forKey: Key.id)
    coder.encode(subscriptionType.rawValue, forKey: Key.type)
    coder.encode(content.recordType.map { $0 as NSString }, forKey: Key.recordType)
    coder.encode(content.zoneID, forKey: Key.zoneID)
    coder.encode(content.info, forKey: Key.info)
  }

  /// Reads a subscription from a keyed archive.
  public required init(coder aDecoder: NSCoder) {
    subscriptionID = aDecoder.string(forKey: Key.id) ?? UUID().uuidString
    subscriptionType =
      aDecoder.integer(forKey: Key.type).flatMap(SubscriptionType.init) ?? .query
    content = Locked(
      Content(
        recordType: aDecoder.string(forKey: Key.recordType),
        zoneID: aDecoder.object(of: CKRecordZone.ID.self, forKey: Key.zoneID),
        info: aDecoder.object(of: CKNotificationInfo.self, forKey: Key.info)))
  }

  // MARK: Comparing

  /// Whether name and kind are the same.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKSubscription else { return false }
    return subscriptionID == other.subscriptionID && subscriptionType == other.subscriptionType
  }

  open override var hash: Int { subscriptionID.hashValue }

  /// `<CKQuerySubscription: 0x7f…; subscriptionID=books>`.
  open override var description: String {
    "<\(type(of: self)): \(address(of: self)); subscriptionID=\(subscriptionID)>"
  }
}

extension CKSubscription {
  /// A stored subscription.
  static func stored(_ subscription: Subscription) -> CKSubscription {
    let content = Content(
      recordType: subscription.type?.text, zoneID: subscription.zone.map { .stored($0) },
      info: subscription.info.map { CKNotificationInfo($0) })
    let id = subscription.id.text
    switch subscription.kind {
    case .database: return CKDatabaseSubscription(id, .database, content)
    case .zone: return CKRecordZoneSubscription(id, .recordZone, content)
    case .query:
      let predicate = (try? PredicateParser.parse(subscription.predicate)).map { NSPredicate($0) }
      return CKQuerySubscription(
        id, content, predicate ?? NSPredicate(value: true),
        CKQuerySubscription.Options(subscription))
    }
  }
}
