internal import Basics
internal import CloudModel
internal import CloudServices
internal import Testing

/// Random operations by three users on two devices give the same results in the store and in
/// `PlainCloud`, step by step.
@Suite struct CloudModelTests {
  private enum Operation {
    case create(PlainCloud.Place)
    case deleteZone(PlainCloud.Place)
    case one(PlainCloud.Change, PlainCloud.Place, PlainCloud.Actor)
    case batch([PlainCloud.Change], PlainCloud.Place, PlainCloud.Actor)
    case sync(PlainCloud.Place)
    case deploy
    case reset
    case collect(Environment)
  }

  private static let users = ["anna", "ben", "chloe"]

  /// Random operations, none of which depends on those before it.
  private static func operations(_ seed: UInt64, _ count: Int) -> [Operation] {
    var random = SplitMix64(state: seed)
    func below(_ limit: UInt64) -> Int { Int(random.next() % limit) }
    func name() -> String { "r\(below(9))" }
    func tag() -> PlainCloud.Tag { [.none, .none, .current, .current, .stale][below(5)] }
    func change(deletions: Int = 1) -> PlainCloud.Change {
      if below(4) < deletions { return .delete(name(), below(6) == 0 ? .stale : .none) }
      return .save(
        PlainCloud.Save(
          name: name(), type: below(9) == 0 ? "B" : "A",
          number: below(2) == 0 ? Int64(below(100)) : nil,
          reference: below(2) == 0 ? (name(), Reference.Action.allCases[below(3)]) : nil,
          parent: below(3) == 0 ? name() : nil,
          contents: below(16) == 0 ? below(3) : nil,
          policy: SavePolicy.allCases[below(3)], tag: tag(), replaces: below(6) == 0))
    }
    return (0..<count).map { _ in
      let user = users[below(3)]
      let isPublic = below(4) == 0
      let zone = isPublic ? "_defaultZone" : ["_defaultZone", "Notes", "Lists"][below(3)]
      let environment: Environment = below(6) == 0 ? .production : .development
      let place = PlainCloud.Place(
        environment: environment, user: isPublic ? nil : user, zone: zone)
      let actor = PlainCloud.Actor(user: user, device: ["phone", "pad"][below(2)])
      let isCustom = zone != "_defaultZone"
      switch below(20) {
      case 0 where isCustom, 1 where isCustom: return .create(place)
      case 2 where isCustom && below(4) == 0: return .deleteZone(place)
      case 3...5:
        var changes: [PlainCloud.Change] = []
        let deletions = [1, 0, 3][below(3)]
        for _ in 0...below(5) {
          let made = change(deletions: deletions)
          if !changes.contains(where: { $0.name == made.name }) { changes.append(made) }
        }
        return .batch(changes, place, actor)
      case 6 where isCustom: return .sync(place)
      case 7 where below(8) == 0: return .deploy
      case 8 where below(60) == 0: return .reset
      case 9 where below(20) == 0: return .collect(environment)
      default: return .one(change(), place, actor)
      }
    }
  }

  /// A run of the store and of the model.
  private final class Run {
    let fixture: CloudFixture
    var model = PlainCloud()
    /// The tag of each version that the model knows.
    var tags: [PlainCloud.Place: [String: (version: Int, tag: ChangeTag?)]] = [:]
    /// The copies of a client that follows the feed.
    var copies: [PlainCloud.Place: (token: ChangeToken, records: [String: Record])] = [:]

    /// The names of the users' records.
    let creators: [String: UserRecordName]

    init() throws {
      fixture = try CloudFixture()
      let environment = try fixture.environment()
      creators = try Dictionary(
        uniqueKeysWithValues: users.map { ($0, try environment.userRecordName(Account($0))) })
    }

    func database(
      _ place: PlainCloud.Place, _ user: String = "anna", on device: Device = .cli
    ) throws -> CloudDatabase {
      try fixture.environment(place.environment).database(
        place.user == nil ? .public : .private, as: Account(place.user ?? user), on: device)
    }

