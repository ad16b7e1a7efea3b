internal import Basics
internal import CloudModel
internal import CommandKit

/// The prompt: the same command table, line by line, with the store kept open.
///
/// ^C gives up what is typed or what runs, and never ends the prompt; `quit`, ^D, SIGTERM and
/// SIGHUP do.
struct Prompt {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// Reads and runs lines until the input ends or `quit` is said. Returns 0, or 128 and the number
  /// of the signal that ended it.
  func run() -> Int32 {
    Interrupt.surviveInterrupts()
    session.isPrompt = true
    let history = historyPath().map(HistoryFile.init)
    let completer = Completer(session)
    LineEditor.start(history: history?.lines() ?? []) { completer.answer(for: $0) }
    session.surroundings.output.line("\(Version.text) · help lists the commands, quit leaves")
    readLines(history)
    return Interrupt.endsProcess ? 128 + Interrupt.number : ExitCode.success.rawValue
  }

  private func readLines(_ history: HistoryFile?) {
    var splitter = WordSplitter()
    while !session.isOver, !Interrupt.endsProcess {
      session.surroundings.flush()
      switch LineEditor.read(splitter.isOpen ? "...> " : "\(place)> ") {
      case .cancelled: splitter = WordSplitter()
      case .end where splitter.isOpen && !Interrupt.endsProcess:
        session.surroundings.errors.line("\nckdb: error: a quote is not closed")
        splitter = WordSplitter()
      case .end: return session.surroundings.output.line("")
      case .text(let text): run(text, &splitter, history)
      }
    }
  }

  /// Runs what was entered; an interrupt gives up what follows.
  private func run(_ text: String, _ splitter: inout WordSplitter, _ history: HistoryFile?) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let kept = HistoryLine.kept(line) {
        LineEditor.remember(kept)
        history?.append(kept)
      }
      for words in splitter.take(line: line) {
        if session.ends(at: words) { return }
        _ = session.runCommand(words) { _ in ExitCode.success.rawValue }
        session.surroundings.flush()
        if session.isOver { return }
        if Interrupt.isRaised {
          splitter = WordSplitter()
          return Interrupt.clear()
        }
      }
    }
  }

  /// Where commands act: container, environment unless development, database, zone, user.
  private var place: String {
    let context = Context(session, Arguments())
    guard let id = try? context.containerID().id.text else { return "ckdb" }
    let settings = context.settings
    var text = id
    if let environment = try? settings.environment(), environment != .development {
      text += ":\(environment.rawValue)"
    }
    text += ":\((try? settings.scope().name) ?? "")"
    if let zone = try? settings.namedZone() { text += "/\(zone.text)" }
    if let user = try? settings.find(GlobalOptions.user)?.value { text += " (\(user))" }
    return text
  }

  /// `$XDG_STATE_HOME/ckdb/history`, or what CKDB_HISTORY names.
  private func historyPath() -> String? {
    let variable = session.surroundings.variable
    if let path = variable("CKDB_HISTORY") { return path }
    let state = variable("XDG_STATE_HOME") ?? variable("HOME").map { $0 + "/.local/state" }
    guard let directory = state.map({ $0 + "/ckdb" }) else { return nil }
    guard (try? FileSystem.makeDirectories(directory)) != nil else { return nil }
    return directory + "/history"
  }
}
