internal import Basics
internal import CloudModel
internal import CloudServices
internal import PredicateLanguage
internal import TestSupport
internal import Testing

/// Query subscriptions against a model: the evaluator judges how an operation changed the records.
/// The store matches by SQL, and new records by the range of their numbers (R8.1.7, R8.1.8). Types
/// and fields are dropped in between, and the next saves bring them back.
@Suite struct SubscriptionModelTests {
  private static let predicates = [
    "TRUEPREDICATE", "n > 5", "n == nil", "title BEGINSWITH 'a'", "title CONTAINS[c] 'B'",
    "n > 2 AND title != 'abc'", "n IN {1, 3, 5, 7}", "up.n > 4", "recordName BEGINSWITH 'r1'",
    "NOT (n < 8)", "title LIKE '*c*'", "creationDate > date('2000-01-01')",
  ]
  private static let note = RecordType(stored: "Note")
  private static let extra = RecordType(stored: "Extra")

  private struct Subscribed {
    let id: String
    let type: RecordType
    let predicate: String
    let events: Subscription.Events
    let zone: String?
  }

  /// A record before and after an operation, in a zone.
  private struct Change {
    let zone: ZoneID
    let before: Record?
    let after: Record?
  }

  /// The records of the subscribed types, by their zones and names.
  private static func records(_ database: CloudDatabase) throws -> [[String]: Record] {
    var found: [[String]: Record] = [:]
    for zone in ["_defaultZone", "Lists"] {
      try database.list(nil, in: ZoneID(zone)) { record in
        if [note, extra].contains(record.type) { found[[zone, record.name.text]] = record }
        return true
      }
    }
    return found
  }

  /// The differences between the records before and after an operation.
  private static func changes(
    from before: [[String]: Record], to after: [[String]: Record]
  ) throws -> [Change] {
    try Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.map { key in
      Change(zone: try ZoneID(key[0]), before: before[key], after: after[key])
    }
  }

  @Test("each change fires the subscriptions that it matches, and no other", arguments: 0..<10)
  func matching(_ seed: UInt64) throws {
    let fixture = try CloudFixture(seed: seed)
    let mine = try fixture.mine
    _ = try mine.createZone(ZoneID("Lists"))
    try mine.save(
      "seed", "Note",
      [
        ("n", .int64(0)), ("title", .string("x")),
        ("up", .reference(Reference(RecordName(stored: "seed")))),
      ])
    try mine.save("seed", "Extra", [("n", .int64(0))], zone: "Lists")
    var records = try Self.records(mine)
    var random = SplitMix64(state: seed)
    var subscribed = try Self.wanted.indices.map { try subscribe($0, mine, &random) }
    var last: Int64 = 0
    for step in 0..<ModelSteps.count(1_000) {
      if random.next() % 20 == 0 { try resubscribe(&subscribed, mine, &random) }
      let before = try mine.environment.schema()
      let isSchemaChange = random.next() % 40 == 0
      if isSchemaChange {
        try dropSomething(fixture, &random)
      } else {
        try operate(mine, step, &random)
      }
      // Dropping a field makes no new versions of its records.
      let after = try Self.records(mine)
      let changes = try Self.changes(from: records, to: after).filter {
        !isSchemaChange || $0.after == nil
      }
      records = after
      let expected = try changes.flatMap { try wanted($0, subscribed, mine, before) }
      var found: [String] = []
      var request = fixture.request
      request.account = try Account("me")
      request.device = Device(stored: "pad")
      try mine.environment.acting(for: request).notifications(after: last) { notification in
        last = notification.number
        found.append(
          "\(notification.subscription.text) \(notification.record?.text ?? "") "
            + "\(notification.reason?.name ?? "") \(notification.zone?.name.text ?? "")")
        return true
      }
      try #require(found.sorted() == expected.sorted(), "step \(step)")
    }
  }

  private static let wanted =
    predicates.map { (note, $0) } + [(extra, "TRUEPREDICATE"), (extra, "n > 5")]

  private func subscribe(
    _ index: Int, _ database: CloudDatabase, _ random: inout SplitMix64
  ) throws -> Subscribed {
    let (type, predicate) = Self.wanted[index]
    var events = Subscription.Events(rawValue: Int(random.next() % 7) + 1)
    let zone = [nil, "Lists", "_defaultZone"][Int(random.next() % 3)]
    var subscription = Subscription(
      SubscriptionID(stored: "s\(index)"), .query, in: .private,
      zone: try zone.map { try ZoneID($0) }, type: type)
    // The model cannot tell where the path of a deleted record led.
    if predicate.hasPrefix("up.") { events.remove(.delete) }
    if events.isEmpty { events = .create }
    subscription.events = events
    _ = try database.save(
      SubscriptionRequest(
        subscription, isNamed: true, predicate: try PredicateParser.parse(predicate)))
    return Subscribed(
      id: "s\(index)", type: type, predicate: predicate, events: events, zone: zone)
  }

