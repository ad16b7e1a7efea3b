/// A push that a subscription caused, as a device of its user has it (R8.3, `CKNotification`).
public struct PushNotification: Sendable, Equatable {
  /// Its number, which no other notification of the environment ever has.
  public var number: Int64
  /// Its id.
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
  /// The record, for a query subscription.
  public var record: RecordName?
  /// What happened to the record, for a query subscription.
  public var reason: Reason?
  /// The values of the desired keys, in their order, as plain JSON.
  public var fields: [Value] = []
  /// What the subscription said when it fired.
  public var info: NotificationInfo
  /// The values of the fields that fill texts, in their order.
  public var arguments: Arguments = Arguments()
  /// When it was sent.
  public var at: Timestamp
  /// Whether it was marked as read.
  public var isRead = false
  /// The device's badge with it; nil where it sets none.
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

    /// Puts a value together.
    public init(_ name: FieldName, json: String) { (self.name, self.json) = (name, json) }
  }

  /// The values that fill the texts of an alert.
  public struct Arguments: Sendable, Equatable {
    /// Those of the body.
    public var alert: [String] = []
    /// Those of the title.
    public var title: [String] = []
    /// Those of the subtitle.
    public var subtitle: [String] = []

    /// None.
    public init() {}
  }

  /// Puts a notification together.
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
