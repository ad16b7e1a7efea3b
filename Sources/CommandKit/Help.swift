internal import Basics

extension CommandTable {
  /// The usage line of a path: `ckdb zone create NAME... [options]`.
  public func usage(_ path: [String], _ command: Command<Context>?) -> String {
    var words = typedWords(path)
    if let command {
      words += command.operands.map(\.usage)
      if !command.options.isEmpty { words.append("[options]") }
    } else {
      words.append(path.isEmpty ? "COMMAND" : "VERB")
    }
    return words.joined(separator: " ")
  }

  /// The words to type for a path: prompt commands omit the program's name.
  private func typedWords(_ path: [String]) -> [String] {
    path.first?.hasPrefix(".") == true ? path : [program] + path
  }

  /// The help of a path; nil if there is none. The short text fits a screen; the full text has all
  /// examples, options and global options.
  public func help(_ path: [String], isFull: Bool, width: Int = 80) -> String? {
    let (row, rows) = find(path)
    if let rows {
      if path.isEmpty, !isFull, !groups.isEmpty { return overview(width) }
      return groupHelp(path, row, rows, isFull: isFull, width: width)
    }
    guard let row, case .verb(let make) = row.body else { return nil }
    let command = command(path, make)
    return isFull
      ? fullHelp(path, row, command, width: width) : shortHelp(path, row, command, width: width)
  }

  /// The list of the global options.
  public func globalOptions(width: Int) -> String { columns(globals.map(\.entry), width) }

  // MARK: The program

  /// The overview of the program, on one screen.
  private func overview(_ width: Int) -> String {
    var text = "\(summary).\n\nUsage: \(usage([], nil)) [options]\n\n"
    for example in overviewExamples { text += "  \(example)\n" }
    text += "\n"
    text += names(of: groups, width)
    text += "\nOptions:\n" + columns(rootOptions.map(\.entry), width)
    text += globalsLine(width)
    return text
      + "'\(program) help COMMAND' explains a command, '\(program) help' lists the topics.\n"
  }

  /// A line for each group, with the names in it.
  private func names(of groups: [CommandGroup], _ width: Int) -> String {
    let left = groups.map(\.title.count).max() ?? 0
    return groups.map { group in
      let title = group.title + String(repeating: " ", count: left - group.title.count + 2)
      return title + group.names.joined(separator: " ").wrapped(width, indent: left + 2) + "\n"
    }.joined()
  }

  private func groupHelp(
    _ path: [String], _ row: CommandRow<Context>?, _ rows: [CommandRow<Context>], isFull: Bool,
    width: Int
  ) -> String {
    let visible = rows.filter { !$0.isHidden }
    let groups = row.map(\.groups) ?? groups
    // One blank line less lets a long list of verbs fit the screen.
    let isTight = !isFull && groups.isEmpty && visible.count > Self.screen - 8
    var text = "\(row?.summary ?? summary).\n\(isTight ? "" : "\n")"
    text += "Usage: \(usage(path, nil)) [options]\n\n"
    if !isFull, row != nil, !groups.isEmpty {
      text += names(of: groups, width) + "\n"
    } else {
      let all = CommandGroup(path.isEmpty ? "Commands" : "Verbs", visible.map(\.name))
      for group in groups.isEmpty ? [all] : groups {
        let members = visible.filter { group.names.contains($0.name) }
        text += "\(group.title):\n" + columns(members.map { ($0.name, $0.summary) }, width)
      }
      text += path.isEmpty ? "Options:\n" + columns(rootOptions.map(\.entry), width) : "\n"
    }
    text += globalsLine(width)
    let line = ([program] + path + [path.isEmpty ? "COMMAND" : "VERB"]).joined(separator: " ")
    return text + "See '\(line) --help' for details.\n"
  }

  /// The short names of the global options, in one line.
  private func globalsLine(_ width: Int) -> String {
    let names = globals.compactMap { $0.short.map { "-\($0)" } }.joined(separator: " ")
    return "Global options: \(names) …, see '\(program) help options'\n"
  }

  // MARK: Verbs

