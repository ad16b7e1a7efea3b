internal import CloudModel
internal import Testing

/// Grants of roles, and their words in the schema language (R11.4).
@Suite struct GrantsTests {
  @Test("R3.6.1: the constant text of a new type's grants equals the text written for them")
  func textOfNewType() {
    #expect(Grants.textOfNewType == Grants.ofNewType.text)
    #expect(Grants(text: Grants.textOfNewType) == .ofNewType)
  }

  @Test("R11.4.2: the grants of each role and each set of permissions read back from their text")
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

  @Test("R11.4.2, R7.3: permissions and indexes read back from the words written for them")
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
