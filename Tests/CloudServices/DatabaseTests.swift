internal import CloudModel
internal import CloudServices
internal import Testing

/// Which data each user can see (R1.3).
@Suite struct DatabaseTests {
  @Test("C024: public records are readable by B after A saved them")
  func publicRecords() throws {
    let fixture = try CloudFixture()
    let saved = try fixture.database(.public, "anna").save("r", "Note", [("a", .int64(1))])
    #expect(try fixture.database(.public, "ben").find("r") == saved)
  }

  @Test("C025: private records of A are invisible to B, also under the same name")
  func privateRecords() throws {
    let fixture = try CloudFixture()
    try fixture.database(.private, "anna").save("r", "Note", [("a", .int64(1))])
    let ben = try fixture.database(.private, "ben")
    #expect(try ben.find("r") == nil)
    #expect(try ben.everything() == [])
    try ben.save("r", "Note", [("a", .int64(2))])
    #expect(try fixture.database(.private, "anna").find("r")?["a"] == .int64(1))
    var request = QueryRequest(type: try RecordType("Note"), predicate: .constant(true, 0..<0))
    request.zone = nil
    #expect(try ben.count(request) == 1)
  }

  @Test("C027: a write to public without an account gives notAuthenticated and changes nothing")
  func signedOutWrite() throws {
    let fixture = try CloudFixture()
    let nobody = try fixture.database(.public, nil)
    expectRefusal(.notAuthenticated) { try nobody.save("r") }
    expectRefusal(.notAuthenticated) {
      _ = try nobody.delete(RecordName("r"), in: .defaultZone)
    }
    expectRefusal(.notAuthenticated) { _ = try nobody.importing(ImportOptions()) { _ in } }
    #expect(try fixture.environment().size().records == 0)
  }

  @Test("C026: public records can be read without an account", .tags())
  func signedOutRead() throws {
    let fixture = try CloudFixture()
    try fixture.database(.public).save("r")
    #expect(try fixture.database(.public, nil).find("r") != nil)
  }

  @Test("M1.12: with --strict, nothing can be read without an account in development")
  func strictSignedOutRead() throws {
    let fixture = try CloudFixture()
    try fixture.database(.public).save("r")
    _ = try fixture.environment(.production).deploy(from: fixture.environment())
    try fixture.database(.public, "me", in: .production).save("r")
    fixture.request.isStrict = true
    expectRefusal(.notAuthenticated) { _ = try fixture.database(.public, nil).find("r") }
    #expect(try fixture.database(.public, nil, in: .production).find("r") != nil)
    #expect(try fixture.database(.public, "ben").find("r") != nil)
  }

  @Test("C081: a new type grants READ to the world, CREATE to signed-in users, WRITE to creators")
  func defaultGrants() throws {
    let fixture = try CloudFixture()
    try fixture.database(.public, "anna").save("a")
    let ben = try fixture.database(.public, "ben")
    try ben.save("b")
    let nobody = try fixture.database(.public, nil)
    #expect(try nobody.everything().map(\.name.text) == ["a", "b"])
    expectRefusal(.notAuthenticated) { try nobody.save("c") }
    expectRefusal(.permissionFailure, "WRITE") { try ben.save("a", "Note", [], .changed) }
    try ben.save("b", "Note", [("n", .int64(1))], .changed)
  }

  @Test("C240: with default grants B can in no way update or delete A's public record")
  func publicGrants() throws {
    let fixture = try CloudFixture()
    let anna = try fixture.database(.public, "anna")
    let saved = try anna.save("r", "Note", [("a", .int64(1))])
    let ben = try fixture.database(.public, "ben")
    let words = "WRITE operation not permitted"
    for policy in [SavePolicy.changed, .all] {
      expectRefusal(.permissionFailure, words) {
        try ben.save("r", "Note", [("a", .int64(2))], policy)
      }
    }
    expectRefusal(.permissionFailure, words) {
      try ben.save("r", "Note", [("a", .int64(2))], tag: saved.changeTag)
    }
    expectRefusal(.permissionFailure, words) {
      _ = try ben.delete(saved.name, in: .defaultZone)
    }
    let items = [ModifyRequest.Item(.delete(saved.name, tag: nil), in: .defaultZone)]
    #expect(try ben.modify(ModifyRequest(items)).failures.map(\.code) == [.permissionFailure])
    expectRefusal(.serverRecordChanged, "record to insert already exists") { try ben.save("r") }
    #expect(try ben.find("r") == saved)
    try ben.save("mine", "Note", [("a", .int64(3))])
    try anna.save("r", "Note", [("a", .int64(4))], .changed)
    #expect(try anna.delete(saved.name, in: .defaultZone).isDeleted)
  }

