@_exported public import Foundation

extension SubscriptionModifying.Results {
  fileprivate var outcomes:
    (
      saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
      deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    )
  {
    (
      Dictionary(saves, uniquingKeysWith: { $1 }), Dictionary(deletions, uniquingKeysWith: { $1 })
    )
  }
}

extension CKDatabase {
  // MARK: Saving and deleting

  /// Saves a subscription; one of the same name is replaced (R8.1.4).
  @discardableResult
  public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
    try await client.perform(.writing, modifying([subscription]).run).saves[0].1.get()
  }

  /// Saves a subscription, and passes it or an error.
  @preconcurrency
  public func save(
    _ subscription: CKSubscription,
    completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
  ) {
    client.perform(.writing, modifying([subscription]).run) { results in
      let result = results.flatMap { $0.saves[0].1 }
      completionHandler(result.value, result.error)
    }
  }

  /// Deletes a subscription. Throws `unknownItem` if no subscription has the ID.
  @discardableResult
  public func deleteSubscription(
    withID subscriptionID: CKSubscription.ID
  ) async throws -> CKSubscription.ID {
    try await client.perform(.writing, modifying(deleting: [subscriptionID]).run)
      .deletions[0].1.get()
    return subscriptionID
  }

  /// Deletes a subscription, and passes its name or an error.
  @preconcurrency
  public func delete(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void
  ) {
    client.perform(.writing, modifying(deleting: [subscriptionID]).run) { results in
      let result = results.flatMap { $0.deletions[0].1 }
      completionHandler(result.value.map { subscriptionID }, result.error)
    }
  }

  /// Saves and deletes subscriptions. Throws an error of the whole operation; those of items are in
  /// the results.
  public func modifySubscriptions(
    saving subscriptionsToSave: [CKSubscription],
    deleting subscriptionIDsToDelete: [CKSubscription.ID]
  ) async throws -> (
    saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
    deleteResults: [CKSubscription.ID: Result<Void, any Error>]
  ) {
    try await client.perform(
      .writing, modifying(subscriptionsToSave, deleting: subscriptionIDsToDelete).run
    ).outcomes
  }

  /// Saves and deletes subscriptions, and passes the results.
  @preconcurrency
  public func modifySubscriptions(
    saving subscriptionsToSave: [CKSubscription],
    deleting subscriptionIDsToDelete: [CKSubscription.ID],
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
            deleteResults: [CKSubscription.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    client.perform(
      .writing, modifying(subscriptionsToSave, deleting: subscriptionIDsToDelete).run
    ) { completionHandler($0.map(\.outcomes)) }
  }

  private func modifying(
    _ subscriptions: [CKSubscription] = [], deleting ids: [CKSubscription.ID] = []
  ) -> SubscriptionModifying {
    SubscriptionModifying(subscriptions: subscriptions, deletions: ids, scope: scope)
  }

  // MARK: Fetching

  /// Fetches a subscription. Throws `unknownItem` if no subscription has the ID.
  public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
    try await client.perform(.reading, fetching([subscriptionID]).run)[0].1.get()
  }

  /// Fetches a subscription, and passes it or an error.
  @preconcurrency
  public func fetch(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
  ) {
    client.perform(.reading, fetching([subscriptionID]).run) { results in
      let result = results.flatMap { $0[0].1 }
      completionHandler(result.value, result.error)
    }
  }

  /// Fetches subscriptions.
  public func subscriptions(
    for ids: [CKSubscription.ID]
  ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
    Dictionary(
      try await client.perform(.reading, fetching(ids).run), uniquingKeysWith: { $1 })
  }

  /// Fetches subscriptions, and passes the results.
  @preconcurrency
  public func fetch(
    withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>
      ) -> Void
  ) {
    client.perform(.reading, fetching(subscriptionIDs).run) { result in
      completionHandler(result.map { Dictionary($0, uniquingKeysWith: { $1 }) })
    }
  }

  /// Fetches all subscriptions of the user in the database.
  public func allSubscriptions() async throws -> [CKSubscription] {
    try await client.perform(.reading, fetching(nil).run).compactMap(\.1.value)
  }

  /// Fetches all subscriptions of the user in the database, and passes them or an error.
  @preconcurrency
  public func fetchAllSubscriptions(
    completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
  ) {
    client.perform(.reading, fetching(nil).run) { result in
      completionHandler(result.value?.compactMap(\.1.value), result.error)
    }
  }

  private func fetching(_ ids: [CKSubscription.ID]?) -> SubscriptionFetching {
    SubscriptionFetching(ids: ids, scope: scope)
  }
}
