internal import Basics
internal import CloudModel
internal import CloudServices
internal import Testing

/// All that writes records reports each change once, as before and after, within its transaction
/// (DS11). `CloudModelTests` makes a whole store anew of what is reported.
@Suite struct ChangeHookTests {
  private func listening(
    to types: Set<RecordType>? = nil
  ) throws -> (fixture: CloudFixture, heard: @Sendable () -> [String]) {
    let fixture = try CloudFixture()
    let lines = Lines()
    fixture.store.listen(to: types) { (change, _, _) throws(CloudError) in
      guard change.type != .users else { return }
      lines.add(change)
    }
    return (fixture, { lines.take() })
  }

  /// A line for each change: a name with its field `n` before and after.
  private final class Lines: Sendable {
    private let all = Locked<[String]>([])

    func add(_ change: RecordChange) {
      func text(_ record: Record?) -> String {
        guard let record else { return "-" }
        guard let value = record["n"] else { return "nil" }
        return switch value {
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string, .timestamp, .bytes, .location, .reference, .asset, .list: "?"
        }
      }
      let name = (change.after ?? change.before)?.name.text ?? ""
      all.withLock { $0.append("\(name) \(text(change.before)) \(text(change.after))") }
    }

    func take() -> [String] {
      all.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  @Test("saves, deletions and cascades are reported, what is refused or taken back is not")
  func operations() throws {
    let (fixture, heard) = try listening()
    try fixture.mine.save("a", "Note", [("n", .int64(1))])
    try fixture.mine.save("a", "Note", [("n", .int64(2))], .changed)
    let up = FieldValue.reference(Reference(RecordName(stored: "a"), action: .deleteSelf))
    try fixture.mine.save("b", "Note", [("n", .int64(3)), ("up", up)])
    #expect(heard() == ["a - 1", "a 1 2", "b - 3"])
    expectRefusal(.serverRecordChanged) { try fixture.mine.save("a") }
    #expect(heard() == [])
    _ = try fixture.mine.delete(RecordName("a"), in: .defaultZone)
    #expect(heard() == ["a 2 -", "b 3 -"])
  }

  @Test("a change of the schema reports the records that lose or change a value")
  func schema() throws {
    let (fixture, heard) = try listening()
    try fixture.mine.save("a", "Note", [("n", .int64(1)), ("m", .int64(2))])
    try fixture.mine.save("b", "Note", [("m", .int64(3))])
    _ = heard()
    let (environment, production) = (
      try fixture.environment(), try fixture.environment(.production)
    )
    let type = RecordType(stored: "Note")
    try environment.drop(type, FieldName(stored: "n"), unlessIn: production)
    #expect(heard() == ["a 1 nil"])
    try environment.drop(type, nil, unlessIn: production)
    #expect(heard().sorted() == ["a nil -", "b nil -"])
  }

  @Test("an import reports each record, also where a whole number becomes a real one later")
  func imports() throws {
    let (fixture, heard) = try listening()
    _ = try fixture.mine.importing(ImportOptions()) { importer in
      for (name, value) in [("a", FieldValue.int64(1)), ("b", .double(2.5))] {
        var draft = RecordDraft()
        (draft.name, draft.type) = (name, "Note")
        draft.fields = [.init(FieldName(stored: "n"), value, at: draft.position)]
        try importer.add(draft)
      }
    }
    #expect(heard() == ["a - 1", "a 1 1.0", "b - 2.5"])
  }

  @Test("a listener hears of its types alone, and what it throws takes the transaction back")
  func interest() throws {
    let (fixture, heard) = try listening(to: [RecordType(stored: "Note")])
    try fixture.mine.save("a", "Item", [("n", .int64(1))])
    try fixture.mine.save("b", "Note", [("n", .int64(2))])
    #expect(heard() == ["b - 2"])
    fixture.store.listen { (change, _, _) throws(CloudError) in
      throw CloudError(.quotaExceeded, "no room for the notice")
    }
    expectRefusal(.quotaExceeded) { try fixture.mine.save("c") }
    #expect(try fixture.mine.find("c") == nil)
  }
}
