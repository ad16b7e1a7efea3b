public import Basics
public import CloudModel
internal import FieldCodecs

/// A subscription in JSON, as on the wire (web-services.md, §4). The predicate of a query is a
/// text, in `query.predicate`, or filters, in `query.filterBy`.
public struct SubscriptionDraft {
  /// The subscription without the predicate. Its database is not in the text.
  public var subscription: Subscription
  /// Whether it has a name.
  public var isNamed: Bool
  /// The text of the predicate; nil for none.
  public var predicate: String?
  /// The predicate that filters make; nil for none.
  public var filter: Predicate?

  /// Parses one subscription or a list of them. Throws `JSONError` with its position.
  public static func list(_ text: String) throws(JSONError) -> [SubscriptionDraft] {
    let value = try JSONParser.parse(text)
    guard let items = value.array else { return [try SubscriptionDraft(json: value)] }
    return try items.map { (item) throws(JSONError) in try SubscriptionDraft(json: item) }
  }

  /// Parses a subscription. Unknown members are errors unless they are ignored. Throws `JSONError`
  /// with its position.
  public init(
    json value: JSONValue, at offset: Int = 0, ignoringUnknown: Bool = false
  ) throws(JSONError) {
    guard case .object(let members) = value else {
      throw JSONError("a subscription must be an object, not \(value.kind)", at: offset)
    }
    var reader = SubscriptionReader(members: members, ignoringUnknown)
    let kind = try reader.kind(at: offset)
    let id = try reader.text("subscriptionID")
    subscription = Subscription(
      try reader.checked("subscriptionID") { () throws(CloudError) in
        try id.map { (id) throws(CloudError) in try SubscriptionID(id) }
      } ?? SubscriptionID(stored: ""), kind, in: .private)
    isNamed = id != nil
    subscription.zone = try reader.zone()
    subscription.type = try reader.type("recordType")
    if let query = try reader.object("query") {
      var inner = SubscriptionReader(members: query, ignoringUnknown)
      subscription.type = try inner.type("recordType") ?? subscription.type
      predicate = try inner.text("predicate")
      filter = try inner.filter()
      guard predicate == nil || filter == nil else {
        throw JSONError("a query has either 'predicate' or 'filterBy'", at: offset)
      }
      try inner.requireNothingElse("a query")
    }
    if let events = try reader.events() { subscription.events = events }
    subscription.firesOnce = try reader.flag("firesOnce") ?? false
    if let info = try reader.object("notificationInfo") {
      var inner = SubscriptionReader(members: info, ignoringUnknown)
      subscription.info = try inner.info()
    }
    try reader.requireNothingElse("a subscription")
  }
}

extension Subscription {
  /// The subscription as JSON, without unset or default values.
  public var json: JSONValue {
    var members = [
      JSONMember("subscriptionID", .string(id.text)),
      JSONMember("subscriptionType", .string(kind.name)),
    ]
    if kind == .query {
      members.append(
        JSONMember(
          "query",
          .object([
            JSONMember("recordType", .string(type?.text ?? "")),
            JSONMember("predicate", .string(predicate)),
          ])))
    } else if let type {
      members.append(JSONMember("recordType", .string(type.text)))
    }
    if let zone {
      members.append(
        JSONMember("zoneID", .object([JSONMember("zoneName", .string(zone.name.text))])))
    }
    if kind == .query {
      members.append(JSONMember("firesOn", .array(events.names.map { .string($0) })))
      if firesOnce { members.append(JSONMember("firesOnce", .bool(true))) }
    }
    if let info { members.append(JSONMember("notificationInfo", info.json)) }
    return .object(members)
  }
}

/// Reads the members of one object.
private struct SubscriptionReader {
  let members: [JSONMember]
  private let ignoresUnknown: Bool
  private var met: [String] = []

  init(members: [JSONMember], _ ignoresUnknown: Bool) {
    (self.members, self.ignoresUnknown) = (members, ignoresUnknown)
  }

  private mutating func member(_ name: String) throws(JSONError) -> JSONMember? {
    met.append(name)
    let found = members.filter { utf8Equal($0.name, name) }
    if found.count > 1 { throw JSONError("'\(name)' appears twice", at: found[1].offset) }
    return found.first.flatMap { $0.value == .null ? nil : $0 }
  }

  private func wrong(_ member: JSONMember, _ wanted: String) -> JSONError {
    JSONError("'\(member.name)' must be \(wanted), not \(member.value.kind)", at: member.offset)
  }

  mutating func text(_ name: String) throws(JSONError) -> String? {
    guard let member = try member(name) else { return nil }
    guard let text = member.value.string else { throw wrong(member, "a string") }
    return text
  }

  mutating func flag(_ name: String) throws(JSONError) -> Bool? {
    guard let member = try member(name) else { return nil }
    guard case .bool(let value) = member.value else { throw wrong(member, "true or false") }
    return value
  }