  /// Deletes a subscription, or makes or replaces one.
  private func resubscribe(
    _ subscribed: inout [Subscribed], _ database: CloudDatabase, _ random: inout SplitMix64
  ) throws {
    let index = Int(random.next() % UInt64(Self.wanted.count))
    let place = subscribed.firstIndex { $0.id == "s\(index)" }
    if let place, random.next() % 2 == 0 {
      try database.deleteSubscriptions([SubscriptionID(stored: "s\(index)")])
      subscribed.remove(at: place)
      return
    }
    // Its type or a field may be gone.
    guard let new = try? subscribe(index, database, &random) else { return }
    if let place { subscribed[place] = new } else { subscribed.append(new) }
  }

  /// Drops a type with its records, or a field, or both at once by importing a schema.
  private func dropSomething(_ fixture: CloudFixture, _ random: inout SplitMix64) throws {
    let (development, production) = (
      try fixture.environment(), try fixture.environment(.production)
    )
    let type = random.next() % 2 == 0 ? Self.note : Self.extra
    let field = FieldName(stored: random.next() % 2 == 0 ? "n" : "title")
    guard try development.schema(of: type) != nil else { return }
    switch random.next() % 3 {
    case 0: try development.drop(type, nil, unlessIn: production)
    case 1:
      if try development.schema(of: type)?.field(field.text) != nil {
        try development.drop(type, field, unlessIn: production)
      }
    default:
      var schema = try development.fullSchema()
      schema.types.removeAll { $0.name == type }
      for place in schema.types.indices {
        schema.types[place].fields.removeAll { $0.name == field }
      }
      _ = try development.importSchema(schema, besides: production)
    }
  }

  private func operate(
    _ database: CloudDatabase, _ step: Int, _ random: inout SplitMix64
  ) throws {
    let zone = random.next() % 2 == 0 ? "Lists" : "_defaultZone"
    let name = "r\(random.next() % 20)"
    let titles = ["abc", "b", "xB", "cab", "a"]
    var fields: [(String, FieldValue?)] = []
    if random.next() % 3 > 0 { fields.append(("n", .int64(Int64(random.next() % 12)))) }
    if random.next() % 3 > 0 {
      fields.append(("title", .string(titles[Int(random.next() % 5)])))
    }
    let target = RecordName(stored: "r\(random.next() % 20)")
    switch random.next() % 11 {
    case 0...5: try database.save(name, "Note", fields, zone: zone, .changed)
    case 6:
      // A cascade from a target that may be there.
      guard try database.find(target.text, zone: zone) != nil, target.text != name else { return }
      fields.append(("up", .reference(Reference(target, action: .deleteSelf))))
      try database.save(name, "Note", fields, zone: zone, .changed)
    case 10:
      // Others may be deleted with it, and with its type.
      if try database.find(target.text, zone: zone) != nil {
        fields.append(("up", .reference(Reference(target, action: .deleteSelf))))
      }
      try database.save("x" + name, "Extra", fields, zone: zone, .changed)
    case 7: _ = try? database.delete(RecordName(stored: name), in: ZoneID(zone))
    case 8:
      let place = try ZoneID(zone)
      let items = (0..<5).map { index in
        ModifyRequest.Item(
          .save(
            SaveRequest(
              name: RecordName(stored: "r\(index)"), type: RecordType(stored: "Note"),
              assignments: [
                FieldAssignment(
                  FieldName(stored: "n"), .int64(Int64(random.next() % 12)))
              ], policy: .changed)), in: place)
      }
      _ = try? database.modify(ModifyRequest(items, isAtomic: true))
    default:
      if random.next() % 4 == 0, zone == "Lists" {
        try database.deleteZone(ZoneID("Lists"))
        _ = try database.createZone(ZoneID("Lists"))
      }
    }
  }

  /// The notifications that a change requires.
  private func wanted(
    _ change: Change, _ subscribed: [Subscribed], _ database: CloudDatabase,
    _ before: [RecordTypeSchema]
  ) throws -> [String] {
    guard let record = change.after ?? change.before else { return [] }
    // Records of a dropped type are matched by the schema that it had. An import of a schema drops
    // fields first.
    let now = try database.environment.schema()
    let schemas = now.contains { $0.name == record.type } ? now : before
    guard let schema = schemas.first(where: { $0.name == record.type }) else { return [] }
    let (event, reason): (Subscription.Events, PushNotification.Reason) =
      change.before == nil
      ? (.create, .created) : change.after == nil ? (.delete, .deleted) : (.update, .updated)
    return try subscribed.compactMap { subscription in
      guard subscription.type == record.type, subscription.events.contains(event),
        subscription.zone.map({ $0 == change.zone.name.text }) ?? true
      else { return nil }
      // A subscription to a dropped field matches nothing until the field is back.
      guard
        let predicate = try? PredicateBinder.bind(
          PredicateParser.parse(subscription.predicate), to: schema,
          PredicateBinder.Givens(targets: schemas))
      else { return nil }
      let zone = ZoneID(change.zone.name)
      let evaluator = PredicateEvaluator(predicate) { reference, _ in
        guard let target = try database.find(reference.name.text, zone: zone.name.text),
          let schema = schemas.first(where: { $0.name == target.type })
        else { return nil }
        return (target, schema)
      }
      // The same holds for a path to a field that the target's type has lost.
      do { guard try evaluator.matches(record) else { return nil } } catch is PredicateError {
        return nil
      }
      return "\(subscription.id) \(record.name.text) \(reason.name) \(zone.name.text)"
    }
  }
}
