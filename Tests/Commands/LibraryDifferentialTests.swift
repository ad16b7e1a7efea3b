import Basics
import CloudKit
import CloudKitTesting
import TestSupport
import Testing

/// The library and the command line follow the same rules (library.md §4, rule 1): random requests
/// to twin stores, by one and by the other, have the same outcomes and leave the same data.
@Suite("The Swift library against the command line")
struct LibraryDifferentialTests {
  private static let identifier = "iCloud.org.example.app"

  @Test("random requests: the same errors, records and feeds, equal exports")
  func random() async throws {
    let steps = ModelSteps.count(1500)
    var twins = try Twins(seed: 55)
    for step in 1...steps {
      let request = twins.next()
      let expected = try twins.byCommand(request)
      let found = await twins.byLibrary(request)
      try #require(found == expected, "step \(step): \(request)")
      if step.isMultiple(of: 250) || step == steps { try twins.compare("step \(step)") }
    }
  }

  /// A request, as both make it.
  private enum Request {
    case save(Place, name: String, type: String, fields: [String: Value], Policy)
    case batch(Place, [(name: String, fields: [String: Value])])
    case delete(Place, name: String)
    case fetch(Place, name: String)
    case query(Place, type: String, predicate: String)
    case saveZone(String)
    case deleteZone(String)
    case changes(String, after: Bool)
    case fault(String, Int)
  }

  private struct Place {
    var user: String
    var isPublic: Bool
    var zone: String
  }

  /// How a save treats what is stored; a save with the current or an old tag names a version.
  private enum Policy: String, CaseIterable {
    case create, current, old, changed, all
  }

  private enum Value: CustomStringConvertible {
    case int(Int)
    case double(Double)
    case text(String)
    case list([String])
    case reference(String)
    case nothing

    var description: String {
      switch self {
      case .int(let number): String(number)
      case .double(let number): String(number)
      case .text(let text): "\"\(text)\""
      case .list(let items): "[" + items.map { "\"\($0)\"" }.joined(separator: ",") + "]"
      case .reference(let name):
        #"{"value":{"recordName":"\#(name)","action":"DELETE_SELF"},"type":"REFERENCE"}"#
      case .nothing: "null"
      }
    }

    func object(in zone: CKRecordZone.ID) -> (any CKRecordValue)? {
      switch self {
      case .int(let number): number
      case .double(let number): number
      case .text(let text): text
      case .list(let items): items
      case .reference(let name):
        CKRecord.Reference(
          recordID: CKRecord.ID(recordName: name, zoneID: zone), action: .deleteSelf)
      case .nothing: nil
      }
    }
  }

  private struct Twins {
    private let commands: CommandFixture
    private let other: CommandFixture
    private let cloud: LocalCloud
    private var chance: SplitMix64
    /// The tags that records had, by place and name, newest last.
    private var tags: [String: [String]] = [:]
    private var tokens: [String: (text: String, token: CKServerChangeToken)] = [:]

    init(seed: UInt64) throws {
      chance = SplitMix64(state: seed)
      (commands, other) = (try .withContainer(), try .withContainer())
      cloud = try LocalCloud(
        at: URL(fileURLWithPath: other.directory.path + "/.ckdb", isDirectory: true))
      cloud.now = Date(timeIntervalSince1970: 1_767_225_600)
      cloud.seed = 7
    }

    // MARK: Chance

    private mutating func pick<T>(_ items: [T]) -> T {
      items[Int.random(in: 0..<items.count, using: &chance)]
    }

    mutating func next() -> Request {
      let place = Place(
        user: pick(["me", "me", "me", "ann", "none"]),
        isPublic: Int.random(in: 0..<5, using: &chance) == 0,
        zone: pick(["_defaultZone", "Z1", "Z2"]))
      let name = "n\(Int.random(in: 0..<12, using: &chance))"
      switch Int.random(in: 0..<20, using: &chance) {
      case 0: return .saveZone(pick(["Z1", "Z2"]))
      case 1:
        return Int.random(in: 0..<4, using: &chance) == 0
          ? .deleteZone("Z2") : .fetch(place, name: name)
      case 2: return .delete(place, name: name)
      case 3, 4: return .fetch(place, name: name)
      case 5, 6:
        return .query(
          place, type: pick(["Note", "Task", "Missing"]),
          predicate: pick([
            "number > 3", "text BEGINSWITH \"a\"", "TRUEPREDICATE", "NOT (number < 5)",
            "tags CONTAINS \"x\"", "missing == 1",
          ]))
      case 7: return .changes(pick(["Z1", "Z2"]), after: pick([true, false]))
      case 8:
        return .fault(
          pick(["save", "fetch", "query", "delete"]), pick([3, 6, 7, 14, 23, 25, 26]))
      case 9, 10:
        var names: [String] = []
        for _ in 0..<Int.random(in: 1...4, using: &chance) {
          let name = "n\(Int.random(in: 0..<12, using: &chance))"
          if !names.contains(name) { names.append(name) }
        }
        return .batch(place, names.map { ($0, fields()) })
      default:
        return .save(
          place, name: name, type: pick(["Note", "Note", "Task"]), fields: fields(),
          pick(Policy.allCases))
      }
    }

