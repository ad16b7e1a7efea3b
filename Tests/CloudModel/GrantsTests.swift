internal import CloudModel
internal import Testing

/// What roles are granted, and the words of the schema language (R11.4).
@Suite struct GrantsTests {
  @Test("R3.6.1: the text of a new type's grants is what is written of them")
  func textOfNewType() {
    #expect(Grants.textOfNewType == Grants.ofNewType.text)
    #expect(Grants(text: Grants.textOfNewType) == .ofNewType)
  }

  @Test("R11.4.2: grants come back from their text, of each role and each set of permissions")
  func texts() {
    for bits in 0..<512 {
      var grants = Grants()
      for (place, role) in [SecurityRole.world, .icloud, SecurityRole(stored: "editors")]
        .enumerated()
      {
        grants[role] = Permissions(rawValue: bits >> (3 * place) & 7)
      }
      #expect(Grants(text: grants.text) == grants, "\(grants.text)")
    }
    #expect(Grants(text: #"{"_world":"READ, RULE"}"#) == nil)
    #expect(Grants(text: "READ") == nil)
  }

  @Test("R11.4.2, R7.3: each word of permissions and of indexes is read as what is written so")
  func words() {
    for bits in 0..<8 {
      let permissions = Permissions(rawValue: bits)
      let read = permissions.words.compactMap(Permissions.init(word:))
      #expect(read.count == permissions.words.count && Permissions(read) == permissions)
      let indexes = FieldIndexes(rawValue: bits)
      let found = indexes.words.compactMap(FieldIndexes.init(word:))
      #expect(found.count == indexes.words.count && FieldIndexes(found) == indexes)
    }
    #expect(Permissions.all.words == ["READ", "CREATE", "WRITE"])
    #expect(Permissions(word: "read") == nil && FieldIndexes(word: "READ") == nil)
  }
}
