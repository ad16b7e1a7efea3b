/// Splits text into commands and words, as a shell does: blanks separate words, `;` and newlines
/// separate commands, `'…'` is literal, `"…"` keeps blanks and recognizes `\"` and `\\`, a
/// backslash escapes the next character, `#` at the beginning of a word begins a comment.
///
/// At a prompt, an open `{` or `[` outside quotes continues the command on the next line, and a `|`
/// between words pipes the output to the shell command after it.
public struct WordSplitter {
  private let isAtPrompt: Bool

  /// Begins outside quotes.
  public init(atPrompt: Bool = false) { isAtPrompt = atPrompt }

  private var words: [String] = []
  private var word: [UInt8] = []
  /// Whether a word has begun; it may be empty so far, as in `''`.
  private var isInWord = false
  private var state = State.plain
  private var commands: [[String]] = []
  private var openBrackets = 0
  /// The offset of the last word in the line; nil if it began on an earlier line.
  private var wordStart: Int?
  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private enum State {
    case plain
    case single
    case double
    case comment
  }

  /// Whether the command continues on the next line: a quote or a bracket is open, or the line ends
  /// in a backslash.
  public private(set) var isOpen = false

  /// The shell command that takes the output of the line's last command.
  public private(set) var pipe: String?

  /// Takes a line (without its newline) and returns the commands that it completes.
  public mutating func take(line: String) -> [[String]] {
    commands = []
    isOpen = false
    pipe = nil
    // Leading blanks would end the word that an open bracket continues.
    scan(openBrackets > 0 && state == .plain ? String(line.drop { $0 == " " }) : line)
    endLine()
    return commands
  }

  private mutating func scan(_ line: String) {
    var line = line
    line.withUTF8 { bytes in
      var rest = bytes[...]
      while pipe == nil, let byte = rest.popFirst() {
        let wasInWord = isInWord
        let start = rest.startIndex - 1
        switch state {
        case .comment: rest = rest[rest.endIndex...]
        case .single: takeSingle(byte)
        case .double: takeDouble(byte, &rest)
        case .plain: takePlain(byte, &rest)
        }
        if isInWord, !wasInWord { wordStart = start }
      }
    }
  }

  /// The end of a command that is being typed.
  public struct Unfinished {
    /// The words before the last one.
    public var words: [String]
    /// The typed part of the last word, without quotes and backslashes.
    public var word: String
    /// The quote that is open in the last word.
    public var quote: Character?
    /// The byte offset of the last word in the line; nil if it began on an earlier line.
    public var start: Int?
  }

  /// The command that a line leaves unfinished; nil in a comment and after a pipe.
  public func unfinished(_ line: String) -> Unfinished? {
    var splitter = self
    splitter.wordStart = nil
    splitter.scan(line)
    if !splitter.isInWord { splitter.wordStart = line.utf8.count }
    if splitter.state == .comment || splitter.pipe != nil { return nil }
    let quote: Character? =
      switch splitter.state {
      case .single: "'"
      case .double: "\""
      case .plain, .comment: nil
      }
    return Unfinished(
      words: splitter.words, word: String(decoding: splitter.word, as: UTF8.self), quote: quote,
      start: splitter.wordStart)
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
    case UInt8(ascii: "|") where isAtPrompt && !isInWord && !words.isEmpty:
      pipe = String(decoding: rest, as: UTF8.self)
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
      if isAtPrompt { count(brackets: rest.base[start..<end]) }
      word.append(contentsOf: UnsafeBufferPointer(rebasing: rest.base[start..<end]))
      rest = rest[end...]
    }
  }

  private mutating func count(brackets bytes: Bytes) {
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): openBrackets += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): openBrackets = max(0, openBrackets - 1)
      default: continue
      }
    }
  }

  /// Whether a byte within a word is literal.
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
    openBrackets = 0
  }

  private mutating func endLine() {
    switch state {
    case .single, .double:
      word.append(0x0A)
      isOpen = true
    case .comment, .plain:
      state = .plain
      if isOpen { return }
      if openBrackets > 0, pipe == nil { return isOpen = true }
      endWord()
      endCommand()
    }
  }
}
