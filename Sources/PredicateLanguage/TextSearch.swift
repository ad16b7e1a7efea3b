internal import Basics
internal import CloudModel

/// The search for words in texts, whatever the case and the diacritics; the words that are
/// everywhere do not count (`predicates.md` §2.1). `SELF CONTAINS 'words'` wants any of them in
/// any of a record's texts.
struct TextSearch {
  private let words: Set<String>
  /// The words' bytes: most texts are ASCII, where nothing need be folded or cut out.
  private let bytes: [[UInt8]]
  private static let folding = TextFolding([.caseInsensitive, .diacriticInsensitive])
  private static let stopWords: Set<String> = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
  ]

  init(_ text: String) {
    words = Set(Self.words(of: text))
    bytes = words.map { Array($0.utf8) }
  }

  /// Whether a record has one of the words; without words none has.
  func finds(_ record: Record) -> Bool {
    !words.isEmpty && record.fields.entries.contains { finds($0.value) }
  }

  /// Whether all words are among those of some texts; without words it is false.
  func findsAll(in texts: [String]) -> Bool {
    !words.isEmpty && words.isSubset(of: texts.flatMap(Self.words))
  }

  /// The words of all texts of a record.
  static func words(of record: Record) -> [String] {
    record.fields.entries.flatMap { words(of: $0.value) }
  }

  private static func words(of value: FieldValue) -> [String] {
    switch value {
    case .string(let text): words(of: text)
    case .list(let members): members.flatMap { words(of: $0) }
    default: []
    }
  }

  private func finds(_ value: FieldValue) -> Bool {
    switch value {
    case .string(let text):
      findsInASCII(text) ?? Self.words(of: text).contains { words.contains($0) }
    case .list(let members): members.contains(where: finds)
    default: false
    }
  }

  /// Whether an ASCII text has one of the words; nil for another text.
  private func findsInASCII(_ text: String) -> Bool? {
    text.utf8.withContiguousStorageIfAvailable { text -> Bool? in
      if text.contains(where: { $0 >= 0x80 }) { return nil }
      var start = 0
      for end in 0...text.count {
        if end < text.count, text[end].isLetterByte || text[end].isDigitByte { continue }
        let word = text[start..<end]
        if bytes.contains(where: { Self.isSame($0, word) }) { return true }
        start = end + 1
      }
      return false
    } ?? nil
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
}
