internal import CloudModel
internal import Testing

/// Valid and invalid names (R1–R3).
@Suite struct NameTests {
  /// Expects a refusal with a code, and a message that can be shown on any terminal.
  private func refuses(
    _ code: CloudError.Code, _ text: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (String) throws -> Void
  ) {
    let error = #expect(throws: CloudError.self, sourceLocation: sourceLocation) {
      try make(text)
    }
    #expect(error?.code == code, "\(text)", sourceLocation: sourceLocation)
    let isClean = error?.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    #expect(isClean == true, sourceLocation: sourceLocation)
  }

  @Test("C001, R1.1.1: a container identifier begins with iCloud. and keeps its case")
  func containers() throws {
    for text in ["iCloud.com.example.app", "iCloud.x", "iCloud.My-App_2.Test"] {
      #expect(try ContainerID(text).text == text)
    }
    let longest = "iCloud." + String(repeating: "a", count: 248)
    #expect(try ContainerID(longest).text == longest)
    for text in [
      "", "iCloud", "iCloud.", "icloud.com.example", "com.example", " iCloud.a", "iCloud.a b",
      "iCloud.é", "iCloud.a/b", "iCloud.a\0", "iCloud.a\n", "iCloud..\u{301}", longest + "a",
    ] {
      refuses(.invalidArguments, text) { _ = try ContainerID($0) }
    }
    #expect(try ContainerID("iCloud.A") != ContainerID("iCloud.a"))
  }

  /// Zone and record names share a rule: 1 to 255 printable ASCII characters.
  private static let fineNames = [
    "a", "A00001", " ", "115, Chen Mei", "a/b\\c", "\"'`", "~", "a_", "9",
    String(repeating: "n", count: 255),
  ]
  private static let badNames = [
    "", "_", "_a", "__defaultOwner__", "é", "🧭", "a\u{301}", "a\n", "\0", "a\u{7F}", "a\u{85}",
    String(repeating: "n", count: 256), String(repeating: "n", count: 100_000),
  ]

  @Test("R2.3: zone names are ASCII, 1 to 255 characters, without a leading underscore")
  func zones() throws {
    for text in Self.fineNames { #expect(try ZoneID(text).text == text) }
    for text in Self.badNames { refuses(.invalidArguments, text) { _ = try ZoneID($0) } }
  }

  @Test("R2.1, R2.6: _defaultZone is a zone name, the only one with an underscore")
  func defaultZone() throws {
    #expect(try ZoneID("_defaultZone") == .defaultZone)
    #expect(ZoneID.defaultZone.isDefault)
    #expect(try !ZoneID("defaultZone").isDefault)
    refuses(.invalidArguments, "_defaultzone") { _ = try ZoneID($0) }
    let zones = [ZoneID.defaultZone, try ZoneID("Notes")].map {
      Zone(id: $0, recordCount: 0, sequence: 0).capabilities
    }
    #expect(zones == [[], ["fetchChanges", "atomic", "sharing", "zoneWideSharing"]])
  }

  @Test("R3.1.6: record names are ASCII, 1 to 255 characters, without a leading underscore")
  func records() throws {
    for text in Self.fineNames { #expect(try RecordName(text).text == text) }
    for text in Self.badNames + ["_defaultZone"] {
      refuses(.invalidArguments, text) { _ = try RecordName($0) }
    }
  }

  @Test(
    "R3.1.1, R3.1.3: types and fields are a letter, then letters, digits, underscores, at most 255")
  func identifiers() throws {
    for text in ["a", "Z", "Artwork", "a_1", "aB9_", String(repeating: "x", count: 255)] {
      #expect(try RecordType(text).text == text)
      #expect(try FieldName(text).text == text)
    }
    for text in [
      "", "1a", "a b", "a-b", "a.b", "é", "aé", "a\0", "a\n", "@a", "[", "`", "{a}",
      String(repeating: "x", count: 256),
    ] {
      refuses(.invalidArguments, text) { _ = try RecordType($0) }
      refuses(.invalidArguments, text) { _ = try FieldName($0) }
    }
    let error = #expect(throws: CloudError.self) { try RecordType("a b") }
    #expect(error?.message == "recordType (a b) contains invalid characters")
    refuses(.invalidArguments, "_a") { _ = try RecordType($0) }
  }

  @Test("R3.1.4, C054: a field with a leading underscore is a system field: permissionFailure 2007")
  func systemFields() {
    let error = #expect(throws: CloudError.self) { try FieldName("_x") }
    #expect(error?.code == .permissionFailure && error?.serverCode == 2007)
    #expect(error?.message == "Unprivileged attempt to insert a system field: _x")
  }

  @Test("M1: account names have no control characters; none is not an account")
  func accounts() throws {
    for text in ["me", "Zoë", "a b", String(repeating: "n", count: 255)] {
      #expect(try Account(text).name == text)
    }
    for text in ["", "a\n", "\u{200B}", String(repeating: "n", count: 256)] {
      refuses(.invalidArguments, text) { _ = try Account($0) }
    }
  }

  @Test("M1: --user none means no account, so no account has that name")
  func nobody() {
    refuses(.invalidArguments, "none") { _ = try Account($0) }
  }

  @Test("M2.23: each system key has its names, which are case-sensitive")
  func systemKeys() {
    let names = [
      ["recordName", "recordID", "___recordID"], ["creationDate", "___createTime"],
      ["modificationDate", "___modTime"], ["creatorUserRecordID", "___createdBy"],
      ["lastModifiedUserRecordID", "___modifiedBy"], ["changeTag", "___etag"], ["parent"],
      ["share"],
    ]
    #expect(names.map { SystemKey($0[0]) } == SystemKey.allCases)
    for synonyms in names {
      #expect(Set(synonyms.map { SystemKey($0) }).count == 1)
      for name in synonyms { #expect(SystemKey(name.uppercased()) == nil) }
    }
    #expect(SystemKey("name") == nil && SystemKey("") == nil)
  }

  @Test("R4.1.7: change tags are the store's sequence in base 36, in the order of the sequence")
  func changeTags() {
    #expect(ChangeTag(sequence: 35).text == "z" && ChangeTag(sequence: 36).text == "10")
    #expect(ChangeTag(sequence: .max).text == "1y2p0ij32e8e7")
    #expect(ChangeTag(given: "z") == ChangeTag(sequence: 35))
  }

  @Test("R12: the error codes are those of CKError.h, in its order")
  func errorCodes() {
    #expect(CloudError.Code.allCases.map(\.rawValue) == Array(1...37))
    #expect(CloudError.Code.serverRecordChanged.name == "serverRecordChanged")
    #expect(CloudError.Code.serverRecordChanged.rawValue == 14)
    #expect(CloudError.Code.partialFailure.rawValue == 2)
  }
}
