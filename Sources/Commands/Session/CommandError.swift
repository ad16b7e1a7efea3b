internal import Basics
internal import CloudModel
internal import CommandKit
internal import PredicateLanguage

/// The message and the exit code of a command that failed.
struct CommandError: Error, Sendable {
  /// The problem, as a sentence without the period.
  var text: String
  /// How to fix it.
  var hint: String?
  /// A text with its faulty part.
  var caret: Caret?
  var exitCode: ExitCode
  /// The CKError, if there is one.
  var cloud: CloudError?
  /// Further lines, one for each item.
  var items: [String] = []

  /// A text and the UTF-8 bytes that an error refers to.
  struct Caret: Sendable {
    var text: String
    var span: Span
  }

  init(_ text: String, _ exitCode: ExitCode, hint: String? = nil) {
    self.text = text
    self.exitCode = exitCode
    self.hint = hint
  }

  init(_ error: CloudError, predicate: String? = nil) {
    var text = error.message
    if let name = error.recordName, !text.names(name) { text = "\(name): \(text)" }
    self.init(text, error.exitCode, hint: error.hint)
    if let fault = error.document {
      self.text += " (\(fault.rawValue))"
    } else if error.storage == nil {
      let number = error.serverCode.map { "\(error.code.rawValue)/\($0)" }
      self.text += " (\(error.code.name) \(number ?? "\(error.code.rawValue)"))"
      if let seconds = error.retryAfter { self.text += ", retry after \(Self.text(seconds)) s" }
    }
    if let span = error.span, let predicate { caret = Caret(text: predicate, span: span) }
    cloud = error
  }

  /// Seconds without a needless fraction.
  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() && seconds < 1e9 ? "\(Int64(seconds))" : "\(seconds)"
  }

  init(_ error: PredicateError, in predicate: String) {
    self.init(error.message, .data, hint: error.remedy?.hint)
    caret = Caret(text: predicate, span: error.span)
    cloud = CloudError(
      .invalidArguments, "Unable to parse the format string \"\(predicate)\": \(error.message)",
      remedy: error.remedy)
  }

  /// The error of an invalid predicate, in NSPredicate's words.
  init(syntax error: PredicateError, in predicate: String) {
    self.init(error, in: predicate)
    let before = String(
      decoding: Array(predicate.utf8).prefix(error.span.lowerBound), as: UTF8.self)
    text = "Unable to parse the format string at column \(before.count + 1): \(error.message)"
  }

  /// Converts any error of a command.
  init(any error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as CloudError: self.init(error)
    case let error as UsageError where error.refusal != nil:
      self.init(any: error.refusal ?? error)
    case let error as UsageError: self.init(error.message, .usage, hint: error.hint)
    case let error as ValueError: self.init(error.message, .usage, hint: error.hint)
    case is SystemError where Interrupt.isRaised: self = .interrupted
    case let error as SystemError:
      // Without a number, the file is too large: a limit of ckdb.
      self.init(
        error.description, error.isDiskFull ? .inputOutput : error.number == 0 ? .data : .noInput)
    default: self.init("\(error)", .software, hint: "this is a bug in ckdb; please report it")
    }
  }

  private static let interrupted = CommandError("interrupted", .interrupted)

  /// Stops long work after an interrupt. Throws `CommandError`.
  static func checkInterrupt() throws {
    if Interrupt.isRaised { throw interrupted }
  }

  /// The lines of the message, wrapped at words for a terminal with `width` columns. A hint is not:
  /// it may contain a command to copy.
  func lines(_ style: TextStyle, width: Int? = nil) -> [String] {
    let label = "ckdb: error:"
    let message = "\(label) \(text.visible)".fitting(width, indent: 2)
    var lines = [style(label, .error) + message.dropFirst(label.count)]
    lines += items.map { "  \($0.visible)".fitting(width, indent: 4) }
    if let hint { lines.append(style("hint:", .hint) + " \(hint.visible)") }
    if let caret { lines += caret.lines(style, width: width) }
    return lines
  }
}

extension CommandError.Caret {
  /// The maximum number of columns on each side of the marked part.
  private static let longestSide = 200

  /// The line in which the span begins, and a line that marks it; both fit a terminal with `width`
  /// columns.
  func lines(_ style: TextStyle = .plain, width: Int? = nil) -> [String] {
    let bytes = Array(text.utf8)
    let start = min(span.lowerBound, bytes.count)
    let lineStart = bytes[..<start].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let lineEnd = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
    let before = String(decoding: bytes[lineStart..<start], as: UTF8.self).visible
    let markedEnd = max(start, min(span.upperBound, lineEnd))
    let marked = String(decoding: bytes[start..<markedEnd], as: UTF8.self).visible
    let after = String(decoding: bytes[markedEnd..<lineEnd], as: UTF8.self).visible
    // The last column stays free: a character there would wrap the line.
    let room = max(8, min(width ?? .max, 4 * Self.longestSide + 3) - 3)
    let shownMarked = marked.truncated(toColumns: min(2 * Self.longestSide, room))
    let beside = room - shownMarked.columnWidth
    let sparedBefore = max(beside / 2, beside - after.columnWidth)
    let shownBefore = before.clippedAtFront(to: min(Self.longestSide, sparedBefore))
    let rest = min(Self.longestSide, beside - shownBefore.columnWidth)
    let shownAfter = rest > 0 ? after.truncated(toColumns: rest) : ""
    let line = shownBefore + shownMarked + shownAfter
    let marks = String(repeating: "^", count: max(1, shownMarked.columnWidth))
    return [
      "  " + line,
      "  " + String(repeating: " ", count: shownBefore.columnWidth) + style(marks, .error),
    ]
  }
}

extension String {
  /// The text wrapped at words if it is wider than a terminal; nil for no terminal. The first
  /// line's indentation stays.
  func fitting(_ width: Int?, indent: Int) -> String {
    guard let width, columnWidth > width else { return self }
    let start = prefix { $0 == " " }
    return start + dropFirst(start.count).description.wrapped(width, indent: indent)
  }

  /// The end of the text after an ellipsis, if it is wider than `columns`.
  fileprivate func clippedAtFront(to columns: Int) -> String {
    columnWidth <= columns ? self : columns < 1 ? "" : "…" + String(suffix(columns - 1))
  }

  /// Whether the text contains a name as a whole word.
  fileprivate func names(_ name: String) -> Bool {
    func goesOn(_ byte: UInt8?) -> Bool {
      guard let byte else { return false }
      return byte >= 0x80 || Character(Unicode.Scalar(byte)).isLetter
        || Character(Unicode.Scalar(byte)).isNumber
    }
    let (text, word) = (Array(utf8), Array(name.utf8))
    guard !word.isEmpty, text.count >= word.count else { return false }
    return (0...(text.count - word.count)).contains { start in
      let end = start + word.count
      return text[start..<end].elementsEqual(word) && !goesOn(start > 0 ? text[start - 1] : nil)
        && !goesOn(end < text.count ? text[end] : nil)
    }
  }
}
