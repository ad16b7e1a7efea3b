internal import Basics
internal import CloudModel
internal import CommandKit

/// The prompt: the same command table, line by line, with the store kept open.
struct Prompt {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// Reads and runs lines until the input ends or `quit` is said; returns 0.
  func run() -> Int32 {
    session.isPrompt = true
    let history = historyPath()
    let completer = Completer(session)
    LineEditor.start(history: history) { completer.candidates(for: $0) }
    session.surroundings.output.line("\(Version.text) · help lists the commands, quit leaves")
    readLines()
    LineEditor.finish(history: history)
    return ExitCode.success.rawValue
  }

  private func readLines() {
    var splitter = WordSplitter()
    while true {
      session.surroundings.output.flush()
      session.surroundings.errors.flush()
      let prompt = splitter.isOpen ? "...> " : "\(place)> "
      guard let line = LineEditor.read(prompt) else {
        return session.surroundings.output.line("")
      }
      if Interrupt.isRaised {
        Interrupt.clear()
        splitter = WordSplitter()
        continue
      }
      for words in splitter.take(line: line) {
        if session.ends(at: words) { return }
        Interrupt.clear()
        _ = session.runCommand(words) { _ in ExitCode.success.rawValue }
        if session.isOver { return }
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
