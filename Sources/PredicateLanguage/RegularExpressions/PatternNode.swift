/// A part of a regular expression.
indirect enum PatternNode {
  case scalar(UInt32)
  case set(ScalarSet)
  /// A grapheme cluster, to its end where it has begun before.
  case cluster
  case sequence([PatternNode])
  case choice([PatternNode])
  /// A group whose text a back reference may ask for.
  case capture(PatternNode, Int)
  case reference(Int, ignoresCase: Bool)
  case repetition(PatternNode, Repetition)
  /// A group that is never tried again once it has matched.
  case atomic(PatternNode)
  case look(PatternNode, isAhead: Bool, isNegative: Bool)
  case assertion(Assertion)

  /// How often something is repeated.
  struct Repetition {
    var least: Int
    /// Nil for any number.
    var most: Int?
    var kind = Kind.greedy

    /// Which numbers are tried first.
    enum Kind {
      case greedy
      case lazy
      /// The most that there are, and no fewer.
      case possessive
    }

    /// So many times count as any number of them.
    var isUnbounded: Bool { (most ?? .max) >= 32 && kind != .possessive }
  }

  /// What holds at a place of the text.
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

  /// Whether a repeat without bound has another one in it, so that the time may grow with a power
  /// of two of the text's length (T8).
  ///
  /// Not where a character that the inner one cannot match is between them: `(\w+\.)+`.
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

  /// Whether its only unbounded repeat is one of characters, and another one has to
  /// follow it.
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

  /// The characters that it matches one of, where it matches one.
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