    /// Performs an operation on both sides; returns the difference, or nil.
    func step(_ operation: Operation) throws -> String? {
      switch operation {
      case .create(let place):
        model.createZone(place)
        let database = try database(place)
        _ = try database.createZone(ZoneID(place.zone))
        return try difference(place, database)
      case .deleteZone(let place):
        let expected = model.deleteZone(place)
        tags[place] = nil
        copies[place] = nil
        let found = try code { try database(place).deleteZone(ZoneID(place.zone)) }
        return expected == found ? nil : "deleteZone: \(String(describing: (expected, found)))"
      case .one(let change, let place, let actor):
        let item = try item(change, place)
        let expected = model.modify([change], at: place, by: actor, isBatch: false)
        let database = try database(place, actor.user, on: Device(actor.device))
        let found = try code {
          switch item.change {
          case .save(let request): _ = try database.save(request, in: item.zone)
          case .delete(let name, let tag):
            _ = try database.delete(name, in: item.zone, tag: tag)
          case .refused(let error): throw error
          }
        }
        if expected != [found] { return "\(expected) expected, \([found]) found" }
        return try difference(place, database)
      case .batch(let changes, let place, let actor):
        let items = try changes.map { try item($0, place) }
        let expected = model.modify(changes, at: place, by: actor, isBatch: true)
        let database = try database(place, actor.user, on: Device(actor.device))
        let result = try database.modify(ModifyRequest(items))
        let found = result.outcomes.map {
          if case .failed(let error) = $0 { error.code } else { nil as CloudError.Code? }
        }
        if expected != found { return "\(expected) expected, \(found) found" }
        return try difference(place, database)
      case .sync(let place): return try sync(place)
      case .deploy:
        model.deploy()
        _ = try fixture.environment(.production).deploy(from: fixture.environment())
        return nil
      case .reset:
        model.reset()
        tags = tags.filter { $0.key.environment == .production }
        copies = copies.filter { $0.key.environment == .production }
        try fixture.environment().reset(to: fixture.environment(.production))
        return nil
      case .collect(let environment):
        _ = try fixture.environment(environment).collectAssets()
        let expected = model.contents(of: environment)
        let found = try fixture.environment(environment).size().assets
        return found == expected.count ? nil : "\(expected) expected, \(found) contents found"
      }
    }

    private func code(_ work: () throws -> Void) throws -> CloudError.Code? {
      do { try work() } catch let error as CloudError where error.storage == nil {
        return error.code
      }
      return nil
    }

    private func item(
      _ change: PlainCloud.Change, _ place: PlainCloud.Place
    ) throws -> ModifyRequest.Item {
      let zone = try ZoneID(place.zone)
      let known = tags[place]?[change.name]?.tag
      func text(_ tag: PlainCloud.Tag) -> ChangeTag? {
        switch tag {
        case .none: nil
        case .current: known ?? ChangeTag(given: "zz")
        case .stale: ChangeTag(given: "zzz")
        }
      }
      switch change {
      case .delete(let name, let tag):
        return ModifyRequest.Item(.delete(try RecordName(name), tag: text(tag)), in: zone)
      case .save(let save):
        var assignments: [FieldAssignment] = []
        if let number = save.number {
          assignments.append(FieldAssignment(try FieldName("n"), .int64(number)))
        }
        if let (name, action) = save.reference {
          let reference = Reference(try RecordName(name), action: action)
          assignments.append(FieldAssignment(try FieldName("r"), .reference(reference)))
        }
        if let contents = save.contents {
          let path = try fixture.file("contents", String(repeating: "x", count: contents))
          let staged = try fixture.environment(place.environment).stage(path)
          assignments.append(
            FieldAssignment(try FieldName("f"), .asset(staged.asset), staged: [staged]))
        }
        return ModifyRequest.Item(
          .save(
            SaveRequest(
              name: try RecordName(save.name), type: try RecordType(save.type),
              assignments: assignments, tag: text(save.tag), policy: save.policy,
              replacesFields: save.replaces, parent: try save.parent.map { try RecordName($0) })),
          in: zone)
      }
    }