  /// The predicate of `filterBy`; nil for none.
  mutating func filter() throws(JSONError) -> Predicate? {
    guard let member = try member("filterBy") else { return nil }
    guard let items = member.value.array else { throw wrong(member, "a list") }
    do throws(ValueReadingError) { return try QueryFilter.predicate(items) } catch {
      throw JSONError("filterBy: \(error.message)", at: member.offset)
    }
  }

  mutating func object(_ name: String) throws(JSONError) -> [JSONMember]? {
    guard let member = try member(name) else { return nil }
    guard case .object(let members) = member.value else { throw wrong(member, "an object") }
    return members
  }

  mutating func texts(_ name: String) throws(JSONError) -> [String]? {
    guard let member = try member(name) else { return nil }
    guard let items = member.value.array else { throw wrong(member, "a list") }
    let texts = items.compactMap(\.string)
    guard texts.count == items.count else { throw wrong(member, "a list of strings") }
    return texts
  }

  /// Runs a check of a member's value; its error has the member's position.
  func checked<T>(
    _ name: String, _ check: () throws(CloudError) -> T
  ) throws(JSONError) -> T {
    do throws(CloudError) { return try check() } catch {
      throw JSONError(
        error.message, at: members.first { utf8Equal($0.name, name) }?.offset ?? 0)
    }
  }

  mutating func kind(at offset: Int) throws(JSONError) -> Subscription.Kind {
    guard let name = try text("subscriptionType") else {
      throw JSONError("'subscriptionType' is missing: query, zone or database", at: offset)
    }
    guard let kind = Subscription.Kind.allCases.first(where: { utf8Equal($0.name, name) }) else {
      let place = members.first { $0.name == "subscriptionType" }?.offset ?? offset
      throw JSONError("'\(name.visible)' is not one of query, zone, database", at: place)
    }
    return kind
  }

  mutating func type(_ name: String) throws(JSONError) -> RecordType? {
    guard let text = try text(name) else { return nil }
    return try checked(name) { () throws(CloudError) in try RecordType(schemaName: text) }
  }

  mutating func zone() throws(JSONError) -> ZoneID? {
    if try flag("zoneWide") == true, try object("zoneID") == nil { return nil }
    guard let members = try object("zoneID") else { return nil }
    var reader = SubscriptionReader(members: members, ignoresUnknown)
    guard let name = try reader.text("zoneName") else {
      throw JSONError("'zoneName' is missing", at: members.first?.offset ?? 0)
    }
    let owner = try reader.text("ownerRecordName")
    _ = try reader.text("zoneType")
    try reader.requireNothingElse("a zone")
    return try reader.checked("zoneName") { () throws(CloudError) in
      try ZoneID(name: name, owner: owner)
    }
  }

  mutating func events() throws(JSONError) -> Subscription.Events? {
    guard let names = try texts("firesOn") else { return nil }
    var events: Subscription.Events = []
    for name in names {
      guard let found = Subscription.Events.named.first(where: { utf8Equal($0.name, name) })
      else {
        let place = members.first { $0.name == "firesOn" }?.offset ?? 0
        throw JSONError("'\(name.visible)' is not one of create, update, delete", at: place)
      }
      events.insert(found.event)
    }
    return events
  }

  mutating func info() throws(JSONError) -> NotificationInfo {
    var info = NotificationInfo()
    for property in NotificationInfo.texts {
      info[keyPath: property.path] = try text(nameMet(property.name))
    }
    for property in NotificationInfo.fieldLists {
      let name = nameMet(property.name)
      let names = try texts(name) ?? []
      info[keyPath: property.path] = try checked(name) { () throws(CloudError) in
        try names.map { (name) throws(CloudError) in try FieldName(name) }
      }
    }
    for property in NotificationInfo.switches {
      info[keyPath: property.path] = try flag(property.name) ?? false
    }
    try requireNothingElse("a notificationInfo")
    return info
  }

  /// The name by which a property is met: the service also writes `titleLocalizedKey` and
  /// `titleLocalizedArguments`.
  private func nameMet(_ name: String) -> String {
    let other = name.replacingUTF8("LocalizationArgs", with: "LocalizedArguments")
      .replacingUTF8("LocalizationKey", with: "LocalizedKey")
    return members.contains { $0.name == other } ? other : name
  }

  /// Throws for an unread member, which would be lost.
  func requireNothingElse(_ what: String) throws(JSONError) {
    guard !ignoresUnknown, let other = members.first(where: { !met.contains($0.name) }) else {
      return
    }
    let near = Suggestion.nearest(to: other.name, among: met)
    throw JSONError(
      "\(what) has no '\(other.name.visible)'" + (near.map { "; did you mean \($0)?" } ?? ""),
      at: other.offset)
  }
}