  private func fullHelp(
    _ path: [String], _ row: CommandRow<Context>, _ command: Command<Context>, width: Int
  ) -> String {
    var text = "\(row.summary).\n\nUsage: \(usage(path, command))\n"
    if !command.examples.isEmpty {
      text += "\nExamples:\n"
      for example in command.examples { text += "  # \(example.purpose)\n  \(example.line)\n" }
    }
    if !command.discussion.isEmpty {
      text += "\n" + command.discussion.wrapped(width, indent: 0) + "\n"
    }
    if !command.operands.isEmpty {
      text += "\nOperands:\n" + columns(command.operands.map { ($0.name, $0.help) }, width)
    }
    if !command.options.isEmpty {
      text += "\nOptions:\n" + columns(command.options.map(\.entry), width)
    }
    text += "\n" + globalsLine(width)
    return text + (seeAlsoLine(path).map { "\n\($0.wrapped(width, indent: 2))\n" } ?? "")
  }

  /// The number of lines on a screen.
  private static var screen: Int { 24 }

  /// Help that fits a screen: an example, the operands, and the first options.
  private func shortHelp(
    _ path: [String], _ row: CommandRow<Context>, _ command: Command<Context>, width: Int
  ) -> String {
    var text = "\(row.summary).\n\nUsage: \(usage(path, command))\n"
    if let example = command.examples.first(where: { $0.line.count <= width - 2 }) {
      text += "\nExample: \(example.purpose)\n  \(example.line)\n"
    }
    if !command.operands.isEmpty {
      text += "\nOperands:\n" + columns(command.operands.map { ($0.name, $0.help) }, width)
    }
    var end = globalsLine(width)
    end += "See '\(typedWords(path).joined(separator: " ")) --help' for everything.\n"
    if let seeAlso = seeAlsoLine(path) { end += seeAlso.wrapped(width, indent: 2) + "\n" }
    guard !command.options.isEmpty else { return text + "\n" + end }
    text += "\nOptions:\n"
    let left = nameWidth(command.options.map(\.entry))
    let lines = command.options.map { columns([$0.entry], width, left: left) }
    let room = Self.screen - (text + end).lineCount - 1
    var shown = 0
    var used = 0
    while shown < lines.count, used + lines[shown].lineCount <= room {
      used += lines[shown].lineCount
      shown += 1
    }
    text += lines[..<shown].joined()
    if shown < lines.count {
      let names = command.options[shown...].map { "--\($0.name)" }
      let others = names.joined(separator: " ")
      text +=
        others.count + 13 <= width
        ? "  and \(others)\n" : "  and \(names.count) more, such as \(names[0])\n"
    } else if used < room {
      text += "\n"
    }
    return text + end
  }

  private func seeAlsoLine(_ path: [String]) -> String? {
    let pages = seeAlso(path).map { page in
      let isCommand = find(page.split(separator: " ").map(String.init)).row != nil
      return isCommand ? "\(program) \(page)" : "\(program) help \(page)"
    }
    return pages.isEmpty ? nil : "See also: \(pages.joined(separator: ", "))"
  }

  // MARK: Columns

  private func nameWidth(_ rows: [(String, String)]) -> Int {
    min(30, rows.map { $0.0.count }.max() ?? 0)
  }

  private func columns(_ rows: [(String, String)], _ width: Int, left: Int? = nil) -> String {
    let left = left ?? nameWidth(rows)
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

  /// The option with its explanation.
  fileprivate var entry: (String, String) {
    var text = help
    if let defaultText { text += " (default: \(defaultText))" }
    if let variable { text += " [\(variable)]" }
    return (usage, text)
  }
}

extension String {
  fileprivate var lineCount: Int { utf8.count { $0 == 0x0A } }

  /// The text wrapped at `width` columns; all lines but the first are indented. Paragraphs and
  /// lines that begin with blanks are kept.
  public func wrapped(_ width: Int, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    return split(separator: "\n", omittingEmptySubsequences: false).map { paragraph in
      if paragraph.hasPrefix(" ") { return String(paragraph) }
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
