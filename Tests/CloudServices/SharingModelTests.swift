internal import Basics
internal import CloudModel
internal import TestSupport
internal import Testing

@testable internal import CloudServices
@testable internal import RecordStore

/// Random operations by three users who share zones and hierarchies give the same results in the
/// store and in `PlainSharing`. After each step every participant sees what the model says, and a
/// client that follows the feeds has the result of a first fetch.
@Suite struct SharingModelTests {
  private typealias Place = PlainSharing.Place

  private enum Operation {
    case createZone(Place)
    case deleteZone(Place)
    case save(String, Int64, PlainSharing.Parent, Place, String)
    case delete(String, Place, String)
    case share(String, [String: Bool], Place)
    case add(String, Bool, String, Place)
    case remove(String, String, Place)
    case accept(String, Place, String)
    case leave(String, Place, String)
    case stop(String, Place)
    case follow(String, Int)
    case drop(type: String)

    var place: Place? {
      switch self {
      case .createZone(let place), .deleteZone(let place), .save(_, _, _, let place, _),
        .delete(_, let place, _), .share(_, _, let place), .add(_, _, _, let place),
        .remove(_, _, let place), .accept(_, let place, _), .leave(_, let place, _),
        .stop(_, let place):
        place
      case .follow, .drop: nil
      }
    }
  }

  private static let users = ["anna", "ben", "chloe"]

  private static func operations(_ seed: UInt64, _ count: Int) -> [Operation] {
    var random = SplitMix64(state: seed)
    func below(_ limit: UInt64) -> Int { Int(random.next() % limit) }
    func name() -> String { "r\(below(7))" }
    func root() -> String { below(7) == 0 ? "*" : "r\(below(7))" }
    var operations: [Operation] = []
    for owner in users { operations.append(.createZone(Place(owner: owner, zone: "Notes"))) }
    while operations.count < count {
      let place = Place(owner: users[below(3)], zone: below(4) == 0 ? "Lists" : "Notes")
      let user = below(2) == 0 ? place.owner : users[below(3)]
      let other = users.filter { $0 != place.owner }[below(2)]
      switch below(32) {
      case 0: operations.append(.createZone(place))
      case 1 where below(6) == 0: operations.append(.deleteZone(place))
      case 2...4:
        let guests = users.filter { $0 != place.owner && below(3) > 0 }
        let parts = Dictionary(uniqueKeysWithValues: guests.map { ($0, below(3) > 0) })
        operations.append(.share(root(), parts, place))
      case 5, 6: operations.append(.add(other, below(3) > 0, root(), place))
      case 7: operations.append(.remove(other, root(), place))
      case 8...12: operations.append(.accept(root(), place, other))
      case 13: operations.append(.leave(root(), place, other))
      case 14 where below(2) == 0: operations.append(.stop(root(), place))
      case 14 where below(12) == 0: operations.append(.drop(type: PlainSharing.types[below(2)]))
      case 15, 16: operations.append(.follow(users[below(3)], [1, 2, 5, 100][below(4)]))
      case 17, 18: operations.append(.delete(name(), place, user))
      default:
        let parent: PlainSharing.Parent =
          switch below(4) {
          case 0: .kept
          case 1 where below(3) == 0: .removed
          default: .named(name())
          }
        let record = name()
        if case .named(record) = parent { continue }
        operations.append(.save(record, Int64(below(9)), parent, place, user))
      }
    }
    return operations
  }

  /// The copy of a client that follows the feeds of the shared database.
  private struct Copy {
    var token: ChangeToken?
    var zones: [ZoneID: (token: ChangeToken, records: [String: Record])] = [:]
  }

  private final class Run {
    let fixture: CloudFixture
    let environment: CloudEnvironment
    var model = PlainSharing()
    var copies: [String: Copy] = [:]
    private var steps = 0
    /// The URLs of roots, the same each time they are shared.
    var urls: [Place: [String: ShareURL]] = [:]

    init(fewChanges: Int) throws {
      fixture = try CloudFixture()
      environment = try fixture.environment()
      environment.store.fewChanges = fewChanges
    }

