internal import Basics

extension CommandTable {
  /// A manual page in mdoc.
  public struct ManualPage: Sendable {
    /// The file's name: `ckdb-record.1`.
    public let name: String
    /// The text, with a final newline.
    public let text: String
  }

  /// A manual page on a topic, not on a command.
  public struct ManualTopic: Sendable {
    /// Its name, without the program's: `predicate`.
    public let name: String
    /// Its section, 5 or 7.
    public let section: Int
    /// The subject, as part of a sentence.
    public let summary: String
    /// Its parts, each with a title.
    public let parts: [(title: String, text: String)]
    /// The related pages: `ckdb-query 1`.
    public let seeAlso: [String]

    /// Describes a page.
    public init(
      _ name: String, section: Int, _ summary: String, parts: [(title: String, text: String)],
      seeAlso: [String]
    ) {
      (self.name, self.section, self.summary) = (name, section, summary)
      (self.parts, self.seeAlso) = (parts, seeAlso)
    }
  }

  /// The texts that all pages share.
  public struct ManualTexts: Sendable {
    /// The paragraphs of the program's description.
    public var description: String
    /// The text on environment variables, files and exit codes.
    public var environment, files, exitStatus: String
    /// The exit codes in a sentence, for the pages of commands.
    public var exitSummary: String

    /// Collects the texts.
    public init(
      description: String, environment: String, files: String, exitStatus: String,
      exitSummary: String
    ) {
      self.exitSummary = exitSummary
      (self.description, self.environment) = (description, environment)
      (self.files, self.exitStatus) = (files, exitStatus)
    }
  }

  /// The manual: a page for the program, one for each command of the first level, and the topics.
  public func manual(
    date: String, _ texts: ManualTexts, topics: [ManualTopic]
  ) -> [ManualPage] {
    [programPage(date, texts, topics)] + rows.filter { !$0.isHidden }.map { page($0, date, texts) }
      + topics.map { page($0, date) }
  }

  // MARK: Pages

  private func programPage(
    _ date: String, _ texts: ManualTexts, _ topics: [ManualTopic]
  ) -> ManualPage {
    let visible = rows.filter { !$0.isHidden }
    var text = head(program, 1, summary, date)
    text += ".Sh SYNOPSIS\n.Nm\n.Op Ar options\n.Ar command\n.Op Ar operands\n"
    text += ".Sh DESCRIPTION\n" + texts.description.mdoc
    for group in groups {
      text += ".Ss \(group.title)\n"
      text += list(
        visible.filter { group.names.contains($0.name) }.map { (".It Ic \($0.name)", $0.summary) })
    }
    text += ".Ss Options without a command\n" + list(rootOptions.map(\.mdocEntry))
    text += ".Ss Options of every command\n" + list(globals.map(\.mdocEntry))
    text += ".Sh ENVIRONMENT\n" + texts.environment.mdoc
    text += ".Sh FILES\n" + texts.files.mdoc
    text += ".Sh EXIT STATUS\n" + texts.exitStatus.mdoc
    text += ".Sh EXAMPLES\n" + literal(overviewExamples)
    let pages =
      visible.map { "\(program)-\($0.name) 1" }
      + topics.map { "\(program)-\($0.name) \($0.section)" }
    text += seeAlso(pages)
    return ManualPage(name: "\(program).1", text: text)
  }

  private func page(
    _ row: CommandRow<Context>, _ date: String, _ texts: ManualTexts
  ) -> ManualPage {
    let name = "\(program)-\(row.name)"
    let verbs = allVerbs().filter { $0.path[0] == row.name }
    var text = head(name, 1, row.summary, date)
    text += ".Sh SYNOPSIS\n"
    for (path, _, command) in verbs {
      text += ".Nm \(program) \(path.joined(separator: " ").mdocWord)\n"
      for operand in command.operands { text += operand.mdocUsage }
      if !command.options.isEmpty { text += ".Op Ar options\n" }
    }
    text += ".Sh DESCRIPTION\n"
    for (path, verb, command) in verbs {
      if verbs.count > 1 { text += ".Ss \(path.joined(separator: " "))\n" }
      text += "\(verb.summary).".mdoc
      text += description(command)
    }
    text += ".Pp\nOptions of every command are in\n.Xr \(program) 1 .\n"
    text += ".Sh EXIT STATUS\n" + texts.exitSummary.mdoc
    text += ".Pp\nSee\n.Xr \(program) 1 .\n"
    let examples = verbs.flatMap(\.command.examples)
    if !examples.isEmpty {
      text += ".Sh EXAMPLES\n"
      for (index, example) in examples.enumerated() {
        if index > 0 { text += ".Pp\n" }
        text += "\(example.purpose):".mdoc + literal([example.line])
      }
    }
    let related = verbs.flatMap { seeAlso($0.path) }.compactMap { page in
      let noun = String(page.prefix { $0 != " " })
      return rows.contains { $0.name == noun } ? "\(program)-\(noun) 1" : nil
    }
    text += seeAlso(["\(program) 1"] + related.filter { $0 != "\(name) 1" })
    return ManualPage(name: "\(name).1", text: text)
  }

