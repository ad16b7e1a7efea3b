@_exported public import Foundation

/// Saves and deletes subscriptions.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The subscriptions to save; one of the same name is replaced.
  public var subscriptionsToSave: [CKSubscription]?
  /// The subscriptions to delete.
  public var subscriptionIDsToDelete: [CKSubscription.ID]?

  /// Called with each saved subscription, or its error.
  public var perSubscriptionSaveBlock:
    ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
  /// Called with each deleted subscription, or its error.
  public var perSubscriptionDeleteBlock: ((CKSubscription.ID, Result<Void, any Error>) -> Void)?
  /// Called last.
  public var modifySubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called last, with the saved and deleted subscriptions.
  public var modifySubscriptionsCompletionBlock:
    (([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation that saves and deletes subscriptions.
  public convenience init(
    subscriptionsToSave: [CKSubscription]? = nil,
    subscriptionIDsToDelete: [CKSubscription.ID]? = nil
  ) {
    self.init()
    self.subscriptionsToSave = subscriptionsToSave
    self.subscriptionIDsToDelete = subscriptionIDsToDelete
  }

  override func execute() {
    let change = SubscriptionModifying(
      subscriptions: subscriptionsToSave ?? [], deletions: subscriptionIDsToDelete ?? [],
      scope: scope)
    run(.writing, change.run) { [self] result in
      switch result {
      case .failure(let error): finish(nil, nil, error)
      case .success(let results):
        for (id, result) in results.saves { perSubscriptionSaveBlock?(id, result) }
        for (id, result) in results.deletions { perSubscriptionDeleteBlock?(id, result) }
        let deleted = results.deletions.filter { $0.1.error == nil }.map(\.0)
        finish(results.saves.compactMap(\.1.value), deleted, results.error)
      }
    }
  }

  private func finish(
    _ saved: [CKSubscription]?, _ deleted: [CKSubscription.ID]?, _ error: (any Error)?
  ) {
    finish { [self] in
      modifySubscriptionsCompletionBlock?(saved, deleted, error)
      modifySubscriptionsResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (perSubscriptionSaveBlock, perSubscriptionDeleteBlock) = (nil, nil)
    (modifySubscriptionsResultBlock, modifySubscriptionsCompletionBlock) = (nil, nil)
  }
}

/// Fetches subscriptions.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The subscriptions to fetch; nil for all.
  public var subscriptionIDs: [CKSubscription.ID]?

  /// Called with each subscription, or its error.
  public var perSubscriptionResultBlock:
    ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
  /// Called last.
  public var fetchSubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called last, with all subscriptions.
  public var fetchSubscriptionCompletionBlock:
    (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?

  /// The newer name of `fetchSubscriptionCompletionBlock`.
  public var fetchSubscriptionsCompletionBlock:
    (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?
  {
    get { fetchSubscriptionCompletionBlock }
    set { fetchSubscriptionCompletionBlock = newValue }
  }

  /// Creates an operation that fetches all subscriptions of the database.
  public override init() { super.init() }

  /// Creates an operation that fetches subscriptions.
  public convenience init(subscriptionIDs: [CKSubscription.ID]) {
    self.init()
    self.subscriptionIDs = subscriptionIDs
  }

  /// Creates an operation that fetches all subscriptions of the database.
  public class func fetchAllSubscriptionsOperation() -> CKFetchSubscriptionsOperation {
    CKFetchSubscriptionsOperation()
  }

  override func execute() {
    run(.reading, SubscriptionFetching(ids: subscriptionIDs, scope: scope).run) { [self] result in
      switch result {
      case .failure(let error): finish(nil, error)
      case .success(let results):
        for (id, result) in results { perSubscriptionResultBlock?(id, result) }
        let found = results.compactMap { id, result in result.value.map { (id, $0) } }
        finish(
          Dictionary(found, uniquingKeysWith: { $1 }), SubscriptionFetching.error(of: results))
      }
    }
  }

  private func finish(
    _ subscriptions: [CKSubscription.ID: CKSubscription]?, _ error: (any Error)?
  ) {
    finish { [self] in
      fetchSubscriptionCompletionBlock?(subscriptions, error)
      fetchSubscriptionsResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (perSubscriptionResultBlock, fetchSubscriptionsResultBlock) = (nil, nil)
    fetchSubscriptionCompletionBlock = nil
  }
}
