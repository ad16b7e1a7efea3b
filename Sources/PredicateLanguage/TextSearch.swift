internal import Basics
public import CloudModel

/// The search for words in texts, whatever the case and the diacritics; the words that are
/// everywhere do not count (P2.1.15).
public struct TextSearch: Sendable {
  /// How many of the words have to be there.
  public enum Need: Sendable {
    case any
    case all
  }

  /// How many of them.
  public let need: Need
  /// The words, each once, as bytes: most texts are ASCII, where nothing need be folded.
  private let words: [[UInt8]]

  init(_ need: Need, _ text: String) { self.init(need, words: TextWords.list(of: text)) }

  private init(_ need: Need, words: [String]) {
    self.need = need
    self.words = Array(Set(words.map { Array($0.utf8) }))
  }

  /// A search for words that have been cut out and folded already; nil where they have not.
  init?(_ need: Need, tokens: [FieldValue]) {
    var words: [String] = []
    for case .string(let word) in tokens where TextWords.list(of: word) == [word] {
      words.append(word)
    }
    guard words.count == tokens.count, !words.isEmpty else { return nil }
    self.init(need, words: words)
  }

  /// The words, each once, in their bytes' order; without any nothing is found.
  public var texts: [String] {
    words.map { String(decoding: $0, as: UTF8.self) }.sorted(by: utf8Precedes)
  }

  /// Whether the words are in some texts, or in lists of them.
  func finds(in values: some Sequence<FieldValue>) -> Bool {
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
        var isDone = false
        TextWords.forEach(of: text) { word in
          if meet(word) { isDone = true }
          return !isDone
        }
        return isDone
      case .list(let members):
        for member in members where look(in: member) { return true }
        return false
      case .int64, .double, .timestamp, .bytes, .location, .reference, .asset: return false
      }
    }

    /// Notes that a word was met; whether that was the last one wanted.
    private mutating func meet(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
      guard let index = words.firstIndex(where: { $0.elementsEqual(word) }) else { return false }
      return met.insert(index).inserted && met.count == wanted
    }
  }
}

extension Comparison {
  /// One of the three ways to search a record for words (R7.2.2), where the words are the
  /// same for all records; nil for any other comparison.
  public var textSearch: TextSearch? {
    switch (quantifier, left, operation, right) {
    case (nil, .record, .contains, let words):
      guard case .value(.string(let words))? = words.constant else { return nil }
      return TextSearch(.any, words)
    case (nil, .key(allTokens, _), .tokenMatches, let words):
      guard case .value(.string(let words))? = words.constant else { return nil }
      return TextSearch(.all, words)
    case (.all?, let words, .in, .key(allTokens, _)) where options.isEmpty:
      return TextSearch(.all, tokens: words.constant?.members ?? [])
    default: return nil
    }
  }
}
