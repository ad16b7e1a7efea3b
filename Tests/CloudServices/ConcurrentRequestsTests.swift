internal import Basics
internal import CloudModel
internal import CloudServices
internal import PredicateLanguage
internal import Testing

/// Threads that serve requests of different users from one store (DS11): each sees its own account,
/// clock and strictness, unaffected by the others.
@Suite struct ConcurrentRequestsTests {
  /// A user with a part of the store and a clock, and the results of their requests.
  private struct Person: Sendable {
    let number: Int
    let store: CloudStore
    let container: ContainerID
    private static let zone = ZoneID(stored: "Notes")

    init(_ number: Int, _ fixture: CloudFixture) {
      self.number = number
      (store, container) = (fixture.store, fixture.container)
    }

    private var isStrict: Bool { number % 2 == 0 }

    private var clock: Timestamp {
      Timestamp(milliseconds: CloudFixture.noon.milliseconds + Int64(number) * 86_400_000)
    }

    private func request() throws -> Request {
      Request(
        account: try Account("user\(number)"), device: try Device("device\(number)"),
        fixedClock: clock, randomness: .seeded(UInt64(number)),
        patience: Patience(milliseconds: 60_000),
        isStrict: isStrict)
    }

    private func database(_ scope: DatabaseScope) throws -> CloudDatabase {
      try store.environment(container, .development, for: request()).database(scope)
    }

    private func save(_ name: String, _ value: Int64) throws -> SaveRequest {
      SaveRequest(
        name: try RecordName(name), type: try RecordType("Note"),
        assignments: [FieldAssignment(try FieldName("n"), .int64(value))])
    }

    /// Returns a line for each step.
    func live(rounds: Int) throws -> [String] {
      let made = try database(.private).createZones([Self.zone])
      var lines = ["made \(made.made.count), notices \(made.notices)"]
      for round in 0..<rounds {
        let mine = try database(.private)
        _ = try mine.save(save("r\(round)", Int64(round)), in: Self.zone)
        _ = try database(.public).save(
          save("u\(number)-\(round)", Int64(number)), in: .defaultZone)
        let items = try (0..<3).map {
          ModifyRequest.Item(.save(try save("b\(round)-\($0)", 1)), in: Self.zone)
        }
        lines.append("batch \(try mine.modify(ModifyRequest(items)).saved.count)")
        lines.append(answer(try database(.private), "n == \(round) OR n == 1"))
        if round % 3 == 0 {
          let deleted = try mine.delete(RecordName("b\(round)-0"), in: Self.zone)
          lines.append("deleted \(deleted.isDeleted)")
        }
        for result in try mine.fetch([RecordName("r\(round)")], in: Self.zone) {
          let record = try result.get()
          let stamp = record.modified.map {
            "\($0.at.milliseconds) \($0.by.text) \($0.device.name)"
          }
          lines.append("\(record.name.text) \(record.fields.entries.count) \(stamp ?? "")")
        }
      }
      var count = 0
      try database(.private).list(nil, in: Self.zone) { _ in
        count += 1
        return true
      }
      return lines + ["\(count) records"]
    }

    /// The answer to a query; only strict requests refuse OR.
    private func answer(_ database: CloudDatabase, _ predicate: String) -> String {
      do {
        let request = QueryRequest(
          type: try RecordType("Note"), predicate: try PredicateParser.parse(predicate))
        return "count \(try database.count(request))"
      } catch let error as CloudError {
        return "\(error.code)"
      } catch { return "\(error)" }
    }
  }

  private static func prepared() throws -> CloudFixture {
    let fixture = try CloudFixture()
    try fixture.mine.save("first", "Note", [("n", .int64(1))])
    return fixture
  }

  @Test("DS11: eight threads with different users see what they would see one after another")
  func threads() throws {
    let rounds = 12
    let one = try Self.prepared()
    let wanted = try (0..<8).map { try Person($0, one).live(rounds: rounds) }
    #expect(Set(wanted.map { $0.joined(separator: "\n") }).count == 8)
    let fixture = try Self.prepared()
    let found = Locked<[Int: Result<[String], any Error>]>([:])
    let workers = try (0..<8).map { number in
      let person = Person(number, fixture)
      return try Worker {
        let lines = Result { try person.live(rounds: rounds) }
        found.withLock { $0[number] = lines }
      }
    }
    for worker in workers { worker.join() }
    for (number, wanted) in wanted.enumerated() {
      let lines = try #require(found.withLock { $0[number] }).get()
      #expect(lines == wanted, "user\(number)")
    }
    #expect(try fixture.database(.public).everything().count == 8 * rounds)
    let findings = try fixture.store.examine(isDeep: true, for: fixture.request)
    #expect(findings.flatMap(\.findings).allSatisfy { $0.code.severity == .notice }, "\(findings)")
  }

  @Test("DS11: a request that is cancelled ends, and another one continues")
  func interruption() throws {
    let fixture = try Self.prepared()
    var request = fixture.request
    request.account = try Account("me")
    request.patience.interruption = Interruption(isWanted: { false })
    let unwanted = try fixture.store.environment(fixture.container, .development, for: request)
    expectRefusal(.operationCancelled) { _ = try unwanted.database(.private).everything() }
    request.patience.interruption = Interruption(deadline: Platform.monotonicMilliseconds - 1)
    let late = unwanted.acting(for: request)
    expectRefusal(.operationCancelled) { _ = try late.database(.private).everything() }
    #expect(try fixture.mine.everything().count == 1)
  }
}
