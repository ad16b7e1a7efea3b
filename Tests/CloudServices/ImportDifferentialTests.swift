internal import Basics
internal import CloudModel
internal import CloudServices
internal import Testing

/// Different ways to make the same store.
@Suite struct ImportDifferentialTests {
  /// Drafts with types, zones, repeated names, missing values and numbers of both kinds.
  private func drafts(_ seed: UInt64, _ count: Int) -> [RecordDraft] {
    var random = SplitMix64(state: seed)
    return (0..<count).map { line in
      var fields: [(String, FieldValue?)] = []
      for field in ["a", "b", "c", "d"] where random.next() % 3 > 0 {
        let number = Int64(random.next() % 50)
        switch field {
        case "a": fields.append((field, .string("v\(number)")))
        case "b":
          fields.append((field, number % 7 == 0 ? .double(Double(number) / 2) : .int64(number)))
        case "c":
          fields.append((field, number % 5 == 0 ? nil : .list([.string("x"), .string("y")])))
        default:
          let target = Reference(RecordName(stored: "r\(number)"))
          fields.append((field, .reference(target)))
        }
      }
      let name = "r\(random.next() % UInt64(count))"
      return ImportTests.draft(
        name, fields, line: line + 1, zone: random.next() % 4 == 0 ? "Notes" : nil,
        type: random.next() % 5 == 0 ? "Task" : "Note")
    }
  }

  @Test("M5: one import makes the same store as saving the records one by one", arguments: 1...4)
  func importOrSaves(seed: Int) throws {
    var names: Set<String> = []
    var drafts = drafts(UInt64(seed) + 100, 60).filter { draft in
      draft.zone == nil && draft.type == "Note" && names.insert(draft.name ?? "").inserted
    }
    drafts.append(ImportTests.draft("half", [("b", .double(0.5))]))
    let imported = try CloudFixture()
    _ = try ImportTests.run(imported.mine, drafts)
    let saved = try CloudFixture()
    for draft in drafts {
      var fields: [(String, FieldValue?)] = []
      for field in draft.fields {
        // An import widens the field; a save by itself would keep INT64.
        if case .int64(let number)? = field.value {
          fields.append((field.name.text, .double(Double(number))))
        } else {
          fields.append((field.name.text, field.value))
        }
      }
      try saved.mine.save(draft.name, "Note", fields)
    }
    #expect(
      try imported.mine.everything().map(\.fields) == saved.mine.everything().map(\.fields))
  }

  @Test("R4.1.6: an import renews the tags of the same parents as a batch", arguments: 1...8)
  func parentTags(seed: Int) throws {
    var random = SplitMix64(state: UInt64(seed))
    let names = (0..<12).map { "r\($0)" }
    let drafts = names.filter { _ in random.next() % 3 > 0 }.enumerated().map { line, name in
      // A text in a field of numbers is an error.
      let value: FieldValue = random.next() % 6 == 0 ? .string("x") : .int64(7)
      var draft = ImportTests.draft(name, [("n", value)], line: line + 1)
      draft.parent = names.filter { $0 != name }.randomElement(using: &random)
      return draft
    }
    let (imported, saved) = (try CloudFixture(), try CloudFixture())
    for fixture in [imported, saved] {
      for name in names.prefix(8) { try fixture.mine.save(name, "Note", [("n", .int64(0))]) }
    }
    let before = try saved.mine.everything()
    _ = try ImportTests.run(imported.mine, drafts) { options in
      options.isAtomic = false
      options.policy = .changed
    }
    let requests = DraftRequests(in: .private, type: nil, zone: .defaultZone, policy: .changed)
    var batch = ModifyRequest(drafts.map { requests.item($0) }, isAtomic: false)
    batch.isLimited = false
    _ = try saved.mine.modify(batch)
    let (found, wanted) = (try imported.renewed(since: before), try saved.renewed(since: before))
    #expect(found == wanted)
  }

  @Test("M5: an import of what another store exports is an equal store")
  func copying() throws {
    let first = try CloudFixture()
    _ = try ImportTests.run(first.mine, drafts(9, 80)) { $0.isAtomic = false }
    let second = try CloudFixture(seed: 8)
    let records = try first.mine.everything()
    _ = try ImportTests.run(
      second.mine,
      records.map { record in
        ImportTests.draft(
          record.name.text, record.fields.entries.map { ($0.name.text, $0.value) },
          zone: record.zone.text, type: record.type.text)
      })
    let copies = try second.mine.everything()
    #expect(copies.map(\.fields) == records.map(\.fields))
    #expect(copies.map(\.name) == records.map(\.name) && copies.map(\.zone) == records.map(\.zone))
  }
}

extension CloudFixture {
  /// The records that changed, tags included.
  fileprivate func renewed(since before: [Record]) throws -> [String] {
    let tags = Dictionary(uniqueKeysWithValues: before.map { ($0.name.text, $0.changeTag) })
    return try mine.everything().filter { $0.changeTag != tags[$0.name.text] }.map { record in
      "\(record.name.text) \(record["n"].map { "\($0)" } ?? "") \(record.parent?.text ?? "")"
    }
  }
}
