internal import CloudModel
internal import CloudServices
internal import Foundation

/// Saves and deletions of subscriptions; each succeeds or fails on its own (R8.1.4).
struct SubscriptionModifying: Sendable {
  var subscriptions: [CKSubscription] = []
  var deletions: [CKSubscription.ID] = []
  var scope: DatabaseScope

  struct Results: Sendable {
    var saves: [(CKSubscription.ID, Result<CKSubscription, any Error>)] = []
    var deletions: [(CKSubscription.ID, Result<Void, any Error>)] = []

    /// The failed items as one error; nil for none.
    var error: CKError? {
      let errors = Dictionary(failures: saves).merging(Dictionary(failures: deletions)) { $1 }
      return .partial("Failed to modify some subscriptions", errors)
    }
  }

  func run(_ client: Client, _ request: Request) throws -> Results {
    let database = try client.database(scope, for: request)
    try database.requireActor()
    var results = Results()
    for subscription in subscriptions {
      let result = Self.item { () throws(CloudError) in
        CKSubscription.stored(try database.save(subscription.request()).subscription)
      }
      results.saves.append((subscription.subscriptionID, result))
    }
    for id in deletions {
      let result = Self.item { () throws(CloudError) in
        try database.deleteSubscriptions([SubscriptionID(id)])
      }
      results.deletions.append((id, result))
    }
    return results
  }

  fileprivate static func item<T>(
    _ work: () throws(CloudError) -> T
  ) -> Result<T, any Error> {
    do throws(CloudError) { return .success(try work()) } catch { return .failure(CKError(error)) }
  }
}

/// A fetch of subscriptions, of some or of all.
struct SubscriptionFetching: Sendable {
  /// The subscriptions; nil for all.
  var ids: [CKSubscription.ID]?
  var scope: DatabaseScope

  typealias Results = [(CKSubscription.ID, Result<CKSubscription, any Error>)]

  func run(_ client: Client, _ request: Request) throws -> Results {
    let database = try client.database(scope, for: request)
    guard let ids else {
      return try database.subscriptions().map { ($0.id.text, .success(.stored($0))) }
    }
    try database.requireActor()
    return ids.map { id in
      let result = SubscriptionModifying.item { () throws(CloudError) in
        CKSubscription.stored(try database.subscription(SubscriptionID(id)))
      }
      return (id, result)
    }
  }

  /// The failed items of some results as one error; nil for none.
  static func error(of results: Results) -> CKError? {
    .partial("Failed to fetch some subscriptions", Dictionary(failures: results))
  }
}