    func database(_ scope: DatabaseScope, _ user: String) throws -> CloudDatabase {
      try environment.database(scope, as: Account(user))
    }

    /// A user's name for a zone, and its database.
    private func home(
      _ place: Place, for user: String
    ) throws -> (database: CloudDatabase, zone: ZoneID) {
      guard user != place.owner else {
        return (try database(.private, user), try ZoneID(place.zone))
      }
      let owner = environment.userRecordName(try Account(place.owner))
      return (
        try database(.shared, user), ZoneID(try ZoneName(place.zone), owner: .user(owner))
      )
    }

    private static func reference(_ root: String) -> ShareReference {
      .name(root == "*" ? .zoneWideShare : RecordName(stored: root))
    }

    /// Performs an operation on both sides; returns the difference, or nil.
    func step(_ operation: Operation) throws -> String? {
      if case .follow(let user, let limit) = operation { return try follow(user, limit) }
      let expected = expect(operation)
      let found = try code { try perform(operation) }
      if expected != found { return "\(String(describing: (expected, found)))" }
      if let place = operation.place { return try difference(place) }
      for place in model.zones.keys.sorted(by: { $0.text < $1.text }) {
        if let text = try difference(place) { return text }
      }
      return nil
    }

    private func code(_ work: () throws -> Void) throws -> CloudError.Code? {
      do { try work() } catch let error as CloudError where error.storage == nil {
        return error.code
      }
      return nil
    }

    private func expect(_ operation: Operation) -> CloudError.Code? {
      switch operation {
      case .createZone(let place):
        model.createZone(place)
        return nil
      case .deleteZone(let place): return model.deleteZone(place)
      case .save(let name, let number, let parent, let place, let user):
        return model.save(name, number, parent, at: place, by: user)
      case .delete(let name, let place, let user):
        return model.delete(name, at: place, by: user)
      case .share(let root, let parts, let place): return model.share(root, with: parts, at: place)
      case .add(let user, let mayWrite, let root, let place):
        return model.add(user, mayWrite: mayWrite, to: root, at: place)
      case .remove(let user, let root, let place):
        return model.remove(user, from: root, at: place)
      case .accept(let root, let place, let user):
        return model.accept(root, at: place, by: user)
      case .leave(let root, let place, let user): return model.leave(root, at: place, by: user)
      case .stop(let root, let place): return model.stop(root, at: place)
      case .drop(let type): return model.drop(type)
      case .follow: return nil
      }
    }

    private func perform(_ operation: Operation) throws {
      if case .drop(let type) = operation { return try drop(type) }
      guard let place = operation.place else { return }
      if case .add = operation { try requireZone(place) }
      if case .remove = operation { try requireZone(place) }
      if case .stop = operation { try requireZone(place) }
      let own = try home(place, for: place.owner)
      switch operation {
      case .createZone: _ = try own.database.createZones([own.zone])
      case .deleteZone: try own.database.deleteZone(own.zone)
      case .save(let name, let number, let parent, _, let user):
        let home = try home(place, for: user)
        var request = SaveRequest(
          name: RecordName(stored: name), type: RecordType(stored: PlainSharing.type(of: name)),
          assignments: [FieldAssignment(FieldName(stored: "n"), .int64(number))],
          policy: .changed)
        switch parent {
        case .kept: break
        case .removed: request.removesParent = true
        case .named(let name): request.parent = RecordName(stored: name)
        }
        _ = try home.database.save(request, in: home.zone)
      case .delete(let name, _, let user):
        let home = try home(place, for: user)
        _ = try home.database.delete(RecordName(stored: name), in: home.zone)
      case .share(let root, let parts, _):
        var edit = ShareEdit()
        for (user, mayWrite) in parts.sorted(by: { $0.key < $1.key }) {
          edit.added.append(
            Invitation(.account(try Account(user)), mayWrite ? .readWrite : .readOnly))
        }
        let made = try own.database.createShare(
          of: root == "*" ? nil : RecordName(stored: root), in: own.zone, edit)
        if let known = urls[place]?[root], known != made.share.url {
          Issue.record("R10.1.8: another URL")
        }
        urls[place, default: [:]][root] = made.share.url
      case .add(let user, let mayWrite, let root, _):
        var edit = ShareEdit()
        edit.added = [Invitation(.account(try Account(user)), mayWrite ? .readWrite : .readOnly)]
        _ = try own.database.edit(Self.reference(root), in: own.zone, edit)
      case .remove(let user, let root, _):
        var edit = ShareEdit()
        edit.removed = [.account(try Account(user))]
        _ = try own.database.edit(Self.reference(root), in: own.zone, edit)
      case .accept(let root, _, let user):
        guard let url = urls[place]?[root] else {
          throw CloudError(.unknownItem, "never shared")
        }
        _ = try database(.shared, user).environment.accept(url)
      case .leave(let root, _, let user):
        let home = try home(place, for: user)
        _ = try home.database.leaveShare(Self.reference(root), in: home.zone)
      case .stop(let root, _):
        _ = try own.database.stopShare(Self.reference(root), in: own.zone)
      case .follow, .drop: break
      }
    }

