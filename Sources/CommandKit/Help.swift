extension CommandTable {
  /// The usage line of a path: `ckdb zone create NAME... [options]`.
  public func usage(_ path: [String], _ command: Command<Context>?) -> String {
    var words = [program] + path
    if let command {
      words += command.operands.map(\.usage)
      if !command.options.isEmpty { words.append("[options]") }
    } else {
      words.append(path.isEmpty ? "COMMAND" : "VERB")
    }
    return words.joined(separator: " ")
  }

  /// The help of what stands at a path; nil when nothing does. The full text has examples
  /// first and the global options last.
  public func help(_ path: [String], isFull: Bool, width: Int = 80) -> String? {
    let (row, rows) = find(path)
    if let rows {
      return groupHelp(path, row?.summary ?? summary, rows, isFull: isFull, width: width)
    }
    guard let row, case .verb(let make) = row.body else { return nil }
    return verbHelp(path, row, command(path, make), isFull: isFull, width: width)
  }

  private func groupHelp(
    _ path: [String], _ summary: String, _ rows: [CommandRow<Context>], isFull: Bool, width: Int
  ) -> String {
    var text = summary + ".\n\n" + "Usage: \(usage(path, nil)) [options]\n\n"
    text += path.isEmpty ? "Commands:\n" : "Verbs:\n"
    let visible = rows.filter { !$0.isHidden }
    text += columns(visible.map { ($0.name, $0.summary) }, width)
    if path.isEmpty { text += "\nOptions:\n" + columns(rootOptions.map(entry), width) }
    if isFull { text += "\nGlobal options:\n" + columns(globals.map(entry), width) }
    let line = ([program] + path + [path.isEmpty ? "COMMAND" : "VERB"]).joined(separator: " ")
    return text + "\n'\(line) --help' tells more.\n"
  }

  private func verbHelp(
    _ path: [String], _ row: CommandRow<Context>, _ command: Command<Context>, isFull: Bool,
    width: Int
  ) -> String {
    var text = row.summary + ".\n\n" + "Usage: \(usage(path, command))\n"
    if isFull, !command.examples.isEmpty {
      text += "\nExamples:\n"
      for example in command.examples {
        text += "  # \(example.purpose)\n  \(example.line)\n"
      }
    }
    if isFull, !command.discussion.isEmpty {
      text += "\n" + command.discussion.wrapped(width, indent: 0) + "\n"
    }
    if !command.operands.isEmpty {
      text += "\nOperands:\n" + columns(command.operands.map { ($0.name, $0.help) }, width)
    }
    if !command.options.isEmpty {
      text += "\nOptions:\n" + columns(command.options.map(entry), width)
    }
    if isFull { text += "\nGlobal options:\n" + columns(globals.map(entry), width) }
    return text
  }

  private func entry(_ option: AnyOption) -> (String, String) {
    var help = option.help
    if let text = option.defaultText { help += " (default: \(text))" }
    if let variable = option.variable { help += " [\(variable)]" }
    return (option.usage, help)
  }

  private func columns(_ rows: [(String, String)], _ width: Int) -> String {
    let left = min(30, rows.map { $0.0.count }.max() ?? 0)
    var text = ""
    for (name, help) in rows {
      let body = help.wrapped(width, indent: left + 4)
      if name.count > left {
        text += "  \(name)\n\(String(repeating: " ", count: left + 4))\(body)\n"
      } else {
        text += "  \(name)\(String(repeating: " ", count: left - name.count + 2))\(body)\n"
      }
    }
    return text
  }
}

extension AnyOption {
  /// The option in a list: `-z, --zone NAME`.
  public var usage: String {
    let names = (short.map { "-\($0), " } ?? "") + "--" + name
    return placeholder.map { "\(names) \($0)" } ?? names
  }
}

extension String {
  /// The text in lines of at most `width` columns; all but the first are indented. Paragraphs
  /// are kept.
  public func wrapped(_ width: Int, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    return split(separator: "\n", omittingEmptySubsequences: false).map { paragraph in
      var lines: [String] = []
      var line = ""
      for word in paragraph.split(separator: " ") {
        if !line.isEmpty, indent + line.count + 1 + word.count > width {
          lines.append(line)
          line = ""
        }
        line += (line.isEmpty ? "" : " ") + word
      }
      lines.append(line)
      return lines.joined(separator: "\n" + margin)
    }.joined(separator: "\n" + margin)
  }
}
