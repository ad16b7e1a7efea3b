extension String {
  /// The text with everything that could move a terminal's cursor or be invisible replaced: control
  /// characters as `^X`, invisible and direction-changing characters as `\u{…}`.
  public var visible: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    var result = ""
    var before: Unicode.Scalar?
    for scalar in unicodeScalars {
      defer { before = scalar }
      // Emoji joiners, and tags of regional flags, hide nothing within an emoji.
      if let before, isEmojiJoiner(scalar), before.isEmojiPart {
        result.unicodeScalars.append(scalar)
        continue
      }
      switch scalar.value {
      case 0..<0x20: result.unicodeScalars.append(contentsOf: ["^", caret(scalar.value)])
      case 0x7F: result += "^?"
      default:
        if isHidden(scalar) {
          result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }
}

extension String {
  /// The text with everything made visible except its line ends.
  public var visibleLines: String {
    utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
      ? self
      : split(separator: "\n", omittingEmptySubsequences: false).map { String($0).visible }
        .joined(separator: "\n")
  }
}

private func caret(_ control: UInt32) -> Unicode.Scalar {
  Unicode.Scalar(UInt8(control + 0x40))
}

private func isEmojiJoiner(_ scalar: Unicode.Scalar) -> Bool {
  scalar.value == 0x200D || (0xE0020...0xE007F).contains(scalar.value)
}

extension Unicode.Scalar {
  /// Whether it can end an emoji.
  fileprivate var isEmojiPart: Bool {
    switch value {
    case 0xFE0F, 0x1F3FB...0x1F3FF, 0xE0020...0xE007E: true
    default: value > 0x7F && properties.isEmoji
    }
  }
}

private func isHidden(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x80...0x9F, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF,
    0xE0000...0xE007F:
    return true
  default: return false
  }
}

extension String {
  /// The columns that the text takes on a terminal: 2 for wide East Asian characters and for emoji,
  /// including joined ones and flags; 0 for combining marks, 1 otherwise.
  public var columnWidth: Int {
    guard let foreign = utf8.firstIndex(where: { $0 >= 0x80 }) else { return utf8.count }
    guard foreign > startIndex else { return reduce(0) { $0 + Self.width(of: $1) } }
    // A character after ASCII may belong to the last ASCII character, as an accent does.
    let last = utf8.index(before: foreign)
    return utf8.distance(from: startIndex, to: last)
      + self[last...].reduce(0) { $0 + Self.width(of: $1) }
  }

  private static func width(of character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, scalars.count > 1 else {
      return scalars.reduce(0) { $0 + width(of: $1) }
    }
    let isDrawn = first.properties.isEmojiPresentation || scalars.contains(where: draws)
    return first.properties.isEmoji && isDrawn ? 2 : scalars.reduce(0) { $0 + width(of: $1) }
  }

  /// Whether a scalar turns the character before it into an emoji: the emoji style, a keycap, a
  /// skin tone, a joiner.
  private static func draws(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xFE0F, 0x20E3, 0x1F3FB...0x1F3FF, 0x200D: true
    default: false
    }
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Vowels and finals of Hangul join the preceding consonant.
    if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) {
      return 0
    }
    // A flag is two regional indicators, one column each.
    if (0x1F1E6...0x1F1FF).contains(scalar.value) { return 1 }
    if scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// The text truncated to a number of columns, with an ellipsis if it was shortened.
  public func truncated(toColumns limit: Int) -> String {
    let plain = utf8.prefix(min(max(0, limit), .max - 1) + 1).prefix { $0 >= 0x20 && $0 < 0x7F }
    if plain.count > limit {
      return String(decoding: plain.prefix(max(0, limit - 1)), as: UTF8.self) + "…"
    }
    if columnWidth <= limit { return self }
    var result = ""
    var used = 0
    for character in self {
      let width = Self.width(of: character)
      if used + width > limit - 1 {
        if used == 0 { result = character.beginning(ofColumns: limit - 1) }
        break
      }
      result.append(character)
      used += width
    }
    return result + "…"
  }
}

extension Character {
  /// The longest prefix of scalars that fits the columns: some characters exceed a line.
  fileprivate func beginning(ofColumns limit: Int) -> String {
    var text = ""
    for scalar in unicodeScalars {
      text.unicodeScalars.append(scalar)
      guard text.columnWidth <= limit else { return String(text.unicodeScalars.dropLast()) }
    }
    return text
  }
}
