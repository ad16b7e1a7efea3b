internal import CloudModel
internal import Testing

@testable internal import CloudServices

/// The operation types of Web Services (R4.2).
@Suite struct OperationTests {
  private func perform(
    _ fixture: CloudFixture, _ kind: RecordOperation.Kind, _ name: String,
    _ fields: [(String, FieldValue?)] = [], tag: ChangeTag? = nil, type: String? = "Note"
  ) throws -> ModifyResult.Outcome {
    var draft = RecordDraft()
    (draft.name, draft.type, draft.changeTag) = (name, type, tag?.text)
    draft.isDeletion = kind.isDeletion
    draft.fields = fields.map { name, value in
      .init(FieldName(stored: name), value, at: TextPosition(line: 1, column: 1))
    }
    return try fixture.mine.perform(
      [.success(RecordOperation(kind, draft))], in: .defaultZone, isAtomic: false
    ).outcomes[0]
  }

  private func saved(_ outcome: ModifyResult.Outcome) throws -> Record {
    guard case .saved(let result) = outcome else { throw Unexpected(outcome: outcome) }
    return result.record
  }

  private func failure(_ outcome: ModifyResult.Outcome) throws -> CloudError {
    guard case .failed(let error) = outcome else { throw Unexpected(outcome: outcome) }
    return error
  }

  private struct Unexpected: Error { let outcome: ModifyResult.Outcome }

  @Test("R4.2, W0.2, C093, C094: what each operation does to a record that is there, and to none")
  func table() throws {
    let fixture = try CloudFixture()
    let start: [(String, FieldValue?)] = [("a", .int64(1)), ("b", .int64(2))]
    let change: [(String, FieldValue?)] = [("a", .int64(9))]
    for kind in RecordOperation.Kind.allCases {
      let name = "known-\(kind.rawValue)"
      let known = try saved(perform(fixture, .create, name, start))
      // Without a tag.
      let untagged = try perform(fixture, kind, name, change)
      switch kind {
      case .create:
        #expect(try failure(untagged).message == "record to insert already exists")
      case .update, .replace: #expect(try failure(untagged).code == .invalidArguments)
      case .forceUpdate: #expect(try saved(untagged)["b"] == .int64(2))
      case .forceReplace: #expect(try saved(untagged)["b"] == nil)
      case .delete, .forceDelete:
        guard case .deleted(true) = untagged else { throw Unexpected(outcome: untagged) }
      }
      if !kind.needsTag { continue }
      // With another version's tag, and with its own.
      let stale = try perform(fixture, kind, name, change, tag: ChangeTag(sequence: 1))
      #expect(try failure(stale).message == "client oplock error updating record")
      let done = try saved(perform(fixture, kind, name, change, tag: known.changeTag))
      #expect(done["a"] == .int64(9) && done["b"] == (kind == .update ? .int64(2) : nil))
    }
    for kind in RecordOperation.Kind.allCases {
      let outcome = try perform(
        fixture, kind, "new-\(kind.rawValue)", change,
        tag: kind.needsTag ? ChangeTag(sequence: 1) : nil)
      switch kind {
      case .create, .forceUpdate, .forceReplace: #expect(try saved(outcome)["a"] == .int64(9))
      case .update, .replace: #expect(try failure(outcome).code == .unknownItem)
      case .delete, .forceDelete:
        guard case .deleted(false) = outcome else { throw Unexpected(outcome: outcome) }
      }
    }
  }

  @Test("a record that is there keeps its type, which a request may leave out; a new one needs it")
  func types() throws {
    let fixture = try CloudFixture()
    let known = try saved(perform(fixture, .create, "r", [("a", .int64(1))]))
    let done = try perform(
      fixture, .update, "r", [("a", .int64(2))], tag: known.changeTag, type: nil)
    #expect(try saved(done).type == known.type)
    #expect(
      try failure(perform(fixture, .forceUpdate, "s", type: nil)).message
        == "missing required field 'recordType'")
  }

  @Test("C105, C107: atomic in the default zone, and 201 operations, fail as a whole")
  func wholeRequests() throws {
    let fixture = try CloudFixture()
    var draft = RecordDraft()
    draft.type = "Note"
    let one = Result<RecordOperation, CloudError>.success(RecordOperation(.create, draft))
    expectRefusal(.invalidArguments) {
      _ = try fixture.mine.perform([one], in: .defaultZone, isAtomic: true)
    }
    expectRefusal(.limitExceeded) {
      _ = try fixture.mine.perform(
        Array(repeating: one, count: 201), in: .defaultZone, isAtomic: false)
    }
    let all = try fixture.mine.perform(
      Array(repeating: one, count: 200), in: .defaultZone, isAtomic: false)
    #expect(all.saved.count == 200)
  }
}