    private mutating func fields() -> [String: Value] {
      var fields: [String: Value] = [:]
      for key in ["number", "ratio", "text", "tags", "target"] {
        guard Int.random(in: 0..<2, using: &chance) == 0 else { continue }
        switch key {
        case "number": fields[key] = pick([.int(Int.random(in: 0..<9, using: &chance)), .nothing])
        case "ratio": fields[key] = pick([.double(1.5), .int(2)])
        case "text": fields[key] = pick([.text("a"), .text("ab é"), .nothing])
        case "tags": fields[key] = pick([.list(["x"]), .list(["x", "y"])])
        default:
          fields[key] = pick([.reference("n\(Int.random(in: 0..<12, using: &chance))"), .nothing])
        }
      }
      if Int.random(in: 0..<12, using: &chance) == 0 { fields["number"] = .text("wrong") }
      return fields
    }

    private func tag(_ policy: Policy, _ place: Place, _ name: String) -> String? {
      let known = tags[key(place, name)] ?? []
      switch policy {
      case .current: return known.last
      case .old: return known.dropLast().last
      case .create, .changed, .all: return nil
      }
    }

    private func key(_ place: Place, _ name: String) -> String {
      "\(place.isPublic ? "" : place.user)/\(place.isPublic)/\(place.zone)/\(name)"
    }

    // MARK: The command line

    private func words(_ place: Place) -> [String] {
      ["-u", place.user, "-d", place.isPublic ? "public" : "private", "-z", place.zone]
    }

    private static func json(_ fields: [String: Value]) -> String {
      let members = fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
      return "{" + members.joined(separator: ",") + "}"
    }

    private func outcome(_ words: [String], input: String = "") throws -> (String, String) {
      let outcome = try commands.run(words, input: input)
      let codes = outcome.errors.matches(of: /\((\w+) (\d+)(?:\/\d+)?\)/)
        .filter { $0.1 != "tag" }.map { String($0.2) }
      return (outcome.output, codes.joined(separator: " "))
    }

