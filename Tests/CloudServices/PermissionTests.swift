internal import CloudModel
internal import CloudServices
internal import Testing

/// Permissions in the public database (R11.4): every grant to every role, for two users with some
/// of the roles, and without an account.
@Suite struct PermissionTests {
  private static let custom = ["editor", "reader", "nobody's"].map { SecurityRole(stored: $0) }
  private static let roles = [SecurityRole.world, .icloud, .creator] + custom
  /// The roles that each user has.
  private static let held: [String: [SecurityRole]] = [
    "ann": [custom[0]], "ben": [custom[0], custom[1]],
  ]
  private static let users: [String?] = ["ann", "ben", nil]

  /// A type with its grants.
  private struct Case {
    let type: RecordType
    let grants: Grants

    /// Whether a user has a permission for a creator's record: by the rule, not the code.
    func allows(_ permission: Permissions, _ user: String?, creator: String?) -> Bool {
      grants.entries.contains { role, permissions in
        guard permissions.contains(permission) else { return false }
        switch role {
        case .world: return true
        case .icloud: return user != nil
        case .creator: return user != nil && user == creator
        default: return user.map { PermissionTests.held[$0]?.contains(role) ?? false } ?? false
        }
      }
    }
  }

  /// Each set of permissions for each role alone, and a few for two roles at once.
  private static let cases: [Case] = {
    var all: [Grants] = [Grants()]
    for role in roles {
      for bits in 1..<8 {
        var grants = Grants()
        grants[role] = Permissions(rawValue: bits)
        all.append(grants)
        var both = grants
        both[roles[bits % roles.count]].formUnion(Permissions(rawValue: 8 - bits))
        all.append(both)
      }
    }
    return all.enumerated().map { Case(type: RecordType(stored: "T\($0)"), grants: $1) }
  }()

  private static func schema(_ grants: (Case) -> Grants) -> Schema {
    Schema(
      roles: custom,
      types: cases.map { item in
        RecordTypeSchema(
          name: item.type,
          fields: [FieldSchema(name: FieldName(stored: "n"), type: FieldType(.int64), indexes: [])],
          grants: grants(item))
      })
  }

  /// A store where each user has made a record of each type for each user that will act on it.
  private static func fixture() throws -> CloudFixture {
    let fixture = try CloudFixture()
    let (environment, production) = (
      try fixture.environment(), try fixture.environment(.production)
    )
    var everything = Grants()
    everything[.icloud] = .all
    _ = try environment.importSchema(schema { _ in everything }, besides: production)
    for (user, roles) in held {
      for role in roles {
        #expect(try environment.set(role, of: Account(user), isGiven: true).isChanged)
      }
      let database = try fixture.database(.public, user)
      for item in cases {
        for other in users {
          try database.save("\(item.type.text)-\(user)-\(other ?? "")", item.type.text)
        }
      }
    }
    let changes = try environment.importSchema(schema(\.grants), besides: production)
    #expect(changes.allSatisfy { if case .changeGrants = $0 { true } else { false } })
    return fixture
  }

