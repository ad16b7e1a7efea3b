internal import Basics
internal import Testing

/// Did-you-mean suggestions (M1.3: for unknown commands, options and values).
@Suite struct SuggestionTests {
  private static let words = ["container", "zone", "record", "query", "schema", "import", "export"]

  @Test("one typo still finds the word: a letter left out, doubled, changed, swapped")
  func slips() {
    for word in Self.words {
      let letters = Array(word)
      for place in letters.indices {
        var slips = [letters, letters, letters]
        slips[0].remove(at: place)
        slips[1].insert(letters[place], at: place)
        slips[2][place] = "#"
        if place > 0 {
          slips.append(letters)
          slips[3].swapAt(place - 1, place)
        }
        for slip in slips {
          #expect(Suggestion.nearest(to: String(slip), among: Self.words) == word)
        }
      }
    }
  }

  @Test("case does not count as a difference; the nearest of several words wins")
  func nearest() {
    #expect(Suggestion.nearest(to: "ZONE", among: Self.words) == "zone")
    #expect(Suggestion.nearest(to: "inport", among: Self.words) == "import")
    #expect(Suggestion.nearest(to: "exports", among: ["reports", "export"]) == "export")
  }

  @Test("words that are too far away are not suggested")
  func far() {
    for word in ["", "x", "zebra", "delete", "recordings and more", "🧭🧭🧭"] {
      #expect(Suggestion.nearest(to: word, among: Self.words) == nil, "\(word)")
    }
    #expect(Suggestion.nearest(to: "zone", among: [String]()) == nil)
    // A name of one letter has nothing in common with another.
    #expect(Suggestion.nearest(to: "r", among: ["n", "R"]) == "R")
    #expect(Suggestion.nearest(to: "r", among: ["n", "ra"]) == nil)
  }
}
