internal import Basics
internal import CReadline
internal import CommandKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// GNU readline: editing, history and completion of the prompt's lines.
///
/// readline calls back through plain C functions, so what they need stands in globals; only the
/// prompt's thread touches them.
enum LineEditor {
  private nonisolated(unsafe) static var complete: ([String]) -> [String] = { _ in [] }
  private nonisolated(unsafe) static var matches: ArraySlice<String> = []

  /// Prepares editing; `complete` gives the candidates for a line's words.
  static func start(history: String?, complete: @escaping ([String]) -> [String]) {
    self.complete = complete
    ckdb_readline_start { text, start, _ in
      guard let text else { return nil }
      LineEditor.findMatches(String(cString: text), Int(start))
      return rl_completion_matches(text) { _, _ in
        LineEditor.matches.popFirst().flatMap { strdup($0) }
      }
    }
    stifle_history(10_000)
    if let history {
      // The file must be private before anything is written to it.
      let file = try? FileHandle(open: history, O_CREAT | O_RDWR, mode: 0o600)
      if let file { fchmod(file.descriptor, 0o600) }
      read_history(history)
    }
  }

  /// Reads a line; nil at the end of the input. The line joins the history (`HistoryLine`).
  static func read(_ prompt: String) -> String? {
    guard let line = readline(prompt) else { return nil }
    defer { free(line) }
    let text = String(cString: line)
    if let kept = HistoryLine.kept(text) { add_history(kept) }
    return text
  }

  /// Saves the history.
  static func finish(history: String?) {
    if let history { write_history(history) }
  }

  private static func findMatches(_ word: String, _ start: Int) {
    guard let line = ckdb_readline_line() else { return }
    let bytes = UnsafeRawBufferPointer(start: line, count: start)
    var splitter = WordSplitter()
    let words = splitter.take(line: String(decoding: bytes, as: UTF8.self)).last ?? []
    matches = complete(words + [word])[...]
    ckdb_readline_no_files(matches.isEmpty ? 0 : 1)
  }
}
