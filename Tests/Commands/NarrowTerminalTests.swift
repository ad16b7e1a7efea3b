internal import Basics
internal import Testing

@testable internal import Commands

/// Messages on a narrow terminal (DS8).
@Suite struct NarrowTerminalTests {
  private static let predicate =
    "title BEGINSWITH 'Foundation and Empire' AND colour CONTAINS 'a rather long text' AND pages > 3"

  @Test("a caret stays below what it marks, and neither line is wider than the terminal")
  func carets() {
    let length = Self.predicate.utf8.count
    for width in 12...120 {
      for start in stride(from: 0, to: length, by: 7) {
        let span = start..<min(length, start + 1 + start % 30)
        let lines = CommandError.Caret(text: Self.predicate, span: span).lines(width: width)
        #expect(lines.allSatisfy { $0.columnWidth < width }, "\(width): \(lines)")
        let marked = Array(Self.predicate.utf8)[span]
        let place = lines[1].prefix { $0 == " " }.count
        let below = String(lines[0].dropFirst(place))
        #expect(below.utf8.first == marked.first, "\(width): \(lines)")
      }
    }
  }

  @Test("a message breaks between words, and its hint, which may be a command, does not")
  func messages() {
    var error = CommandError(
      "the quick brown fox jumps over the lazy dog and goes on for a while", .data,
      hint: "ckdb container create iCloud.com.example.app creates one for your records")
    error.items = ["first: one two three four five six seven eight nine ten"]
    let lines = error.lines(.plain, width: 40).flatMap { $0.split(separator: "\n") }
    let hint = lines.filter { $0.hasPrefix("hint:") }
    #expect(hint.count == 1 && lines.allSatisfy { $0.count <= 40 || $0.hasPrefix("hint:") })
    #expect(error.lines(.plain).allSatisfy { !$0.contains("\n") })
    let words = lines.joined(separator: " ").split(separator: " ").filter { $0 != "" }
    #expect(words == error.lines(.plain).joined(separator: " ").split(separator: " "))
  }
}
