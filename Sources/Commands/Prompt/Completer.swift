internal import Basics
internal import CloudModel
internal import CommandKit

/// Completes the last word of a line, for the shells' scripts and the prompt.
struct Completer {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// The completions of the last word.
  enum Answer: Equatable {
    /// One of these.
    case words(Completion)
    /// The name of a file.
    case files

    static let nothing = Answer.words(Completion())
  }

  /// The completions of a word: a beginning that stays, and its possible endings.
  struct Completion: Equatable {
    /// The beginning of the word, as it is typed.
    var kept = ""
    /// The possible endings, the likeliest first.
    var endings: [String] = []
    /// Whether an ending ends the word, and not only a part of it.
    var isWord = true

    /// The whole words.
    var words: [String] { endings.map { kept + $0 } }
  }

  /// The completions of the last word; `quote` is the open quote around it.
  func answer(for words: [String], in quote: Character? = nil) -> Answer {
    let current = words.last ?? ""
    let line = CompletedLine(Array(words.dropLast()), session.table)
    if let rest = line.innerWords { return answer(for: rest + [current], in: quote) }
    if let (option, value) = line.option(assignedBy: current) {
      return answer(
        option.candidates, line, value, kept: String(current.dropLast(value.count)), quote)
    }
    if current.hasPrefix("-"), line.openOption == nil, !line.isRest {
      return .words(Completion(endings: line.optionNames.filter { $0.hasPrefix(current) }))
    }
    return answer(line.candidates, line, current, kept: "", quote)
  }

  private func answer(
    _ candidates: Candidates, _ line: CompletedLine, _ current: String, kept: String,
    _ quote: Character?
  ) -> Answer {
    switch candidates {
    case .none: return .nothing
    case .files, .directories:
      return kept.isEmpty
        ? .files : .words(Completion(kept: kept, endings: FileNames.beginning(with: current)))
    case .words(let words):
      return .words(Completion(kept: kept, endings: words.filter { $0.hasPrefix(current) }))
    case .question(let question):
      let store = StoreCompleter(session, line, quote: quote)
      guard var found = try? store.answer(question, current) else { return .nothing }
      found.kept = kept + found.kept
      return .words(found)
    }
  }
}

/// File names as part of a word.
enum FileNames {
  /// The paths that begin with a text; those of directories end in a slash.
  static func beginning(with path: String) -> [String] {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(path[...$0]) } ?? ""
    let prefix = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    let names = (try? FileSystem.list(folder.isEmpty ? "." : folder)) ?? []
    return names.filter { name in
      name.hasPrefix(prefix) && (prefix.hasPrefix(".") || !name.hasPrefix("."))
    }.map { name in
      folder + name + (FileSystem.isDirectory(folder + name) ? "/" : "")
    }
  }
}
