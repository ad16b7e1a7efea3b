/// Finds the known word nearest to a mistyped one.
public enum Suggestion {
  /// Returns the candidate that a typing error most likely meant; nil if none is near.
  ///
  /// Near is an edit distance (with swaps of neighbours) of at most a third of the word's length,
  /// rounded to the nearest, at least 1, but less than the length, so that a part of the word
  /// matches. Case is ignored. `slips` limits the distance further.
  public static func nearest<Words: Sequence<String>>(
    to word: String, among candidates: Words, slips: Int = .max
  ) -> String? {
    let typed = Array(word.lowercased().utf8)
    let limit = min(max(1, (typed.count + 1) / 3), typed.count - 1, slips)
    var best: (word: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(typed, Array(candidate.lowercased().utf8))
      if distance <= limit, distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    return best?.word
  }

  /// The restricted Damerau–Levenshtein distance.
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var older = [Int](repeating: 0, count: b.count + 1)
    var old = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(old[j + 1] + 1, row[j] + 1, old[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, older[j - 1] + 1) }
        row.append(cost)
      }
      (older, old) = (old, row)
    }
    return old[b.count]
  }
}