    mutating func byCommand(_ request: Request) throws -> String {
      switch request {
      case .save(let place, let name, let type, let fields, let policy):
        if policy == .changed || policy == .all {
          return try save([(name, fields)], type, place, ["--policy", policy.rawValue, "--json"])
        }
        var all = ["record", "save", type, "--name", name, "--json"] + words(place)
        if let tag = tag(policy, place, name) { all += ["--tag", tag] }
        for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
          all.append("\(field):=\(value)")
        }
        let (output, codes) = try outcome(all)
        return codes.isEmpty ? Self.tag(in: output) : codes
      case .batch(let place, let records):
        return try save(records, "Note", place)
      case .delete(let place, let name):
        return try outcome(["record", "delete", name, "-y"] + words(place)).1
      case .fetch(let place, let name):
        let (output, codes) = try outcome(["record", "fetch", name, "--json"] + words(place))
        return codes.isEmpty ? Self.tag(in: output) : codes
      case .query(let place, let type, let predicate):
        let (output, codes) = try outcome(
          ["query", type, predicate, "--jsonl", "--limit", "100"] + words(place))
        return codes.isEmpty
          ? output.matches(of: /"recordName":"(n\d+)","recordType"/).map { String($0.1) }.sorted()
            .joined(separator: " ") : codes
      case .saveZone(let zone): return try outcome(["zone", "create", zone]).1
      case .deleteZone(let zone):
        let codes = try outcome(["zone", "delete", zone, "-y"]).1
        // The library answers success for a zone that does not exist.
        return codes == "26" ? "" : codes
      case .changes(let zone, let after):
        var all = ["changes", "zone", "-z", zone, "--json"]
        if after, let token = tokens[zone] { all += ["--since", token.text] }
        let (output, codes) = try outcome(all)
        guard codes.isEmpty, let token = output.firstMatch(of: /"token":"([^"]+)"/) else {
          return codes
        }
        pending = String(token.1)
        return output.matches(of: /"recordName":"(n\d+)","recordType"/).map { String($0.1) }
          .sorted().joined(separator: " ")
      case .fault(let operation, let code):
        return try outcome([
          "fault", "add", "--operation", operation, "--code", "\(code)", "--times", "1",
        ]).1
      }
    }

    /// Saves records in one operation.
    private func save(
      _ records: [(name: String, fields: [String: Value])], _ type: String, _ place: Place,
      _ options: [String] = []
    ) throws -> String {
      let lines = records.map {
        #"{"recordName":"\#($0.name)","recordType":"\#(type)","fields":\#(Self.json($0.fields))}"#
      }
      let (output, codes) = try outcome(
        ["record", "save", "--from", "-"] + words(place) + options,
        input: lines.joined(separator: "\n"))
      if options.isEmpty { return codes }
      return codes.isEmpty
        ? Self.tag(in: output) : (codes.hasPrefix("2 ") ? String(codes.dropFirst(2)) : codes)
    }

    /// The token of the last feed by command, until the library has its own.
    private var pending = ""

    private static func tag(in output: String) -> String {
      String(output.firstMatch(of: /"changeTag":"([^"]+)"/)?.1 ?? "")
    }

    // MARK: The library

    private func database(_ place: Place) -> CKDatabase {
      let account = place.user == "none" ? nil : place.user
      let container = cloud.container(LibraryDifferentialTests.identifier, account: account)
      return place.isPublic ? container.publicCloudDatabase : container.privateCloudDatabase
    }

    private func id(_ place: Place, _ name: String) -> CKRecord.ID {
      CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: place.zone))
    }

    mutating func byLibrary(_ request: Request) async -> String {
      do { return try await answer(request) } catch { return Self.codes(error) }
    }

    private static func codes(_ error: any Error) -> String {
      guard let error = error as? CKError else { return "\(error)" }
      return String(error.code.rawValue)
    }

    private mutating func answer(_ request: Request) async throws -> String {
      switch request {
      case .save(let place, let name, let type, let fields, let policy):
        let record = try record(place, name, type, fields, tag(policy, place, name))
        if policy == .changed || policy == .all {
          let (saves, _) = try await database(place).modifyRecords(
            saving: [record], deleting: [],
            savePolicy: policy == .all ? .allKeys : .changedKeys, atomically: false)
          _ = try saves[record.recordID]?.get()
        } else {
          try await database(place).save(record)
        }
        tags[key(place, name), default: []].append(record.recordChangeTag ?? "")
        return record.recordChangeTag ?? ""
      case .batch(let place, let records):
        let made = try records.map { try record(place, $0.name, "Note", $0.fields, nil) }
        let (saves, _) = try await database(place).modifyRecords(saving: made, deleting: [])
        let failures = made.compactMap { record -> String? in
          guard case .failure(let error)? = saves[record.recordID] else { return nil }
          return Self.codes(error)
        }
        return (failures.isEmpty ? [] : ["2"] + failures).joined(separator: " ")
      case .delete(let place, let name):
        try await database(place).deleteRecord(withID: id(place, name))
        return ""
      case .fetch(let place, let name):
        return try await database(place).record(for: id(place, name)).recordChangeTag ?? ""
      case .query(let place, let type, let predicate):
        let query = CKQuery(recordType: type, predicate: NSPredicate(format: predicate))
        let (found, _) = try await database(place).records(
          matching: query, inZoneWith: CKRecordZone.ID(zoneName: place.zone))
        return found.map(\.0.recordName).sorted().joined(separator: " ")
      case .saveZone(let zone):
        try await own.save(CKRecordZone(zoneName: zone))
        return ""
      case .deleteZone(let zone):
        try await own.deleteRecordZone(withID: CKRecordZone.ID(zoneName: zone))
        return ""
      case .changes(let zone, let after):
        let token = after ? tokens[zone]?.token : nil
        let feed = try await own.recordZoneChanges(
          inZoneWith: CKRecordZone.ID(zoneName: zone), since: token, resultsLimit: 1000)
        tokens[zone] = (pending, feed.changeToken)
        let names =
          feed.modificationResultsByID.keys.map(\.recordName)
          + feed.deletions.map(\.recordID.recordName)
        return names.sorted().joined(separator: " ")
      case .fault(let operation, let code):
        guard let kind = LocalCloud.Operation(rawValue: operation),
          let code = CKError.Code(rawValue: code)
        else { return "no such fault" }
        try cloud.fail(kind, with: code, times: 1)
        return ""
      }
    }

    private var own: CKDatabase { database(Place(user: "me", isPublic: false, zone: "")) }

    /// A record with a tag, as an app has it that kept its system fields.
    private func record(
      _ place: Place, _ name: String, _ type: String, _ fields: [String: Value], _ tag: String?
    ) throws -> CKRecord {
      var record = CKRecord(recordType: type, recordID: id(place, name))
      if let tag {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(type as NSString, forKey: "RecordType")
        archiver.encode(record.recordID, forKey: "RecordID")
        archiver.encode(tag as NSString, forKey: "ETag")
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        record = try #require(CKRecord(coder: unarchiver))
      }
      for (key, value) in fields { record[key] = value.object(in: record.recordID.zoneID) }
      return record
    }

    // MARK: Both

    func compare(_ place: String) throws {
      for user in ["me", "ann"] {
        for scope in ["private", "public"] {
          let words = ["export", "--system", "-u", user, "-d", scope]
          let exports = try [commands, other].map { try $0.run(words).output }
          try #require(exports[0] == exports[1], "\(place): \(user), \(scope)")
        }
      }
    }
  }
}
