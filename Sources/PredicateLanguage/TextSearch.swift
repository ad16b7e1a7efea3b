internal import Basics
internal import CloudModel

/// The search for words in texts, whatever the case and the diacritics; the words that are
/// everywhere do not count (`predicates.md` §2.1).
struct TextSearch {
  /// How many of the words have to be there.
  enum Need {
    case any
    case all
  }

  /// The words, each once, as bytes: most texts are ASCII, where nothing need be folded.
  private let words: [[UInt8]]
  private static let folding = TextFolding([.caseInsensitive, .diacriticInsensitive])
  private static let stopWords: Set<String> = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
  ]

  init(_ text: String) { self.init(words: Self.words(of: text)) }

  private init(words: [String]) { self.words = Array(Set(words.map { Array($0.utf8) })) }

  /// A search for words that have been cut out and folded already; nil where they have not.
  init?(tokens: [FieldValue]) {
    var words: [String] = []
    for case .string(let word) in tokens where Self.words(of: word) == [word] {
      words.append(word)
    }
    guard words.count == tokens.count, !words.isEmpty else { return nil }
    self.init(words: words)
  }

  /// Whether the words are in some texts, or in lists of them; without words they are not.
  func finds(_ need: Need, in values: some Sequence<FieldValue>) -> Bool {
    var search = Progress(words: words, wanted: need == .any ? min(1, words.count) : words.count)
    if search.wanted == 0 { return false }
    return values.contains { search.look(in: $0) }
  }

  /// The words that were met so far.
  private struct Progress {
    let words: [[UInt8]]
    let wanted: Int
    var met: Set<Int> = []

    /// Whether all that is wanted has been met, now that this value has been looked at.
    mutating func look(in value: FieldValue) -> Bool {
      switch value {
      case .string(let text):
        if let isDone = lookInASCII(text) { return isDone }
        for word in TextSearch.words(of: text) {
          if meet(where: { $0.elementsEqual(word.utf8) }) { return true }
        }
        return false
      case .list(let members):
        for member in members where look(in: member) { return true }
        return false
      default: return false
      }
    }

    /// As `look`, for a text of ASCII; nil for another.
    private mutating func lookInASCII(_ text: String) -> Bool? {
      text.utf8.withContiguousStorageIfAvailable { text -> Bool? in
        if text.contains(where: { $0 >= 0x80 }) { return nil }
        var start = 0
        for end in 0...text.count {
          if end < text.count, text[end].isLetterByte || text[end].isDigitByte { continue }
          let word = text[start..<end]
          if meet(where: { TextSearch.isSame($0, word) }) { return true }
          start = end + 1
        }
        return false
      } ?? nil
    }

    /// Notes that a word was met; whether that was the last one wanted.
    private mutating func meet(where isSame: ([UInt8]) -> Bool) -> Bool {
      guard let index = words.firstIndex(where: isSame) else { return false }
      return met.insert(index).inserted && met.count == wanted
    }
  }

  private static func isSame(_ word: [UInt8], _ run: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    word.count == run.count
      && zip(word, run).allSatisfy { $0 == ($1.isLetterByte ? $1 | 0x20 : $1) }
  }

  /// The words of a text: runs of letters, marks and digits.
  static func words(of text: String) -> [String] {
    folding.fold(text).unicodeScalars.split { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .nonspacingMark, .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
        false
      default: true
      }
    }
    .map { String($0) }.filter { !stopWords.contains($0) }
  }

  /// The words of texts, and of lists of them.
  static func words(of values: some Sequence<FieldValue>) -> [String] {
    values.flatMap { value -> [String] in
      switch value {
      case .string(let text): words(of: text)
      case .list(let members): words(of: members)
      default: []
      }
    }
  }
}
