internal import Basics
internal import CloudModel

extension FixtureSubscription: WrittenFixtureEntry {
  static let key = "subscriptions"
  static let isNamed = false
  var name: String? { nil }

  /// Reads a subscription in the wire format, with its user and its database.
  init(_ name: String, _ json: JSONValue) throws(CloudError) {
    var members = try FixtureJSON.members(json, "a subscription")
    func take(_ name: String) throws(CloudError) -> String? {
      guard let place = members.firstIndex(where: { utf8Equal($0.name, name) }) else { return nil }
      return try FixtureJSON.text(members.remove(at: place).value, name)
    }
    let user = try take("user")
    let database = try take("database") ?? DatabaseScope.private.name
    guard let scope = DatabaseScope.allCases.first(where: { $0.name == database }) else {
      throw FixtureJSON.fault(
        "a database must be public, private or shared, not '\(database.visible)'")
    }
    let draft: SubscriptionDraft
    do throws(JSONError) { draft = try SubscriptionDraft(json: .object(members)) } catch {
      throw FixtureJSON.fault(error.message)
    }
    guard draft.isNamed else { throw FixtureJSON.fault("the subscription has no subscriptionID") }
    var subscription = draft.subscription
    subscription.scope = scope
    if let predicate = draft.predicate { subscription.predicate = predicate }
    self.init(
      subscription,
      owner: try user.map { (name) throws(CloudError) -> Account in try Account(name) })
    filter = draft.filter
  }

  func json(_ source: FixtureWriter.AssetText) -> JSONValue {
    var members: [JSONMember] = []
    if let owner { members.append(JSONMember("user", .string(owner.name))) }
    members.append(JSONMember("database", .string(subscription.scope.name)))
    if case .object(let own) = subscription.json { members += own }
    return .object(members)
  }
}
