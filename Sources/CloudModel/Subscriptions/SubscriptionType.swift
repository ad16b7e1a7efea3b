/// What a query subscription is in the schema: production takes only those that were deployed
/// (R1.2.14). The service tells subscriptions apart by their record type and their events
/// (https://github.com/brightdigit/MistKit/issues/387).
public struct SubscriptionType: Sendable, Hashable {
  /// The type of the records.
  public let recordType: RecordType
  /// The changes that fire it.
  public let events: Subscription.Events

  /// A type of subscriptions.
  public init(_ recordType: RecordType, _ events: Subscription.Events) {
    (self.recordType, self.events) = (recordType, events)
  }

  /// The type of a subscription; nil if it is not a query's.
  public init?(of subscription: Subscription) {
    guard subscription.kind == .query, let type = subscription.type else { return nil }
    self.init(type, subscription.events)
  }
}
