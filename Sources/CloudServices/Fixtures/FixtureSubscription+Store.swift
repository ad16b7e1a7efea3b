internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import RecordStore

extension FixtureSubscription: StoredFixtureEntry {
  /// The subscriptions of all accounts, in order of creation.
  static func all(in directory: ShareDirectory) throws -> [FixtureSubscription] {
    let environment = directory.environment
    return try environment.store.subscriptions().map { stored in
      let isOwn = stored.account == environment.request.account
      return FixtureSubscription(stored.subscription, owner: isOwn ? nil : stored.account)
    }
  }

  /// The subscription with the canonical text of its predicate, and without its user if that is the
  /// request's account.
  func canonical(in directory: ShareDirectory) -> FixtureSubscription {
    var given = self
    if given.owner == directory.environment.request.account { given.owner = nil }
    if given.subscription.kind == .query {
      given.subscription.predicate = (try? predicate().text) ?? given.subscription.predicate
    }
    given.filter = nil
    return given
  }

  private func predicate() throws(PredicateError) -> Predicate {
    if let filter { return filter }
    return try PredicateParser.parse(subscription.predicate)
  }

  func loadAfterRecords(
    _ loading: inout FixtureEntryLoading, _ transaction: WriteTransaction
  ) throws {
    let own = try transaction.part(inPrivateOf: owner)
    let part = try own.part(in: subscription.scope)
    let old = try part.store.subscription(
      subscription.id, of: part.writer, in: subscription.scope)
    var request = SubscriptionRequest(subscription, isNamed: true)
    request.isForCloudKit = false
    if subscription.kind == .query {
      do { request.predicate = try predicate() } catch {
        throw CloudError(.invalidArguments, "the predicate: \(error.message)")
      }
    }
    let saved: Subscription
    do { saved = try part.database.save(request, part, index: 0).subscription } catch {
      throw CloudError(any: error)
    }
    if let old {
      if old.subscription == saved {
        loading.summary.unchanged += 1
        return
      }
      guard loading.mode != .insert else {
        throw CloudError(
          .serverRecordChanged,
          "a different subscription '\(saved.id.text)' already exists")
      }
      loading.summary.changed += 1
    } else {
      loading.summary.created += 1
    }
  }
}
