/// A push of a subscription, as received by a device of its user (R8.3, `CKNotification`).
public struct PushNotification: Sendable, Equatable {
  /// Its number, never reused in the environment.
  public var number: Int64
  /// Its id: that of the change and the device, whatever subscriptions the change matched.
  public var id: String
  /// The container.
  public var container: ContainerID
  /// The user whose subscription it is.
  public var user: UserRecordName
  /// The subscription.
  public var subscription: SubscriptionID
  /// The kind of the subscription.
  public var kind: Subscription.Kind
  /// The database.
  public var scope: DatabaseScope
  /// The zone of the record, or of a zone subscription; nil for a database subscription (R8.3.2).
  public var zone: ZoneID?
  /// The zone whose change a database subscription reports, which only the payload names.
  public var changedZone: ZoneID?
  /// The record, for a query subscription.
  public var record: RecordName?
  /// What happened to the record, for a query subscription.
  public var reason: Reason?
  /// The values of the desired keys, in their order, as plain JSON.
  public var fields: [Value] = []
  /// The subscription's info when it fired.
  public var info: NotificationInfo
  /// The values that fill in the texts.
  public var arguments: Arguments = Arguments()
  /// When it was sent.
  public var at: Timestamp
  /// Whether it was marked as read.
  public var isRead = false
  /// The device's badge; nil if unchanged.
  public var badge: Int?

  /// What happened to a record; the numbers are those of `CKQueryNotification.Reason`.
  public enum Reason: Int, Sendable, CaseIterable {
    case created = 1
    case updated = 2
    case deleted = 3

    /// The name in CloudKit's API.
    public var name: String {
      switch self {
      case .created: "created"
      case .updated: "updated"
      case .deleted: "deleted"
      }
    }
  }

  /// A field's value.
  public struct Value: Sendable, Equatable {
    /// The field.
    public let name: FieldName
    /// The value as plain JSON.
    public let json: String

    /// Creates a value.
    public init(_ name: FieldName, json: String) { (self.name, self.json) = (name, json) }
  }

  /// The values that fill in the texts of an alert.
  public struct Arguments: Sendable, Equatable {
    /// The values for the body.
    public var alert: [String] = []
    /// The values for the title.
    public var title: [String] = []
    /// The values for the subtitle.
    public var subtitle: [String] = []

    /// No values.
    public init() {}
  }

  /// Creates a notification.
  public init(
    number: Int64, id: String, container: ContainerID, user: UserRecordName,
    subscription: SubscriptionID, kind: Subscription.Kind, scope: DatabaseScope,
    info: NotificationInfo, at: Timestamp
  ) {
    (self.number, self.id, self.container, self.user) = (number, id, container, user)
    (self.subscription, self.kind, self.scope) = (subscription, kind, scope)
    (self.info, self.at) = (info, at)
  }
}
