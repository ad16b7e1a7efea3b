internal import Basics
internal import CloudModel
internal import CommandKit

/// What may appear at the last word of a line: for the shells' scripts and for the prompt.
struct Completer {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// What the last word may become.
  enum Answer: Equatable {
    /// One of these.
    case words(Completion)
    /// The name of a file.
    case files

    static let nothing = Answer.words(Completion())
  }

  /// The words that a word may become: a beginning that stays, and what may follow it.
  struct Completion: Equatable {
    /// The beginning of the word, as it is typed.
    var kept = ""
    /// What may follow, the likeliest first.
    var endings: [String] = []
    /// Whether an ending ends the word, and not only a part of it.
    var isWord = true

    /// The whole words.
    var words: [String] { endings.map { kept + $0 } }
  }

  /// What the last of some words may become; `quote` is the one that the word is in.
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

/// The names of files, where they are a part of a word.
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
