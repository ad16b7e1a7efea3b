/// The right side of LIKE: `*` is any run of characters, `?` any one, a backslash takes the next
/// one as it is; the whole text must match (`predicates.md` §1.5).
struct LikePattern {
  private enum Part: Equatable {
    case run
    case one
    case scalar(Unicode.Scalar)
  }

  private var parts: [Part] = []

  init(_ text: String) {
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        parts.append(.scalar(scalar))
        isEscaped = false
      case "\\": isEscaped = true
      // Several stars are one.
      case "*": if parts.last != .run { parts.append(.run) }
      case "?": parts.append(.one)
      default: parts.append(.scalar(scalar))
      }
    }
    if isEscaped { parts.append(.scalar("\\")) }
  }

  /// Whether a text matches; in time of at most its length times that of the pattern.
  func matches(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    var (part, place) = (0, 0)
    // Where the last run stands, and how far it reaches so far: only the last one ever has to.
    var retry: (part: Int, place: Int)?
    while place < scalars.count {
      if part < parts.count, parts[part] == .run {
        retry = (part, place)
        part += 1
      } else if part < parts.count, parts[part] == .one || parts[part] == .scalar(scalars[place]) {
        part += 1
        place += 1
      } else if let last = retry {
        retry = (last.part, last.place + 1)
        (part, place) = (last.part + 1, last.place + 1)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .run }
  }
}
