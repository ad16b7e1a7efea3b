import Basics
import TestSupport
import Testing

private typealias Key = TerminalProgram.Key

/// The completion scripts in their shells, at a terminal (M2.22).
@Suite struct ShellCompletionTests {
  /// The shells that have a script.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// Starts the shell with the script.
    var line: String {
      let scripts = ProjectFiles.root + "/completions"
      let bashCompletion = "/usr/share/bash-completion/bash_completion"
      return switch self {
      case .bash:
        "printf '%s\\n' 'PS1=\"ready> \"' '. \(bashCompletion)' '. \(scripts)/ckdb.bash' > rc; "
          + "exec bash --noprofile --rcfile rc -i"
      case .zsh:
        "printf '%s\\n' 'PS1=\"ready> \"' 'fpath=(\(scripts) $fpath)' 'autoload -Uz compinit' "
          + "'compinit -u -D' > .zshrc; ZDOTDIR=. exec zsh -d -i"
      case .fish:
        "exec fish --private -C 'source \(scripts)/ckdb.fish; function fish_prompt; "
          + "echo -n \"ready> \"; end'"
      }
    }
  }

  private static func store() throws -> RealProgram {
    let program = try RealProgram()
    let made = try program.shell(
      """
      ckdb init -q && ckdb container create iCloud.org.example.app -q \
      && ckdb record save Artwork --name 'lon don' title=Newton image@/dev/null -q \
      && ckdb record save Artwork --name other title='New Hare' -q && touch photo.svg
      """)
    try #require(made.code == 0, "\(made.errors)")
    return program
  }

  private static let cases: [(typed: String, completed: String)] = [
    ("ckdb rec\t", "ckdb record "),
    ("ckdb query Artw\t", "ckdb query Artwork "),
    ("ckdb query --form\t", "ckdb query --format "),
    ("ckdb query --format=ta\t", "ckdb query --format=table"),
    ("ckdb query Artwork \"tit\t", "ckdb query Artwork \"title"),
    ("ckdb record save Artwork tit\t", "ckdb record save Artwork title="),
    ("ckdb record save Artwork image@pho\t", "ckdb record save Artwork image@photo.svg"),
    ("ckdb record fetch lo\t", "ckdb record fetch lon\\ don"),
    ("ckdb -C iCloud.\t", "ckdb -C iCloud.org.example.app"),
    ("ckdb exec -- ckdb que\t", "ckdb exec -- ckdb query "),
    ("ckdb exec --keep never -- cat photo.s\t", "ckdb exec --keep never -- cat photo.svg"),
    ("ckdb import phot\t", "ckdb import photo.svg"),
  ]

  @Test("a shell completes commands, options, values, predicates, files", arguments: Shell.allCases)
  func words(_ shell: Shell) throws {
    let program = try Self.store()
    let home = program.directory.path
    for (typed, completed) in Self.cases {
      let terminal = try TerminalProgram(
        program, shell: "cd \(home) && \(shell.line)", columns: 120,
        variables: ["PATH": "\(home)/.bin:/usr/bin:/bin", "XDG_DATA_HOME": home])
      try terminal.expect("ready> ")
      try terminal.type(typed)
      let shown = try terminal.shows("ready> " + completed, columns: 120)
      #expect(shown, "\(shell) '\(typed)': \(terminal.lines(columns: 120))")
    }
  }

  @Test("a predicate goes on in its quotes after a field", arguments: Shell.allCases)
  func predicates(_ shell: Shell) throws {
    let program = try Self.store()
    let home = program.directory.path
    let terminal = try TerminalProgram(
      program, shell: "cd \(home) && \(shell.line)", columns: 120,
      variables: ["PATH": "\(home)/.bin:/usr/bin:/bin", "XDG_DATA_HOME": home])
    try terminal.expect("ready> ")
    try terminal.type("ckdb query Artwork -f names \"tit\t")
    try terminal.expect("\"title")
    try terminal.enter(" == 'New Hare'\"")
    try terminal.expect("other")
  }

  @Test("zsh and fish describe commands and options", arguments: [Shell.zsh, .fish])
  func descriptions(_ shell: Shell) throws {
    let program = try Self.store()
    let home = program.directory.path
    let terminal = try TerminalProgram(
      program, shell: "cd \(home) && \(shell.line)", columns: 120,
      variables: ["PATH": "\(home)/.bin:/usr/bin:/bin"])
    try terminal.expect("ready> ")
    try terminal.type("ckdb record \t\t")
    try terminal.expect("Fetch records by name")
  }
}
