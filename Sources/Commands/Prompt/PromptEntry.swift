internal import CommandKit

/// An entry at the prompt: lines up to the one that closes all quotes and brackets.
struct PromptEntry {
  /// A command of an entry.
  enum Command {
    /// A ckdb command, and the shell command that takes its output.
    case words([String], pipe: String?)
    /// A shell command.
    case shell(String)
  }

  /// All lines so far.
  private(set) var text = ""
  private(set) var splitter = WordSplitter(atPrompt: true)
  private var commands: [Command] = []
  private var hasBegun = false

  /// Whether another line belongs to the entry.
  var isOpen: Bool { splitter.isOpen }

  /// Takes a line and returns the entry's commands, if it is complete.
  mutating func take(_ line: String) -> [Command] {
    let isFirst = !hasBegun
    hasBegun = true
    text += isFirst ? line : "\n" + line
    let shell = line.drop { $0 == " " }
    if isFirst, shell.hasPrefix("!") { return [.shell(String(shell.dropFirst()))] }
    let found = splitter.take(line: line)
    for (index, words) in found.enumerated() {
      let pipe = index == found.count - 1 ? splitter.pipe : nil
      commands.append(.words(Self.withoutProgram(words), pipe: pipe))
    }
    return isOpen ? [] : commands
  }

  /// The words of a command that may be pasted from a shell or a page: `ckdb zone list`,
  /// `$ ckdb zone list`.
  static func withoutProgram(_ words: [String]) -> [String] {
    let rest = words.first == "$" ? words.dropFirst() : words[...]
    return rest.first == "ckdb" && rest.count > 1 ? Array(rest.dropFirst()) : words
  }
}
