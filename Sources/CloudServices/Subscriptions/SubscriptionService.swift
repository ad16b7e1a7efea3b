internal import Basics
public import CloudModel
public import PredicateLanguage
internal import RecordStore

/// A subscription to save.
public struct SubscriptionRequest {
  /// The subscription without its predicate; an unnamed one gets a random name.
  public var subscription: Subscription
  /// Whether the name was given.
  public var isNamed: Bool
  /// The predicate of a query subscription.
  public var predicate: Predicate?
  /// Whether its type must have been deployed (R1.2.14); a fixture brings its own.
  public var isForCloudKit = true
  /// Receives the findings that make CloudKit refuse the predicate.
  public var report: ([Finding]) throws -> Void = { _ in }

  /// Creates a request.
  public init(_ subscription: Subscription, isNamed: Bool, predicate: Predicate? = nil) {
    (self.subscription, self.isNamed, self.predicate) = (subscription, isNamed, predicate)
  }
}

/// The result of saving a subscription.
public struct SubscriptionResult: Sendable {
  /// The subscription.
  public let subscription: Subscription
  /// Whether the subscription is new.
  public let isNew: Bool
  /// The notices of the operation.
  public let notices: [Notice]
}

extension CloudDatabase {
  /// The account's subscriptions in this database, in order of creation.
  public func subscriptions() throws(CloudError) -> [Subscription] {
    try requireActor()
    return try environment.read { try storedSubscriptions().map(\.subscription) }
  }

  /// Returns a subscription by name. Throws `unknownItem`.
  public func subscription(_ id: SubscriptionID) throws(CloudError) -> Subscription {
    try requireActor()
    return try environment.read { try stored(id).subscription }
  }

  private func storedSubscriptions() throws -> [StoredSubscription] {
    guard let account, let user = try store.user(account, on: device) else { return [] }
    return try store.subscriptions(of: user, in: scope)
  }

  private func stored(_ id: SubscriptionID) throws -> StoredSubscription {
    if let account, let user = try store.user(account, on: device),
      let found = try store.subscription(id, of: user, in: scope)
    {
      return found
    }
    throw CloudError(
      .unknownItem, "The subscription '\(id.text)' does not exist",
      remedy: .nearest(
        to: id.text, among: try storedSubscriptions().map(\.subscription.id.text)))
  }

  /// Saves a subscription; replaces one with the same name (R8.1.4).
  ///
  /// Throws `badDatabase` if its kind is not allowed in the database, `invalidArguments` if
  /// CloudKit refuses it, `serverRejectedRequest` for a duplicate under another name (R8.1.6).
  public func save(
    _ request: SubscriptionRequest
  ) throws(CloudError) -> SubscriptionResult {
    try requireActor()
    return try write { try save(request, $0, index: 0) }
  }

  /// Saves subscriptions, all or none. Throws as above.
  public func save(
    _ requests: [SubscriptionRequest]
  ) throws(CloudError) -> [SubscriptionResult] {
    try requireActor()
    return try write { transaction in
      try requests.enumerated().map { try save($1, transaction, index: $0) }
    }
  }

  /// Saves one within a transaction; `index` counts the subscriptions of an operation.
  func save(
    _ request: SubscriptionRequest, _ transaction: WriteTransaction, index: Int
  ) throws -> SubscriptionResult {
    var subscription = request.subscription
    subscription.scope = scope
    let writer = transaction.writer
    if !request.isNamed {
      let count = try store.subscriptionCount(of: writer, in: scope)
      subscription.id = makeSubscriptionID(count, index)
    }
    subscription.zone = subscription.zone.map(identity)
    try SubscriptionRules(database: self).check(&subscription, request)
    if let other = try store.duplicate(of: subscription, by: writer) {
      throw CloudError(
        .serverRejectedRequest, "subscription is duplicate of '\(other.id.text)'",
        serverCode: 2032, remedy: "change '\(other.id.text)', or delete it first")
    }
    if let type = SubscriptionType(of: subscription) { try store.add(type) }
    return SubscriptionResult(
      subscription: subscription, isNew: try store.set(subscription, of: writer),
      notices: index == 0 ? transaction.notices : [])
  }

  /// Creates a random name for a subscription, given how many there are.
  private func makeSubscriptionID(_ count: Int64, _ index: Int) -> SubscriptionID {
    SubscriptionID(
      stored: environment.request.randomness.uuid(purpose: [
        environment.container.text, environment.environment.rawValue, scope.name, "subscription",
        String(store.nextSequence), String(count), String(index),
      ]))
  }

  /// Deletes subscriptions, all or none. Throws `unknownItem` for a missing one (R8.1.4).
  public func deleteSubscriptions(_ ids: [SubscriptionID]) throws(CloudError) {
    try requireActor()
    try write { _ in
      for id in ids { try store.remove(try stored(id)) }
    }
  }
}
