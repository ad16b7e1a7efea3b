internal import Basics
public import CloudModel

/// A search for words in strings, ignoring case, diacritics and stop words (P2.1.15).
public struct TextSearch: Sendable {
  /// How many of the words must be found.
  public enum Need: Sendable {
    case any
    case all
  }

  /// How many of the words must be found.
  public let need: Need
  /// The words, each once, as bytes: most strings are ASCII, which needs no folding.
  private let words: [[UInt8]]

  init(_ need: Need, _ text: String) { self.init(need, words: TextWords.list(of: text)) }

  private init(_ need: Need, words: [String]) {
    self.need = need
    self.words = Array(Set(words.map { Array($0.utf8) }))
  }

  /// A search for words that are already split and folded; nil if they are not.
  init?(_ need: Need, tokens: [FieldValue]) {
    var words: [String] = []
    for case .string(let word) in tokens where TextWords.list(of: word) == [word] {
      words.append(word)
    }
    guard words.count == tokens.count, !words.isEmpty else { return nil }
    self.init(need, words: words)
  }

  /// The words, each once, in byte order; a search without words finds nothing.
  public var texts: [String] {
    words.map { String(decoding: $0, as: UTF8.self) }.sorted(by: utf8Precedes)
  }

  /// Whether the words are in strings, or in lists of them.
  func finds(in values: some Sequence<FieldValue>) -> Bool {
    var search = Progress(words: words, wanted: need == .any ? min(1, words.count) : words.count)
    if search.wanted == 0 { return false }
    return values.contains { search.look(in: $0) }
  }

  /// The words found so far.
  private struct Progress {
    let words: [[UInt8]]
    let wanted: Int
    var met: Set<Int> = []

    /// Searches a value; returns whether all required words have been found.
    mutating func look(in value: FieldValue) -> Bool {
      if case .list(let members) = value {
        for member in members where look(in: member) { return true }
      }
      guard case .string(let text) = value else { return false }
      var isDone = false
      TextWords.forEach(of: text) { word in
        if meet(word) { isDone = true }
        return !isDone
      }
      return isDone
    }

    /// Notes a found word; returns whether it was the last required one.
    private mutating func meet(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
      guard let index = words.firstIndex(where: { $0.elementsEqual(word) }) else { return false }
      return met.insert(index).inserted && met.count == wanted
    }
  }
}

extension Comparison {
  /// The search, if this is one of the three ways to search a record for words (R7.2.2) with
  /// constant words; nil for any other comparison.
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