  @Test("R11.4: every grant to every role allows exactly what the rule says")
  func everyCell() throws {
    let fixture = try Self.fixture()
    var cells = 0
    func expect(_ isAllowed: Bool, _ what: String, _ work: () throws -> Void) {
      cells += 1
      do {
        try work()
        #expect(isAllowed, "\(what) was done")
      } catch let error as CloudError {
        #expect(!isAllowed, "\(what): \(error.message)")
        #expect(
          error.code == .permissionFailure || error.code == .notAuthenticated, "\(what): \(error)")
      } catch { Issue.record(error) }
    }
    for item in Self.cases {
      for user in Self.users {
        let database = try fixture.database(.public, user)
        let who = "\(user ?? "nobody") \(item.grants.text)"
        expect(
          user != nil && item.allows(.create, user, creator: nil), "\(who): create"
        ) { try database.save("new-\(item.type.text)-\(user ?? "")", item.type.text) }
        for owner in ["ann", "ben"] {
          let name = "\(item.type.text)-\(owner)-\(user ?? "")"
          let mayRead = item.allows(.read, user, creator: owner)
          let mayWrite = user != nil && item.allows(.write, user, creator: owner)
          let access = try fixture.database(.public, owner).access(
            of: user.map { try Account($0) }, to: RecordName(stored: name), in: .defaultZone)
          #expect(access.read.isAllowed == mayRead, "\(who): \(access.read.rule)")
          #expect(access.change.isAllowed == mayWrite, "\(who): \(access.change.rule)")
          #expect(access.delete.isAllowed == mayWrite, "\(who): \(access.delete.rule)")
          expect(mayRead, "\(who): fetch \(owner)'s") {
            _ = try database.fetch([RecordName(stored: name)], in: .defaultZone)[0].get()
          }
          expect(mayWrite, "\(who): write \(owner)'s") {
            try database.save(name, item.type.text, [("n", .int64(1))], .changed)
          }
          try checkRows(database, item, user, name, mayRead, who, &cells)
          expect(mayWrite, "\(who): delete \(owner)'s") {
            _ = try database.delete(RecordName(stored: name), in: .defaultZone)
          }
        }
      }
    }
    #expect(cells == Self.cases.count * Self.users.count * (1 + 2 * 5))
  }

  /// A query and a list show the readable records: all, the user's own, or an error for none.
  private func checkRows(
    _ database: CloudDatabase, _ item: Case, _ user: String?, _ name: String, _ mayRead: Bool,
    _ who: String, _ cells: inout Int
  ) throws {
    let mayReadAny = ["ann", "ben"].contains { item.allows(.read, user, creator: $0) }
    cells += 2
    var queried: [String] = []
    var listed: [String] = []
    do {
      var request = QueryRequest(type: item.type, predicate: .constant(true, 0..<0))
      request.zone = .defaultZone
      _ = try database.query(request) {
        queried.append($0.name.text)
        return true
      }
      try database.list(item.type, in: .defaultZone) {
        listed.append($0.name.text)
        return true
      }
      #expect(mayReadAny, "\(who): query")
    } catch {
      #expect(!mayReadAny && error.code == .permissionFailure, "\(who): query: \(error)")
    }
    #expect(queried.contains(name) == mayRead, "\(who): query for \(name)")
    #expect(Set(queried) == Set(listed), "\(who)")
    let count = try? database.count(
      QueryRequest(type: item.type, predicate: .constant(true, 0..<0)))
    #expect(count ?? 0 == queried.count, "\(who): count")
  }

  @Test("R7.4.8, R7.4.6: where only creators may read, pages have each of their records once")
  func pages() throws {
    let fixture = try CloudFixture()
    var grants = Grants()
    grants[.icloud] = .create
    grants[.creator] = .read
    let type = RecordTypeSchema(
      name: RecordType(stored: "Diary"),
      fields: [FieldSchema(name: FieldName(stored: "n"), type: FieldType(.int64), indexes: [])],
      grants: grants)
    _ = try fixture.environment().importSchema(
      Schema(types: [type]), besides: fixture.environment(.production))
    let (ann, ben) = (try fixture.database(.public, "ann"), try fixture.database(.public, "ben"))
    for index in 0..<25 {
      try ann.save("a\(index)", "Diary", [("n", .int64(Int64(index % 4)))])
      try ben.save("b\(index)", "Diary", [("n", .int64(Int64(index % 4)))])
    }
    var request = QueryRequest(type: type.name, predicate: .constant(true, 0..<0))
    request.limit = 4
    request.sort = [SortKey("n", isAscending: false)]
    var names: [String] = []
    var texts: Set<String> = []
    repeat {
      request.after = try ann.query(request) {
        names.append($0.name.text)
        return true
      }
      if let cursor = request.after { texts.insert(cursor.predicate) }
    } while request.after != nil
    #expect(Set(names) == Set((0..<25).map { "a\($0)" }) && names.count == 25)
    #expect(texts == ["TRUEPREDICATE"], "a cursor has what was asked, not who asked")
  }
}
