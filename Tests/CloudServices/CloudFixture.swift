internal import Basics
internal import CloudModel
internal import CloudServices
internal import StoreHome
internal import TestSupport
internal import Testing

/// A store with one container, in a fresh directory.
final class CloudFixture {
  let directory: TemporaryDirectory
  let store: CloudStore
  let container: ContainerID
  /// The template of all requests, except for the account.
  var request: Request
  /// The time at which the clock is frozen.
  static let noon = Timestamp(milliseconds: 1_767_268_800_000)

  init(seed: UInt64 = 7, container: String = "iCloud.org.example.app") throws {
    directory = try TemporaryDirectory()
    store = CloudStore(path: directory.path + "/.ckdb")
    self.container = try ContainerID(container)
    request = Request(
      fixedClock: Self.noon, randomness: .seeded(seed), patience: Patience(milliseconds: 5000))
    _ = try store.create()
    _ = try store.create(self.container, for: request)
  }

  func environment(_ environment: Environment = .development) throws -> CloudEnvironment {
    try store.environment(container, environment, for: request.again())
  }

  /// A database as a user sees it; nil means no account.
  func database(
    _ scope: DatabaseScope = .private, _ user: String? = "me",
    in environment: Environment = .development
  ) throws -> CloudDatabase {
    try self.environment(environment).database(scope, as: user.map { try Account($0) })
  }

  /// The private database of `me`.
  var mine: CloudDatabase { get throws { try database() } }

  /// Sets the clock forward.
  func advance(milliseconds: Int64) {
    let now = request.now.milliseconds
    request.fixedClock = Timestamp(milliseconds: now + milliseconds)
  }

  /// Writes a file into the fixture's directory and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    let path = "\(directory.path)/\(name)"
    try FileSystem.replace(path, with: Array(text.utf8))
    return path
  }
}

extension CloudDatabase {
  /// Saves a zone; returns whether it is new.
  func createZone(_ name: ZoneID) throws -> Bool { try !createZones([name]).made.isEmpty }

  /// Saves a record and returns the stored version.
  @discardableResult
  func save(
    _ name: String?, _ type: String = "Note", _ fields: [(String, FieldValue?)] = [],
    zone: String = "_defaultZone", tag: ChangeTag? = nil, _ policy: SavePolicy = .unchanged,
    replacing: Bool = false
  ) throws -> Record {
    var assignments: [FieldAssignment] = []
    for (field, value) in fields {
      assignments.append(FieldAssignment(try FieldName(field), value))
    }
    return try save(
      SaveRequest(
        name: name.map { try RecordName($0) }, type: RecordType(type), assignments: assignments,
        tag: tag, policy: policy, replacesFields: replacing), in: ZoneID(zone)
    ).record
  }

  /// A record by its name; nil if there is none.
  func find(_ name: String, zone: String = "_defaultZone", keys: [String]? = nil) throws -> Record?
  {
    let results = try fetch(
      [RecordName(stored: name)], in: ZoneID(zone), keys: keys?.map { FieldName(stored: $0) })
    if case .record(let record)? = results.first { return record }
    return nil
  }

  /// All records of all zones, in order.
  func everything() throws -> [Record] {
    var records: [Record] = []
    for zone in try zones() {
      try list(nil, in: zone.id) { record in
        records.append(record)
        return true
      }
    }
    return records
  }
}

extension Record {
  /// A field's value.
  subscript(field: String) -> FieldValue? { fields[FieldName(stored: field)] }
}

/// Expects an error with a code, and the server's message if one is given.
@discardableResult
func expectRefusal(
  _ code: CloudError.Code, _ words: String = "",
  sourceLocation: SourceLocation = #_sourceLocation, _ work: () throws -> Void
) -> CloudError? {
  let error = #expect(throws: CloudError.self, sourceLocation: sourceLocation) { try work() }
  #expect(error?.code == code, sourceLocation: sourceLocation)
  let message = error?.message ?? ""
  #expect(words.isEmpty || message.contains(words), "\(message)", sourceLocation: sourceLocation)
  return error
}

extension CloudEnvironment {
  /// One of its databases as an account sees it; nil means no account.
  func database(
    _ scope: DatabaseScope, as account: Account?, on device: Device = .cli
  ) throws -> CloudDatabase {
    var request = request
    (request.account, request.device) = (account, device)
    return try acting(for: request).database(scope)
  }

  /// All types except `Users`, which every schema has.
  func madeTypes() throws -> [String] {
    try appSchema().map(\.name.text)
  }
}