    /// The doctor's findings; nil for a sound store.
    func unsoundness() throws -> String? {
      let findings = try fixture.store.examine(isDeep: true, for: fixture.request)
        .flatMap(\.findings).filter { $0.code.severity != .notice }
      return findings.isEmpty ? nil : "\(findings)"
    }

    private func records(
      _ place: PlainCloud.Place, _ database: CloudDatabase
    ) throws -> [Record] {
      var records: [Record] = []
      try database.list(nil, in: ZoneID(place.zone)) { record in
        records.append(record)
        return true
      }
      return records
    }

    /// The difference between a zone and the model; nil if there is none.
    private func difference(
      _ place: PlainCloud.Place, _ database: CloudDatabase
    ) throws -> String? {
      guard let expected = model.zones[place] else { return nil }
      let found = try records(place, database)
      guard found.map(\.name.text) == expected.keys.sorted(by: utf8Precedes) else {
        return "\(expected.keys.sorted()) expected, \(found.map(\.name.text)) found"
      }
      for record in found {
        guard let item = expected[record.name.text] else { return "no \(record.name.text)" }
        if let text = try difference(record, item, place) { return text }
      }
      return nil
    }

    private func difference(
      _ record: Record, _ item: PlainCloud.Item, _ place: PlainCloud.Place
    ) throws -> String? {
      let name = record.name.text
      let reference = try item.reference.map {
        FieldValue.reference(Reference(try RecordName($0), action: item.action))
      }
      let isSame =
        record.type.text == item.type && record["n"] == item.number.map { .int64($0) }
        && record["r"] == reference && record.parent?.text == item.parent
        && record.created?.by == creators[item.creator]
        && record.created?.device.name == item.madeOn
        && record.modified?.device.name == item.savedOn
        && Self.contents(of: record) == item.contents
      guard isSame else { return "\(name): \(item) expected, \(record) found" }
      if let old = tags[place]?[name] {
        guard (old.version == item.version) == (old.tag == record.changeTag) else {
          return "\(name): tag \(String(describing: (old, record.changeTag)))"
        }
      }
      tags[place, default: [:]][name] = (item.version, record.changeTag)
      return nil
    }

    /// The size of the record's asset.
    private static func contents(of record: Record) -> Int? {
      if case .asset(let asset)? = record["f"] { Int(asset.size) } else { nil }
    }

    /// Follows the feed of a zone with a few changes a page; the copy must then equal the zone.
    private func sync(_ place: PlainCloud.Place) throws -> String? {
      guard model.zones[place] != nil else { return nil }
      var token = copies[place]?.token
      var copy = copies[place]?.records ?? [:]
      var isMoreComing = true
      while isMoreComing {
        let changes = try database(place).zoneChanges(
          in: ZoneID(place.zone), since: token, limit: 3
        ) { copy[$0.name.text] = $0 }
        for deletion in changes.deleted { copy[deletion.name.text] = nil }
        token = changes.token
        isMoreComing = changes.isMoreComing
      }
      if let token { copies[place] = (token, copy) }
      let state = try records(place, database(place))
      let isSame = copy.values.sorted { utf8Precedes($0.name.text, $1.name.text) } == state
      return isSame ? nil : "a client that follows the feed has another state"
    }
  }

  /// The index of the first operation that makes a difference, and the difference.
  private static func failure(_ operations: [Operation]) throws -> (index: Int, text: String)? {
    let run = try Run()
    for (index, operation) in operations.enumerated() {
      if let text = try run.step(operation) { return (index, text) }
      let isLookedAt = index % 2500 == 2499 || index == operations.count - 1
      if isLookedAt, let text = try run.unsoundness() { return (index, text) }
    }
    return nil
  }

  @Test(
    "the store and a plain model agree after each of many random operations",
    arguments: 0..<20 as Range<UInt64>)
  func model(seed: UInt64) throws {
    let operations = Self.operations(seed, 5000)
    guard let failed = try Self.failure(operations) else { return }
    let history = try shortened(Array(operations[...failed.index])) {
      try Self.failure($0)?.index
    }
    let text = try Self.failure(history)?.text ?? failed.text
    Issue.record("seed \(seed): \(text)\n\(history.map { "\($0)" }.joined(separator: "\n"))")
  }
}
