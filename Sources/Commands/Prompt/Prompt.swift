internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// The prompt: the same command table, line by line, with the store kept open.
///
/// ^C cancels the line or the command but never ends the prompt; `quit`, ^D, SIGTERM and SIGHUP do.
struct Prompt {
  private let session: Session
  private let state: PromptState
  private let text: PromptText
  /// The idle time after which an open transaction is rolled back.
  private let idleSeconds: Int

  /// Prepares the prompt; a configuration that cannot be read is reported and ignored.
  init(_ session: Session) {
    self.session = session
    let surroundings = session.surroundings
    var configuration: Configuration?
    do { configuration = try Configuration(surroundings) } catch {
      for line in CommandError(any: error).lines(.plain) { surroundings.errors.line(line) }
    }
    let limit = configuration?.count("history.limit") ?? 10_000
    let history = Self.historyPath(surroundings).map { HistoryFile(path: $0, limit: limit) }
    state = PromptState(configuration, history, surroundings)
    idleSeconds = configuration?.count("transaction.idleSeconds") ?? 60
    text = PromptText(session, template: configuration?.text("prompt"))
  }

  /// Reads and runs lines until the input ends or `quit` is entered. Returns 0, or 128 and the
  /// number of the signal that ended it.
  func run() -> Int32 {
    Interrupt.surviveInterrupts()
    session.enterPrompt(state)
    session.surroundings.output.line("\(Version.text) · help lists the commands, quit leaves")
    readLines()
    if let transaction = state.transaction {
      transaction.rollBackTransaction()
      session.surroundings.errors.line("rolled back the open transaction")
    }
    return Interrupt.endsProcess ? 128 + Interrupt.number : ExitCode.success.rawValue
  }

  private func readLines() {
    var entry = PromptEntry()
    // Completion uses it only while a line is read, when nothing changes the entry.
    var open = WordSplitter(atPrompt: true)
    let completer = Completer(session)
    let news = PromptNews(session)
    LineEditor.start(history: state.history?.entries() ?? []) { line in
      RawCompletion(line, after: open, completer)
    }
    while !session.isOver, !Interrupt.endsProcess {
      if !entry.isOpen { news.report() }
      session.surroundings.flush()
      open = entry.splitter
      switch LineEditor.read(entry.isOpen ? "...> " : text.text, idle: idle) {
      case .cancelled: entry = PromptEntry()
      case .end where entry.isOpen && !Interrupt.endsProcess:
        session.surroundings.errors.line("\nckdb: error: a quote or a bracket is not closed")
        entry = PromptEntry()
      case .end: return session.surroundings.output.line("")
      case .text(let text): run(text, &entry)
      }
    }
  }

  /// Runs the entered text; an interrupt cancels the rest.
  private func run(_ text: String, _ entry: inout PromptEntry) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let commands = entry.take(line)
      if entry.isOpen { continue }
      remember(entry.text)
      for command in commands {
        if case .words(let words, _) = command, session.ends(at: words) { return }
        PromptRunner(session, state).run(command)
        if session.isOver { return }
        if Interrupt.isRaised {
          entry = PromptEntry()
          return Interrupt.clear()
        }
      }
      entry = PromptEntry()
    }
  }

  private func remember(_ text: String) {
    if !text.hasPrefix(".edit") { state.lastCommand = text }
    guard let kept = HistoryLine.kept(text) else { return }
    LineEditor.remember(kept)
    state.history?.append(kept)
  }

  /// Rolls back an idle transaction, which keeps other processes waiting.
  private var idle: LineEditor.Idle? {
    guard let transaction = state.transaction else { return nil }
    return LineEditor.Idle(milliseconds: idleSeconds * 1000) {
      transaction.rollBackTransaction()
      state.transaction = nil
      session.surroundings.errors.line(
        "rolled back the transaction after \(idleSeconds.counted("idle second"))")
      session.surroundings.errors.flush()
      return text.text
    }
  }

  /// `$XDG_STATE_HOME/ckdb/history`, or the file that CKDB_HISTORY names.
  private static func historyPath(_ surroundings: Surroundings) -> String? {
    let variable = surroundings.variable
    if let path = variable("CKDB_HISTORY") { return path }
    let state = variable("XDG_STATE_HOME") ?? variable("HOME").map { $0 + "/.local/state" }
    guard let directory = state.map({ $0 + "/ckdb" }) else { return nil }
    guard (try? FileSystem.makeDirectories(directory)) != nil else { return nil }
    return directory + "/history"
  }
}
