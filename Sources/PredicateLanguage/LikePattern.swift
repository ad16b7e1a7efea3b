/// The right side of LIKE: `*` matches any run of characters, `?` any single one, a backslash
/// escapes the next one; the whole string must match (P1.5.8).
struct LikePattern {
  private enum Part: Equatable {
    case run
    case one
    case scalar(UInt32)
  }

  private var parts: [Part] = []

  init(_ text: String) {
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        parts.append(.scalar(scalar.value))
        isEscaped = false
      case "\\": isEscaped = true
      // Several stars are equivalent to one.
      case "*": if parts.last != .run { parts.append(.run) }
      case "?": parts.append(.one)
      default: parts.append(.scalar(scalar.value))
      }
    }
    if isEscaped { parts.append(.scalar(0x5C)) }
  }

  /// Whether a string matches, in time at most proportional to its length times the pattern's.
  func matches(_ text: String) -> Bool {
    let inASCII = text.utf8.withContiguousStorageIfAvailable { bytes -> Bool? in
      bytes.allSatisfy { $0 < 0x80 } ? matches(bytes) : nil
    }
    return (inASCII ?? nil) ?? matches(text.unicodeScalars.map(\.value))
  }

  private func matches<Scalars: RandomAccessCollection>(_ scalars: Scalars) -> Bool
  where Scalars.Element: FixedWidthInteger, Scalars.Index == Int {
    var (part, place) = (0, 0)
    // The last run, and its current end: only the last run ever needs to be retried.
    var retry: (part: Int, place: Int)?
    while place < scalars.count {
      if part < parts.count, case .run = parts[part] {
        retry = (part, place)
        part += 1
      } else if part < parts.count, takes(parts[part], UInt32(scalars[place])) {
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

  private func takes(_ part: Part, _ scalar: UInt32) -> Bool {
    switch part {
    case .run: false
    case .one: true
    case .scalar(let wanted): wanted == scalar
    }
  }
}