    /// Drops a type, in half of the histories by importing a schema.
    private func drop(_ type: String) throws {
      let (type, production) = (
        RecordType(stored: type), try fixture.environment(.production)
      )
      guard try environment.schema(of: type) != nil else { return }
      guard environment.store.fewChanges == 0 else {
        return try environment.drop(type, nil, unlessIn: production)
      }
      var schema = try environment.fullSchema()
      schema.types.removeAll { $0.name == type }
      _ = try environment.importSchema(schema, besides: production)
    }

    /// Throws if the owner has no such zone: the name would find another user's.
    private func requireZone(_ place: Place) throws {
      if model.zones[place] == nil { throw CloudError(.unknownItem, "no zone") }
    }

    /// The difference between the model and what each user sees of a zone.
    private func difference(_ place: Place) throws -> String? {
      for user in users where user != place.owner {
        let zone = model.zones[place].flatMap { $0.isSeen(by: user) ? $0 : nil }
        let home = try home(place, for: user)
        let found = try view(of: home.zone, in: home.database)
        let expected = zone?.view(of: user)
        if expected != found, found != [:] || expected?.isEmpty == false {
          return "\(user): \(String(describing: expected)) expected, "
            + "\(String(describing: found)) found"
        }
      }
      steps += 1
      return steps.isMultiple(of: 50) ? try accessDifference(place) : nil
    }

    /// The difference between the model and what is said about the access of each user to each
    /// record of a zone (R10.3.7): the rules that the pages of people show.
    private func accessDifference(_ place: Place) throws -> String? {
      guard let zone = model.zones[place] else { return nil }
      let own = try home(place, for: place.owner)
      for user in users {
        let view = zone.view(of: user)
        for name in zone.records.keys {
          let access = try own.database.access(
            of: Account(user), to: RecordName(stored: name), in: own.zone)
          let isOwn = user == place.owner
          let part = zone.part(of: user, in: zone.cover(of: name))
          let mayRead = isOwn || view[name] != nil
          let mayChange = isOwn || part?.mayWrite == true
          let mayDelete = isOwn || mayChange && zone.cover(of: name) != name
          let found = [access.read, access.change, access.delete]
          if found.map(\.isAllowed) != [mayRead, mayChange, mayDelete]
            || found.contains(where: \.rule.isEmpty)
          {
            return
              "\(user) and \(name): \([mayRead, mayChange, mayDelete]) expected, \(found) found"
          }
        }
      }
      return nil
    }

    /// The records that a database shows of a zone; nil if it has no such zone.
    private func view(
      of zone: ZoneID, in database: CloudDatabase
    ) throws -> [String: PlainSharing.Item]? {
      var found: [String: PlainSharing.Item] = [:]
      let code = try code {
        try database.list(nil, in: zone) { record in
          guard PlainSharing.types.contains(record.type.text),
            case .int64(let number)? = record["n"]
          else { return true }
          found[record.name.text] = .init(parent: record.parent?.text, number: number)
          return true
        }
      }
      return code == .zoneNotFound ? nil : found
    }