  @Test("C245: grants do not apply in the private database")
  func privateGrants() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r", "Note", [("a", .int64(1))])
    try fixture.mine.save("r", "Note", [("a", .int64(2))], .changed)
    #expect(try fixture.mine.delete(RecordName(stored: "r"), in: .defaultZone).isDeleted)
  }

  @Test("C028: access to private or shared without an account gives 9", arguments: [2, 3])
  func signedOutElsewhere(_ scope: Int) throws {
    let fixture = try CloudFixture()
    let scope = try #require(DatabaseScope(rawValue: scope))
    let nobody = try fixture.database(scope, nil)
    expectRefusal(.notAuthenticated) { _ = try nobody.zones() }
    expectRefusal(.notAuthenticated) { _ = try nobody.zone(.defaultZone) }
    expectRefusal(.notAuthenticated) { _ = try nobody.fetch([], in: .defaultZone) }
    expectRefusal(.notAuthenticated) { try nobody.list(nil, in: .defaultZone) { _ in true } }
    expectRefusal(.notAuthenticated) { try nobody.save("r") }
    expectRefusal(.notAuthenticated) { _ = try nobody.createZone(ZoneID("Notes")) }
    expectRefusal(.notAuthenticated) {
      let type = try RecordType("Note")
      _ = try nobody.count(QueryRequest(type: type, predicate: .constant(true, 0..<0)))
    }
  }

  @Test("R11.1: an open store notices when another process changes an account's status")
  func statusOfOthers() throws {
    let fixture = try CloudFixture()
    let other = CloudStore(path: fixture.store.path)
    let account = try Account("me")
    #expect(try fixture.store.status(of: account) == .available)
    try other.set(.restricted, of: account)
    let version = fixture.store.version
    fixture.store.noteChanges(of: nil)
    #expect(fixture.store.version != version)
    #expect(try fixture.store.status(of: account) == .restricted)
    #expect(try other.status(of: account) == .restricted)
  }

  @Test("R6.9, R1.3.6: a private record counts towards its own user's quota only")
  func quotaOfUsers() throws {
    let fixture = try CloudFixture()
    let (environment, account) = (try fixture.environment(), try Account("me"))
    try fixture.mine.save("r", "Note", [("n", .int64(1))])
    #expect(try environment.size(of: account)?.bytes == 9)
    for (user, scope) in [("me", DatabaseScope.private), ("me", .public), ("ben", .private)] {
      let database = try fixture.database(scope, user)
      try database.save("other", "Note", user == "me" ? [] : [("n", .int64(1))], .changed)
      let name = try environment.userRecordName(Account(user)).text
      try database.save(name, "Users", [("nick", .string("Newt"))], .changed)
    }
    #expect(try environment.size(of: account)?.bytes == 9 + 8)
    try fixture.store.set(quota: 20, of: account)
    expectRefusal(.quotaExceeded) {
      try fixture.mine.save(
        environment.userRecordName(account).text, "Users", [("nick", .string("Salamander"))],
        .changed)
    }
    #expect(try environment.size(of: account)?.bytes == 9 + 8)
  }

  @Test("C168: a query on shared without a zone is refused")
  func sharedWithoutZone() throws {
    let fixture = try CloudFixture()
    try fixture.mine.save("r")
    let request = QueryRequest(type: try RecordType("Note"), predicate: .constant(true, 0..<0))
    #expect(try fixture.database(.shared).count(request) == 0)
    expectRefusal(.invalidArguments, "SharedDB does not support Zone Wide queries") {
      var strict = try fixture.database(.shared).environment.request
      strict.isStrict = true
      let environment = try fixture.database(.shared).environment.acting(for: strict)
      _ = try environment.database(.shared).count(request)
    }
  }

  @Test("C233: a read leaves the store untouched; the first write makes the account, once")
  func accounts() throws {
    let fixture = try CloudFixture()
    let environment = try fixture.environment()
    let before = try environment.size()
    _ = try fixture.mine.everything()
    _ = try fixture.mine.find("r")
    #expect(try environment.size() == before)
    func notices(saving name: String) throws -> [Notice] {
      let request = SaveRequest(
        name: try RecordName(name), type: try RecordType("Note"), assignments: [])
      return try fixture.mine.save(request, in: .defaultZone).notices
    }
    let account = try Account("me")
    #expect(
      try notices(saving: "r").first
        == .newAccount(account, environment.userRecordName(account), near: nil))
    #expect(try notices(saving: "s").isEmpty)
  }
}
