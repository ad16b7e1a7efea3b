internal import Basics
internal import CloudModel

/// The words of strings: runs of letters, marks and digits, with case and diacritics folded,
/// without stop words (P2.1.15).
public enum TextWords {
  private static let folding = TextFolding([.caseInsensitive, .diacriticInsensitive])
  /// None is longer than five letters, so each fits a number.
  private static let stopWords: Set<UInt64> = Set(
    [
      "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is",
      "it", "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there",
      "these", "they", "this", "to", "was", "will", "with",
    ].map { number($0.utf8) })

  private static func number(_ word: some Sequence<UInt8>) -> UInt64 {
    word.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func isEverywhere(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
    word.count <= 5 && stopWords.contains(number(word))
  }

  /// Appends the words of a string, each followed by a space.
  public static func append(of text: UnsafeBufferPointer<UInt8>, to list: inout [UInt8]) {
    forEach(of: text) { word in
      list.append(contentsOf: word)
      list.append(UInt8(ascii: " "))
      return true
    }
  }

  /// The words of a string, in its order.
  static func list(of text: String) -> [String] {
    var words: [String] = []
    forEach(of: text) { word in
      words.append(String(decoding: word, as: UTF8.self))
      return true
    }
    return words
  }

  /// The words of strings, and of lists of them.
  static func list(of values: some Sequence<FieldValue>) -> [String] {
    values.flatMap { value -> [String] in
      if case .string(let text) = value { return list(of: text) }
      if case .list(let members) = value { return list(of: members) }
      return []
    }
  }

  /// Passes the words of a string to `body`, until it returns false.
  static func forEach(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) {
    var text = text
    text.withUTF8 { forEach(of: $0, body) }
  }

  private static func forEach(
    of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Bool
  ) {
    if text.allSatisfy({ $0 < 0x80 }) {
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { folded in
        forEach(ofASCII: text, folded, body)
      }
    } else {
      for run in runs(of: folding.fold(String(decoding: text, as: UTF8.self))) {
        var word = String(run)
        let isWanted = word.withUTF8 { isEverywhere($0) || body($0) }
        if !isWanted { return }
      }
    }
  }

  private static func forEach(
    ofASCII text: UnsafeBufferPointer<UInt8>, _ folded: UnsafeMutableBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) -> Bool
  ) {
    var start = 0
    for end in 0...text.count {
      if end < text.count, text[end].isLetterByte || text[end].isDigitByte {
        folded[end] = text[end].isLetterByte ? text[end] | 0x20 : text[end]
        continue
      }
      let word = UnsafeBufferPointer(rebasing: folded[start..<end])
      start = end + 1
      if !word.isEmpty, !isEverywhere(word), !body(word) { return }
    }
  }

  private static func runs(of text: String) -> [Substring.UnicodeScalarView] {
    text.unicodeScalars.split { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .nonspacingMark, .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
        false
      default: true
      }
    }
  }
}