  private func page(_ topic: ManualTopic, _ date: String) -> ManualPage {
    let name = "\(program)-\(topic.name)"
    var text = head(name, topic.section, topic.summary, date)
    text += ".Sh DESCRIPTION\n"
    for (title, body) in topic.parts {
      if !title.isEmpty { text += ".Ss \(title)\n" }
      text += body.mdoc
    }
    text += seeAlso(["\(program) 1"] + topic.seeAlso)
    return ManualPage(name: "\(name).\(topic.section)", text: text)
  }

  // MARK: Parts

  private func head(_ name: String, _ section: Int, _ summary: String, _ date: String) -> String {
    """
    .Dd \(date)
    .Dt \(name.uppercased()) \(section)
    .Os
    .Sh NAME
    .Nm \(name)
    .Nd \(summary.mdocWord)

    """
  }

  private func description(_ command: Command<Context>) -> String {
    var text = ""
    if !command.discussion.isEmpty { text += ".Pp\n" + command.discussion.mdoc }
    if !command.operands.isEmpty {
      text += ".Pp\nOperands:\n"
      text += list(command.operands.map { (".It Ar \($0.name.mdocWord)", $0.help) })
    }
    if !command.options.isEmpty {
      text += ".Pp\nOptions:\n" + list(command.options.map(\.mdocEntry))
    }
    return text
  }

  private func list(_ entries: [(String, String)]) -> String {
    var text = ".Bl -tag -width Ds\n"
    for (item, help) in entries { text += item + "\n" + "\(help).".mdoc }
    return text + ".El\n"
  }

  private func literal(_ lines: [String]) -> String {
    ".Bd -literal -offset indent\n" + lines.map { $0.mdocLine + "\n" }.joined() + ".Ed\n"
  }

  /// The pages sorted by section and name, without duplicates.
  private func seeAlso(_ pages: [String]) -> String {
    func key(_ page: String) -> String { String(page.last ?? "1") + page }
    let sorted = Set(pages).sorted { utf8Precedes(key($0), key($1)) }
    return ".Sh SEE ALSO\n" + sorted.map { ".Xr \($0)" }.joined(separator: " ,\n") + "\n"
  }
}

extension AnyOption {
  fileprivate var mdocEntry: (String, String) {
    let names = (short.map { "Fl \($0) , " } ?? "") + "Fl \\-\(name.mdocWord)"
    var text = help
    if let defaultText { text += "; default: \(defaultText)" }
    if let variable { text += "; variable: \(variable)" }
    return (".It \(names)" + (placeholder.map { " Ar \($0.mdocWord)" } ?? ""), text)
  }
}

extension AnyOperand {
  fileprivate var mdocUsage: String {
    let word = name.mdocWord
    return switch count {
    case .one: ".Ar \(word)\n"
    case .optional: ".Op Ar \(word)\n"
    case .oneOrMore: ".Ar \(word) ...\n"
    case .any: ".Op Ar \(word) ...\n"
    }
  }
}

extension String {
  /// The text for use within a line, escaped so that copied text stays ASCII.
  fileprivate var mdocWord: String {
    var result = ""
    for character in self {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      default: result.append(character)
      }
    }
    return result
  }

  /// The text as a line of its own, escaped so that it cannot begin a macro.
  fileprivate var mdocLine: String {
    let word = mdocWord
    return word.hasPrefix(".") ? "\\&" + word : word
  }

  /// The text as paragraphs: sentences begin lines; lines that begin with blanks are displays.
  fileprivate var mdoc: String {
    var text = ""
    var display: [Substring] = []
    func endDisplay() {
      if display.isEmpty { return }
      let margin = display.map { $0.prefix { $0 == " " }.count }.min() ?? 0
      let lines = display.map { String($0.dropFirst(margin)).mdocLine }
      text += ".Bd -literal -offset indent\n\(lines.joined(separator: "\n"))\n.Ed\n"
      display = []
    }
    for line in split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix(" ") {
        display.append(line)
        continue
      }
      endDisplay()
      if line.isEmpty {
        text += ".Pp\n"
      } else {
        text += String(line).sentences.map { $0.filled.mdocLines }.joined()
      }
    }
    endDisplay()
    // Remove paragraph breaks that no text follows.
    return text.replacingUTF8(".Pp\n.Bd", with: ".Bd")
      .replacingUTF8(".Ed\n.Pp\n.Bd", with: ".Ed\n.Bd")
      .replacingUTF8(".Pp\n.Pp\n", with: ".Pp\n")
  }

  /// The sentences of a paragraph.
  private var sentences: [String] {
    var sentences: [String] = []
    var sentence = ""
    var previous: Character = " "
    for character in self {
      if character == " ", ".!?".contains(previous), !sentence.hasSuffix("...") {
        sentences.append(sentence)
        sentence = ""
      } else {
        sentence.append(character)
      }
      previous = character
    }
    return sentence.isEmpty ? sentences : sentences + [sentence]
  }

  /// The text in lines of at most 78 characters.
  private var filled: String { wrapped(78, indent: 0) }

  private var mdocLines: String {
    split(separator: "\n").map { String($0).mdocLine + "\n" }.joined()
  }
}
