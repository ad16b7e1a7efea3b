/// Cuts a text into commands and their words, as a shell does: blanks separate words, `;` and
/// line ends separate commands, `'…'` is literal, `"…"` keeps blanks and knows `\"` and `\\`, a
/// backslash takes the next character as it is, `#` at the beginning of a word is a comment.
struct WordSplitter {
  private var words: [String] = []
  private var word: [UInt8]?
  private var state = State.plain
  private var commands: [[String]] = []

  private enum State {
    case plain
    case single
    case double
    case comment
  }

  /// Whether a quote is open or a line ends in a backslash: the next line belongs to it.
  private(set) var isOpen = false

  /// Takes a line (without its end) and returns the commands that it completes.
  mutating func take(line: String) -> [[String]] {
    commands = []
    isOpen = false
    var bytes = line.utf8.makeIterator()
    while let byte = bytes.next() {
      switch state {
      case .comment: break
      case .single: takeSingle(byte)
      case .double: takeDouble(byte, &bytes)
      case .plain: takePlain(byte, &bytes)
      }
    }
    endLine()
    return commands
  }

  private mutating func takeSingle(_ byte: UInt8) {
    if byte == UInt8(ascii: "'") { state = .plain } else { word?.append(byte) }
  }

  private mutating func takeDouble(_ byte: UInt8, _ bytes: inout String.UTF8View.Iterator) {
    switch byte {
    case UInt8(ascii: "\""): state = .plain
    case UInt8(ascii: "\\"):
      guard let next = bytes.next() else {
        word?.append(byte)
        return
      }
      if next != UInt8(ascii: "\"") && next != UInt8(ascii: "\\") { word?.append(byte) }
      word?.append(next)
    default: word?.append(byte)
    }
  }

  private mutating func takePlain(_ byte: UInt8, _ bytes: inout String.UTF8View.Iterator) {
    switch byte {
    case 0x20, 0x09, 0x0D: endWord()
    case UInt8(ascii: ";"):
      endWord()
      endCommand()
    case UInt8(ascii: "#") where word == nil: state = .comment
    case UInt8(ascii: "'"):
      word = word ?? []
      state = .single
    case UInt8(ascii: "\""):
      word = word ?? []
      state = .double
    case UInt8(ascii: "\\"):
      guard let next = bytes.next() else {
        isOpen = true
        return
      }
      word = (word ?? []) + [next]
    default:
      if word == nil { word = [] }
      word?.append(byte)
    }
  }

  private mutating func endWord() {
    guard let bytes = word else { return }
    words.append(String(decoding: bytes, as: UTF8.self))
    word = nil
  }

  private mutating func endCommand() {
    if !words.isEmpty { commands.append(words) }
    words = []
  }

  private mutating func endLine() {
    switch state {
    case .single, .double:
      word?.append(0x0A)
      isOpen = true
    case .comment, .plain:
      state = .plain
      if isOpen { return }
      endWord()
      endCommand()
    }
  }
}
