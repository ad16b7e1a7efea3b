internal import Basics
internal import CloudModel
internal import CloudServices
internal import PredicateLanguage
internal import TestSupport
internal import Testing

/// Query subscriptions against a model: what the change hook reports, asked of the evaluator. The
/// store matches by SQL, and new records by the range of their numbers (R8.1.7, R8.1.8).
@Suite struct SubscriptionModelTests {
  private static let predicates = [
    "TRUEPREDICATE", "n > 5", "n == nil", "title BEGINSWITH 'a'", "title CONTAINS[c] 'B'",
    "n > 2 AND title != 'abc'", "n IN {1, 3, 5, 7}", "up.n > 4", "recordName BEGINSWITH 'r1'",
    "NOT (n < 8)", "title LIKE '*c*'", "creationDate > date('2000-01-01')",
  ]

  private struct Subscribed {
    let id: String
    let predicate: String
    let events: Subscription.Events
    let zone: String?
  }

  /// The changes of an operation, as the hook reports them.
  private final class Heard: Sendable {
    private let all = Locked<[RecordChange]>([])

    func add(_ change: RecordChange) { all.withLock { $0.append(change) } }

    func take() -> [RecordChange] {
      all.withLock { changes in
        defer { changes = [] }
        return changes
      }
    }
  }

  @Test("each change fires the subscriptions that it matches, and no other", arguments: 0..<10)
  func matching(_ seed: UInt64) throws {
    let fixture = try CloudFixture(seed: seed)
    let heard = Heard()
    fixture.store.listen { (change, _, _) throws(CloudError) in
      if change.type == RecordType(stored: "Note") { heard.add(change) }
    }
    let mine = try fixture.mine
    _ = try mine.createZone(ZoneID("Lists"))
    try mine.save(
      "seed", "Note",
      [
        ("n", .int64(0)), ("title", .string("x")),
        ("up", .reference(Reference(RecordName(stored: "seed")))),
      ])
    _ = heard.take()
    var random = SplitMix64(state: seed)
    let subscribed = try subscribe(mine, &random)
    var last: Int64 = 0
    for step in 0..<1000 {
      try operate(mine, step, &random)
      let expected = try heard.take().flatMap { try wanted($0, subscribed, mine) }
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

  private func subscribe(
    _ database: CloudDatabase, _ random: inout SplitMix64
  ) throws -> [Subscribed] {
    var all: [Subscribed] = []
    for (index, predicate) in Self.predicates.enumerated() {
      var events = Subscription.Events(rawValue: Int(random.next() % 7) + 1)
      let zone = [nil, "Lists", "_defaultZone"][Int(random.next() % 3)]
      var subscription = Subscription(
        SubscriptionID(stored: "s\(index)"), .query, in: .private,
        zone: try zone.map { try ZoneID($0) }, type: RecordType(stored: "Note"))
      // Of a record that is gone the model cannot tell where its path led.
      if predicate.hasPrefix("up.") { events.remove(.delete) }
      if events.isEmpty { events = .create }
      subscription.events = events
      _ = try database.save(
        SubscriptionRequest(
          subscription, isNamed: true, predicate: try PredicateParser.parse(predicate)))
      all.append(Subscribed(id: "s\(index)", predicate: predicate, events: events, zone: zone))
    }
    return all
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
    switch random.next() % 10 {
    case 0...5: try database.save(name, "Note", fields, zone: zone, .changed)
    case 6:
      // A cascade from a target that may be there.
      guard try database.find(target.text, zone: zone) != nil, target.text != name else { return }
      fields.append(("up", .reference(Reference(target, action: .deleteSelf))))
      try database.save(name, "Note", fields, zone: zone, .changed)
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

  /// Which notifications a change means.
  private func wanted(
    _ change: RecordChange, _ subscribed: [Subscribed], _ database: CloudDatabase
  ) throws -> [String] {
    guard let record = change.after ?? change.before,
      let schema = try database.environment.schema(of: record.type)
    else { return [] }
    let (event, reason): (Subscription.Events, PushNotification.Reason) =
      change.before == nil
      ? (.create, .created) : change.after == nil ? (.delete, .deleted) : (.update, .updated)
    return try subscribed.compactMap { subscription in
      guard subscription.events.contains(event),
        subscription.zone.map({ $0 == change.zone.name.text }) ?? true
      else { return nil }
      let predicate = try PredicateBinder.bind(
        PredicateParser.parse(subscription.predicate), to: schema,
        PredicateBinder.Givens(targets: [schema]))
      let zone = ZoneID(change.zone.name)
      let evaluator = PredicateEvaluator(predicate) { reference, _ in
        try database.find(reference.name.text, zone: zone.name.text).map { ($0, schema) }
      }
      guard try evaluator.matches(record) else { return nil }
      return "\(subscription.id) \(record.name.text) \(reason.name) \(zone.name.text)"
    }
  }
}
