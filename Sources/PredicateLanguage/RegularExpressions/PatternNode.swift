/// A part of a regular expression.
indirect enum PatternNode {
  case scalar(UInt32)
  case set(ScalarSet)
  /// A grapheme cluster, or the rest of the one at this place.
  case cluster
  case sequence([PatternNode])
  case choice([PatternNode])
  /// A group whose text may be back-referenced.
  case capture(PatternNode, Int)
  case reference(Int, ignoresCase: Bool)
  case repetition(PatternNode, Repetition)
  /// A group that is not backtracked into once it has matched.
  case atomic(PatternNode)
  case look(PatternNode, isAhead: Bool, isNegative: Bool)
  case assertion(Assertion)

  /// How often a node is repeated.
  struct Repetition {
    var least: Int
    /// Nil for no limit.
    var most: Int?
    var kind = Kind.greedy

    /// The order in which counts are tried.
    enum Kind {
      case greedy
      case lazy
      /// As many as possible, and no fewer.
      case possessive
    }

    /// Whether this many times count as unbounded.
    var isUnbounded: Bool { (most ?? .max) >= 32 && kind != .possessive }
  }

  /// A condition on a place in the text.
  enum Assertion {
    case textStart
    case textEnd
    /// The end, or before the line end there.
    case lastLineEnd
    case lineStart
    case lineEnd
    case wordBoundary
    case noWordBoundary
  }

  /// Whether an unbounded repeat contains another one, so that the time may grow exponentially with
  /// the text's length (T8).
  ///
  /// Except if a character that the inner one cannot match separates its repetitions: `(\w+\.)+`.
  var isRepeatOfRepeats: Bool {
    switch self {
    case .scalar, .set, .cluster, .reference, .assertion: false
    case .sequence(let parts), .choice(let parts): parts.contains(where: \.isRepeatOfRepeats)
    case .capture(let part, _), .atomic(let part), .look(let part, _, _): part.isRepeatOfRepeats
    case .repetition(let part, let times):
      part.isRepeatOfRepeats || times.isUnbounded && part.hasUnboundedRepeat && !part.isSeparated
    }
  }

  private var hasUnboundedRepeat: Bool {
    switch self {
    case .scalar, .set, .cluster, .reference, .assertion, .atomic, .look: false
    case .sequence(let parts), .choice(let parts): parts.contains(where: \.hasUnboundedRepeat)
    case .capture(let part, _): part.hasUnboundedRepeat
    case .repetition(let part, let times): times.isUnbounded || part.hasUnboundedRepeat
    }
  }

  /// Whether its only unbounded repeat is of characters, and another part matches only other
  /// characters.
  private var isSeparated: Bool {
    switch self {
    case .capture(let part, _): return part.isSeparated
    case .sequence(let parts):
      let repeats = parts.filter(\.hasUnboundedRepeat)
      guard repeats.count == 1, case .repetition(let part, _) = repeats[0],
        let inner = part.singleSet
      else { return false }
      return parts.contains { $0.singleSet?.isDisjoint(with: inner) ?? false }
    case .scalar, .set, .cluster, .choice, .reference, .repetition, .atomic, .look, .assertion:
      return false
    }
  }

  /// The set of characters of which it matches exactly one; nil for other nodes.
  var singleSet: ScalarSet? {
    switch self {
    case .scalar(let value): ScalarSet(value...value)
    case .set(let set): set
    case .cluster, .sequence, .choice, .capture, .reference, .repetition, .atomic, .look,
      .assertion:
      nil
    }
  }
}
