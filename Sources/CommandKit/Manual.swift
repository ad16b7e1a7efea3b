extension CommandTable {
  /// A manual page: its name (`ckdb-record`) and its text in mdoc.
  public struct ManualPage: Sendable {
    /// The page's name, which is also its file's, without the section.
    public let name: String
    /// The text, with a line end.
    public let text: String
  }

  /// The manual: a page for the program and one for each noun, all in section 1.
  public func manual(date: String) -> [ManualPage] {
    [programPage(date)] + rows.filter { !$0.isHidden }.map { page($0, date) }
  }

  private func programPage(_ date: String) -> ManualPage {
    var text = head(program, summary, date)
    text += ".Sh SYNOPSIS\n.Nm\n.Op Ar options\n.Ar command\n.Op Ar operands\n"
    text += ".Sh DESCRIPTION\n"
    text += ".Nm\nkeeps records as CloudKit does: in containers, databases and zones, with\n"
    text += "change tags and NSPredicate queries, in a local store on SQLite.\n"
    text += "Without a command it reads commands: from the prompt on a terminal, else from\n"
    text += "standard input.\n"
    text += ".Ss Commands\n" + list(rows.filter { !$0.isHidden }.map { ($0.name, $0.summary) })
    text += ".Ss Options without a command\n" + list(rootOptions.map(\.manualEntry))
    text += ".Ss Options of every command\n" + list(globals.map(\.manualEntry))
    text += ".Sh SEE ALSO\n"
    let pages = rows.filter { !$0.isHidden }.map { ".Xr \(program)-\($0.name) 1" }
    text += pages.joined(separator: " ,\n") + "\n"
    return ManualPage(name: program, text: text)
  }

  private func page(_ row: CommandRow<Context>, _ date: String) -> ManualPage {
    let name = "\(program)-\(row.name)"
    var text = head(name, row.summary, date)
    let verbs = verbs(of: row)
    text += ".Sh SYNOPSIS\n"
    for (path, _, command) in verbs {
      text += ".Nm \(program) \(path.joined(separator: " "))\n"
      for operand in command.operands { text += ".Ar \(operand.usage.manualText)\n" }
      if !command.options.isEmpty { text += ".Op Ar options\n" }
      if verbs.count > 1 { text += ".br\n" }
    }
    text += ".Sh DESCRIPTION\n"
    for (path, verb, command) in verbs {
      if verbs.count > 1 { text += ".Ss \(path.joined(separator: " "))\n" }
      text += "\(verb.summary.manualText).\n"
      text += description(command)
    }
    text += ".Sh SEE ALSO\n.Xr \(program) 1\n"
    return ManualPage(name: name, text: text)
  }

  private func verbs(
    of row: CommandRow<Context>
  ) -> [(path: [String], row: CommandRow<Context>, command: Command<Context>)] {
    allVerbs().filter { $0.path[0] == row.name }
  }

  private func description(_ command: Command<Context>) -> String {
    var text = ""
    if !command.discussion.isEmpty {
      text += ".Pp\n" + command.discussion.manualText + "\n"
    }
    let operands = command.operands.map { ($0.name, $0.help) }
    if !operands.isEmpty { text += ".Pp\nOperands:\n" + list(operands) }
    if !command.options.isEmpty {
      text += ".Pp\nOptions:\n" + list(command.options.map(\.manualEntry))
    }
    for example in command.examples {
      text += ".Pp\n\(example.purpose.manualText):\n.Dl \(example.line.manualText)\n"
    }
    return text
  }

  private func head(_ name: String, _ summary: String, _ date: String) -> String {
    """
    .Dd \(date)
    .Dt \(name.uppercased()) 1
    .Os
    .Sh NAME
    .Nm \(name)
    .Nd \(summary.manualText)

    """
  }

  private func list(_ entries: [(String, String)]) -> String {
    var text = ".Bl -tag -width indent\n"
    for (name, help) in entries {
      text += ".It \(name.manualText)\n\(help.manualText).\n"
    }
    return text + ".El\n"
  }
}

extension AnyOption {
  fileprivate var manualEntry: (String, String) {
    var text = help
    if let defaultText { text += "; default: \(defaultText)" }
    if let variable { text += "; variable: \(variable)" }
    return (usage, text)
  }
}

extension String {
  /// The text as mdoc reads it: no macros at the beginning of a line, no escapes.
  fileprivate var manualText: String {
    var result = ""
    for character in self {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'", ".":
        result += result.isEmpty || result.last == "\n" ? "\\&\(character)" : "\(character)"
      default: result.append(character)
      }
    }
    return result
  }
}
