internal import Basics
internal import CloudServices
internal import CommandKit

/// Runs a prompt command and sends its output to the terminal, the pager or a shell command.
struct PromptRunner {
  private let session: Session
  private let state: PromptState

  init(_ session: Session, _ state: PromptState) { (self.session, self.state) = (session, state) }

  func run(_ command: PromptEntry.Command) {
    switch command {
    case .shell(let text): run(shell: text)
    case .words(let words, nil): run(words)
    case .words(let words, let pipe?): run(words, into: pipe)
    }
    session.surroundings.flush()
  }

  /// Runs a command; output that is longer than the screen goes to the pager.
  private func run(_ words: [String]) {
    let surroundings = session.surroundings
    var process: ReadingProcess?
    if let pager = state.pager, state.isPaged, surroundings.outputIsTerminal,
      surroundings.variable("TERM") != "dumb"
    {
      surroundings.output.hold(lines: surroundings.height() - 1) {
        process = try? reading(pager)
        return process?.output
      }
    }
    runTimed(words)
    surroundings.output.release()
    if let code = process?.finish(), code == 126 || code == 127 {
      state.isPaged = false
      surroundings.errors.line(
        "ckdb: error: the pager cannot be run: PAGER is '\(state.pager ?? "")'")
      surroundings.errors.line("hint: it is now off; repeat the command")
    }
  }

  private func run(_ words: [String], into command: String) {
    session.surroundings.flush()
    let outer = session.surroundings
    guard let process = try? reading(command) else {
      return outer.errors.line("ckdb: error: the shell cannot be run")
    }
    session.surroundings.output = process.output
    session.surroundings.outputIsTerminal = false
    runTimed(words)
    session.surroundings = outer
    process.finish()
  }

  private func runTimed(_ words: [String]) {
    state.begin()
    _ = session.runCommand(words) { _ in ExitCode.success.rawValue }
    if let transaction = state.transaction, !transaction.isInTransaction {
      state.transaction = nil
      session.surroundings.errors.line("the transaction was rolled back")
    }
    if let time = state.takeLongTime() { session.surroundings.errors.line(time) }
  }

  private func reading(_ command: String) throws -> ReadingProcess {
    var variables = session.surroundings.allVariables()
    if variables["LESS"] == nil { variables["LESS"] = "FRX" }
    return try ReadingProcess(["/bin/sh", "-c", command], variables)
  }

  private func run(shell command: String) {
    session.surroundings.flush()
    do {
      let code = try ChildProcess.run(
        ["/bin/sh", "-c", command], session.surroundings.allVariables(), output: 1, errors: 2)
      if code != 0 { session.surroundings.errors.line("exit code \(code)") }
    } catch {
      session.surroundings.errors.line("ckdb: error: \(error)")
    }
  }
}
