internal import Basics

/// A subscription of a fixture.
public struct FixtureSubscription: Sendable, Equatable {
  /// The owner; nil for the account in use.
  public var owner: Account?
  /// The subscription, with the predicate as the fixture writes it.
  public var subscription: Subscription
  /// The predicate of a fixture that writes filters; nil for one that writes text.
  public var filter: Predicate?

  /// Creates a subscription.
  public init(_ subscription: Subscription, owner: Account?) {
    (self.subscription, self.owner) = (subscription, owner)
  }
}

extension FixtureSubscription: FixtureEntry {
  /// What errors call it.
  public var label: String {
    let whose = owner.map { " of \($0.name)" } ?? ""
    return
      "subscription '\(subscription.id.text)'\(whose) in the \(subscription.scope.name) database"
  }

  /// What a comparison prints.
  public var attributes: FixtureAttributes {
    let info = subscription.info ?? NotificationInfo()
    let isQuery = subscription.kind == .query
    var values: [(String, String?)] = [
      ("subscriptionType", subscription.kind.name), ("zone", subscription.zone?.name.text),
      ("recordType", subscription.type?.text),
      ("predicate", isQuery ? subscription.predicate : nil),
      ("firesOn", isQuery ? subscription.events.names.separated(by: ",") : nil),
      ("firesOnce", subscription.firesOnce ? "true" : nil),
    ]
    for property in NotificationInfo.texts {
      values.append((property.name, info[keyPath: property.path]))
    }
    for property in NotificationInfo.fieldLists {
      let names = info[keyPath: property.path].map(\.text)
      values.append((property.name, names.isEmpty ? nil : names.separated(by: ",")))
    }
    for property in NotificationInfo.switches {
      values.append((property.name, info[keyPath: property.path] ? "true" : nil))
    }
    let owner = owner.map { ZoneOwner.user(UserRecordName(stored: $0.name)) } ?? .current
    return FixtureAttributes(
      scope: subscription.scope, zone: ZoneID(.defaultZone, owner: owner),
      name: RecordName(stored: subscription.id.text), type: RecordType(stored: "subscription"),
      values: values.compactMap { key, text in text.map { (key, $0) } })
  }
}
