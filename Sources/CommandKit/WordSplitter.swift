/// Cuts a text into commands and their words, as a shell does: blanks separate words, `;` and
/// line ends separate commands, `'…'` is literal, `"…"` keeps blanks and knows `\"` and `\\`, a
/// backslash takes the next character as it is, `#` at the beginning of a word is a comment.
public struct WordSplitter {
  /// Begins outside of all quotes.
  public init() {}

  private var words: [String] = []
  private var word: [UInt8] = []
  /// Whether a word has begun; it may be empty so far, as in `''`.
  private var isInWord = false
  private var state = State.plain
  private var commands: [[String]] = []
  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private enum State {
    case plain
    case single
    case double
    case comment
  }

  /// Whether a quote is open or a line ends in a backslash: the next line belongs to it.
  public private(set) var isOpen = false

  /// Takes a line (without its end) and returns the commands that it completes.
  public mutating func take(line: String) -> [[String]] {
    commands = []
    isOpen = false
    var line = line
    line.withUTF8 { bytes in
      var rest = bytes[...]
      while let byte = rest.popFirst() {
        switch state {
        case .comment: rest = rest[rest.endIndex...]
        case .single: takeSingle(byte)
        case .double: takeDouble(byte, &rest)
        case .plain: takePlain(byte, &rest)
        }
      }
    }
    endLine()
    return commands
  }

  private mutating func takeSingle(_ byte: UInt8) {
    if byte == UInt8(ascii: "'") { state = .plain } else { word.append(byte) }
  }

  private mutating func takeDouble(_ byte: UInt8, _ rest: inout Bytes) {
    switch byte {
    case UInt8(ascii: "\""): state = .plain
    case UInt8(ascii: "\\"):
      guard let next = rest.popFirst() else { return word.append(byte) }
      if next != UInt8(ascii: "\"") && next != UInt8(ascii: "\\") { word.append(byte) }
      word.append(next)
    default: word.append(byte)
    }
  }

  private mutating func takePlain(_ byte: UInt8, _ rest: inout Bytes) {
    switch byte {
    case 0x20, 0x09, 0x0D: endWord()
    case UInt8(ascii: ";"):
      endWord()
      endCommand()
    case UInt8(ascii: "#") where !isInWord: state = .comment
    case UInt8(ascii: "'"):
      isInWord = true
      state = .single
    case UInt8(ascii: "\""):
      isInWord = true
      state = .double
    case UInt8(ascii: "\\"):
      guard let next = rest.popFirst() else { return isOpen = true }
      isInWord = true
      word.append(next)
    default:
      isInWord = true
      let start = rest.startIndex - 1
      var end = rest.startIndex
      while end < rest.endIndex, Self.isOrdinary(rest[end]) { end += 1 }
      word.append(contentsOf: UnsafeBufferPointer(rebasing: rest.base[start..<end]))
      rest = rest[end...]
    }
  }

  /// Whether a byte within a word means itself.
  private static func isOrdinary(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0D, UInt8(ascii: ";"), UInt8(ascii: "'"), UInt8(ascii: "\""),
      UInt8(ascii: "\\"):
      false
    default: true
    }
  }

  private mutating func endWord() {
    guard isInWord else { return }
    words.append(String(decoding: word, as: UTF8.self))
    word.removeAll(keepingCapacity: true)
    isInWord = false
  }

  private mutating func endCommand() {
    if !words.isEmpty { commands.append(words) }
    words = []
  }

  private mutating func endLine() {
    switch state {
    case .single, .double:
      word.append(0x0A)
      isOpen = true
    case .comment, .plain:
      state = .plain
      if isOpen { return }
      endWord()
      endCommand()
    }
  }
}
