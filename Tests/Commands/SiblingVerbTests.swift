internal import Basics
internal import Testing
internal import WireFormat

/// Verbs that do the same for different nouns take the same options, and an option of one name
/// takes the same words: one watch loop used to refuse `--timeout 5s`, which the others took.
@Suite struct SiblingVerbTests {
  /// An option of a command, as `help --all --json` lists it.
  private struct ListedOption {
    let path: [String]
    let name: String
    let value: String?
    let hasChoices: Bool
  }

  private func options() throws -> [ListedOption] {
    let text = try CommandFixture().run("help --all --json").output
    let json = try Array(text.utf8).withUnsafeBytes { try JSONParser.parse($0) }
    let commands = try #require(json["commands"]?.array)
    return commands.flatMap { command in
      (command["options"]?.array ?? []).map { option in
        ListedOption(
          path: (command["path"]?.array ?? []).compactMap(\.string),
          name: option["name"]?.string ?? "", value: option["value"]?.string,
          hasChoices: option["choices"] != nil)
      }
    }
  }

  @Test(
    "verbs of one name take the same options, but for what only their noun has",
    arguments: [
      ("watch", ["exec", "forward", "secret", "store-id"]),
      ("sync", ["local-only", "rate", "store-id", "upload-metadata-only"]),
    ])
  func names(verb: String, ofOneNoun: [String]) throws {
    let siblings = Dictionary(grouping: try options().filter { $0.path.last == verb }, by: \.path)
    #expect(siblings.count > 1)
    let sets = siblings.mapValues { Set($0.map(\.name)).subtracting(ofOneNoun) }
    #expect(Set(sets.values).count == 1, "\(sets)")
  }

  @Test("verbs of different nouns refuse the same words for options of one name and kind of value")
  func words() throws {
    let fixture = try CommandFixture()
    let listed = try options().filter {
      $0.path.count == 2 && $0.value != nil && !$0.hasChoices
    }
    for (key, siblings) in Dictionary(grouping: listed, by: { "\($0.name) \($0.value ?? "")" })
    where siblings.count > 1 {
      for word in ["5s", "-1", "1e3", "x y", "€", ""] {
        let refusals = try siblings.map { option in
          let words = option.path + ["--\(option.name)=\(word)"]
          let first =
            try fixture.run(words).errors.split(separator: "\n").first.map(String.init) ?? ""
          return first.contains("--\(option.name):") ? first : ""
        }
        #expect(Set(refusals).count == 1, "\(key) '\(word)': \(refusals)")
      }
    }
  }
}
