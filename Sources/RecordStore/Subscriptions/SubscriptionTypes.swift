internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

// The types of query subscriptions belong to the schema of an environment (R1.2.14).
extension EnvironmentStore {
  /// The types of the query subscriptions that were ever made or deployed, in byte order. Files of
  /// older formats have only those of their subscriptions.
  public func subscriptionTypes() throws(StoreError) -> [SubscriptionType] {
    let noted = try database.all(
      "SELECT \(EnvironmentTables.subscriptionType.selection()) FROM _subscription_type", []
    ) { (statement) throws(StoreError) in
      let row = try Row(EnvironmentTables.subscriptionType, in: statement)
      return SubscriptionType(row["type"], Subscription.Events(rawValue: row["events"]))
    }
    let all = Set(try noted + subscriptions().compactMap { SubscriptionType(of: $0.subscription) })
    return all.sorted {
      $0.recordType == $1.recordType
        ? $0.events.rawValue < $1.events.rawValue
        : utf8Precedes($0.recordType.text, $1.recordType.text)
    }
  }

  /// Adds a type of subscriptions, if it is new.
  public func add(_ type: SubscriptionType) throws(StoreError) {
    try database.insert(
      EnvironmentTables.subscriptionType,
      ["type": type.recordType, "events": type.events.rawValue], .update)
  }

  /// Replaces all types of subscriptions.
  public func set(subscriptionTypes types: [SubscriptionType]) throws(StoreError) {
    try database.delete(from: EnvironmentTables.subscriptionType, "TRUE", [])
    for type in types { try add(type) }
  }
}
