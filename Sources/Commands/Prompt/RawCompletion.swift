internal import CommandKit

/// The completions of Tab: replacements for a part of the line, with the quotes and backslashes
/// that they need there.
struct RawCompletion: Equatable {
  /// The byte offset of the part, which ends at the cursor.
  var start = 0
  /// The possible replacements.
  var texts: [String] = []
  /// Whether to complete file names instead.
  var isFiles = false

  /// Completes the line before the cursor; `open` has the command's earlier lines.
  init(_ line: String, after open: WordSplitter, _ completer: Completer) {
    guard !line.hasPrefix("!") || open.isOpen, let last = open.unfinished(line) else {
      isFiles = true
      return
    }
    let words = PromptEntry.withoutProgram(last.words + [last.word])
    switch completer.answer(for: words, in: last.quote) {
    case .files: isFiles = true
    case .words(let found):
      let typed = last.word.utf8.dropFirst(found.kept.utf8.count)
      if found.kept.isEmpty, let start = last.start {
        self.start = start
        let open = last.quote.map { String($0) } ?? ""
        texts = found.endings.map { open + Self.escaped($0, in: last.quote) }
      } else if line.utf8.reversed().starts(with: typed.reversed()) {
        start = line.utf8.count - typed.count
        texts = found.endings.map { Self.escaped($0, in: last.quote) }
      }
      let isWhole = texts.count == 1 && found.isWord && !Self.goesOn(texts[0])
      if let quote = last.quote, isWhole { texts[0].append(quote) }
    }
  }

  /// The texts for a part that begins at another byte of the line.
  func texts(from place: Int, in line: String) -> [String] {
    let bytes = Array(line.utf8)
    if place <= start {
      let between = String(decoding: bytes[place..<start], as: UTF8.self)
      return texts.map { between + $0 }
    }
    let typed = bytes[start..<min(place, bytes.count)]
    return texts.filter { $0.utf8.starts(with: typed) }.map {
      String(decoding: $0.utf8.dropFirst(typed.count), as: UTF8.self)
    }
  }

  /// Whether a text must continue without a blank.
  static func goesOn(_ text: String) -> Bool {
    guard let last = text.last else { return true }
    return "=@/(:.".contains(last)
  }

  private static func escaped(_ text: String, in quote: Character?) -> String {
    var escaped = ""
    for character in text {
      let isSpecial =
        switch quote {
        case "'": false
        case "\"": "\"\\".contains(character)
        default: " \t'\"\\;#|".contains(character)
        }
      if isSpecial { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped
  }
}