    // MARK: Following

    /// Follows the feeds with a few changes a page; the copy must then equal a first fetch.
    func follow(_ user: String, _ limit: Int) throws -> String? {
      let database = try database(.shared, user)
      var copy = copies[user] ?? Copy()
      var isMoreComing = true
      while isMoreComing {
        let changes = try database.databaseChanges(since: copy.token, limit: limit)
        for (zone, _) in changes.deleted { copy.zones[zone] = nil }
        for zone in changes.changed {
          if let text = try fetch(zone, limit, &copy, database) { return text }
        }
        copy.token = changes.token
        isMoreComing = changes.isMoreComing
      }
      copies[user] = copy
      var fresh = Copy()
      for zone in try database.databaseChanges(since: nil, limit: nil).changed {
        if let text = try fetch(zone, 100, &fresh, database) { return text }
      }
      let (mine, theirs) = (copy.zones.mapValues(\.records), fresh.zones.mapValues(\.records))
      return mine == theirs ? nil : "\(user) follows to \(mine), and fetches \(theirs)"
    }

    private func fetch(
      _ zone: ZoneID, _ limit: Int, _ copy: inout Copy, _ database: CloudDatabase
    ) throws -> String? {
      var (token, records) = (copy.zones[zone]?.token, copy.zones[zone]?.records ?? [:])
      var met: Set<String> = []
      var isMoreComing = true
      while isMoreComing {
        var names: [String] = []
        let code = try code {
          let changes = try database.zoneChanges(in: zone, since: token, limit: limit) { record in
            records[record.name.text] = record
            names.append(record.name.text)
          }
          for deletion in changes.deleted {
            records[deletion.name.text] = nil
            names.append(deletion.name.text)
          }
          token = changes.token
          isMoreComing = changes.isMoreComing
        }
        if names.contains(where: { !met.insert($0).inserted }) {
          return "\(zone.text) reports twice one of \(names)"
        }
        if code == .changeTokenExpired {
          (token, records, met) = (nil, [:], [])
        } else if code != nil {
          copy.zones[zone] = nil
          return nil
        }
      }
      if let token { copy.zones[zone] = (token, records) }
      return nil
    }

    /// The doctor's findings; nil for a sound store.
    func unsoundness() throws -> String? {
      let findings = try fixture.store.examine(isDeep: true, for: fixture.request)
        .flatMap(\.findings).filter { $0.code.severity != .notice }
      return findings.isEmpty ? nil : "\(findings)"
    }
  }

  /// The first failing operation. Half of the histories have the feeds' indexes from the start.
  private static func failure(
    _ operations: [Operation], _ seed: UInt64
  ) throws -> (index: Int, text: String)? {
    let run = try Run(fewChanges: seed.isMultiple(of: 2) ? 0 : 1000)
    for (index, operation) in operations.enumerated() {
      if let text = try run.step(operation) { return (index, text) }
      guard index % 1000 == 999 || index == operations.count - 1 else { continue }
      for user in users {
        if let text = try run.follow(user, 2) { return (index, text) }
      }
      if let text = try run.unsoundness() { return (index, text) }
    }
    return nil
  }

  @Test(
    "R10: the store and a plain model of sharing agree after each of many random operations",
    arguments: 0..<20 as Range<UInt64>)
  func model(seed: UInt64) throws {
    let operations = Self.operations(seed, ModelSteps.count(5_000))
    guard let failed = try Self.failure(operations, seed) else { return }
    let history = try shortened(Array(operations[...failed.index])) {
      try Self.failure($0, seed)?.index
    }
    let text = try Self.failure(history, seed)?.text ?? failed.text
    Issue.record("seed \(seed): \(text)\n\(history.map { "\($0)" }.joined(separator: "\n"))")
  }
}
