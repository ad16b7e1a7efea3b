internal import Basics

extension ValueError {
  /// The error for a word that is not in a fixed list.
  public static func unknown(_ word: String, among words: [String]) -> ValueError {
    let nearest = Suggestion.nearest(to: word, among: words)
    return ValueError(
      "'\(word.visible)' is not one of \(words.joined(separator: ", "))",
      hint: nearest.map { "did you mean \($0)?" })
  }
}
