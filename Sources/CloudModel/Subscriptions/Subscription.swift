internal import Basics

/// A user's subscription (R8.1): sends a push to the user's devices when records change.
public struct Subscription: Sendable, Equatable {
  /// Its name.
  public var id: SubscriptionID
  /// Its database.
  public var scope: DatabaseScope
  /// Its kind, which determines what fires it.
  public var kind: Kind
  /// The zone; nil for all zones of the database. A zone subscription has one.
  public var zone: ZoneID?
  /// The type of the records; nil for all. A query subscription has one.
  public var type: RecordType?
  /// The predicate, as canonical text; `TRUEPREDICATE` unless it is a query subscription.
  public var predicate = "TRUEPREDICATE"
  /// Which changes fire a query subscription.
  public var events: Events = .all
  /// Whether a query subscription is deleted after its first push.
  public var firesOnce = false
  /// The push's info; nil for a silent push.
  public var info: NotificationInfo?

  /// The three kinds; the numbers are those of `CKSubscriptionType`.
  public enum Kind: Int, Sendable, CaseIterable {
    case query = 1
    case zone = 2
    case database = 3

    /// The name on the wire (web-services.md, §4).
    public var name: String {
      switch self {
      case .query: "query"
      case .zone: "zone"
      case .database: "database"
      }
    }

    /// The type of its notifications.
    public var notificationType: String { self == .zone ? "recordZone" : name }
  }

  /// The changes that fire a query subscription; the numbers are those of
  /// `CKQuerySubscriptionOptions`.
  public struct Events: OptionSet, Sendable, Hashable {
    /// The changes as bits.
    public let rawValue: Int

    /// The changes of some bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A record is created.
    public static let create = Events(rawValue: 1)
    /// A record changes.
    public static let update = Events(rawValue: 2)
    /// A record is deleted.
    public static let delete = Events(rawValue: 4)
    /// All of them, which is the default.
    public static let all: Events = [.create, .update, .delete]

    /// The changes by their names on the wire, in their order.
    public static let named: [(name: String, event: Events)] = [
      ("create", .create), ("update", .update), ("delete", .delete),
    ]

    /// The names of the changes in the set.
    public var names: [String] { Self.named.filter { contains($0.event) }.map(\.name) }
  }

  /// Creates a subscription.
  public init(
    _ id: SubscriptionID, _ kind: Kind, in scope: DatabaseScope, zone: ZoneID? = nil,
    type: RecordType? = nil
  ) {
    (self.id, self.kind, self.scope) = (id, kind, scope)
    (self.zone, self.type) = (zone, type)
  }
}

extension Subscription {
  /// Whether another subscription fires for the same changes of the same database, whatever its
  /// pushes contain.
  public func isDuplicate(of other: Subscription) -> Bool {
    id != other.id && kind == other.kind && zone == other.zone && type == other.type
      && utf8Equal(predicate, other.predicate) && events == other.events
  }
}
