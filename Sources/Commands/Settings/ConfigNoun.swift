internal import Basics
internal import CloudModel
internal import CommandKit

/// `ckdb config …`
enum ConfigNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("list", "List the settings and their values", verb: { list }),
    CommandRow("get", "Print the value of a setting", verb: { get }),
    CommandRow("set", "Change a setting", verb: { set }),
    CommandRow("unset", "Restore the default of a setting", verb: { unset }),
    CommandRow("edit", "Edit the settings file", verb: { edit }),
  ]

  private static let key = Operand(
    "KEY",
    ValueKind<String>.text(
      "KEY", candidates: .words(Configuration.keys.map(\.name) + [Configuration.aliasPrefix])),
    "Name of the setting")
  private static let value = Operand(
    "VALUE", ValueKind<String>.text("VALUE", candidates: .question("settingValues")), "New value")

  private static let discussion = """
    Settings belong to the user and are in $XDG_CONFIG_HOME/ckdb/config.json. They change what a \
    terminal shows; output to a pipe or a file does not depend on them. Keys: \
    \(Configuration.keys.map { "\($0.name) (\($0.help))" }.joined(separator: "; ")). alias.NAME is \
    a command line that NAME stands for.
    """

  private static var list: Command<Context> {
    Command(
      discussion: discussion, examples: [.init("List the settings", "ckdb config list")]
    ) { _, context in
      let configuration = try context.session.configuration()
      let output = try RowOutput(context, noun: "setting", columns: ["key", "value"])
      let names = Configuration.keys.map(\.name)
      for name in names {
        output.row([.string(name), configuration.text(name).map { .string($0) } ?? .null])
      }
      for member in configuration.values where !names.contains(member.name) {
        output.row([.string(member.name), .string(member.value.cellText ?? "")])
      }
      output.finish()
    }
  }

  private static var get: Command<Context> {
    Command(
      operands: [AnyOperand(key)],
      examples: [.init("Print the prompt's text", "ckdb config get prompt")]
    ) { arguments, context in
      let name = arguments.required(key)
      try check(name, context)
      guard let text = try context.session.configuration().text(name) else {
        throw QuietExit(code: .no)
      }
      context.output.line(text)
    }
  }

  private static var set: Command<Context> {
    Command(
      operands: [AnyOperand(key), AnyOperand(value)], discussion: discussion,
      examples: [
        .init("Write dates in UTC", "ckdb config set dates utc"),
        .init("Shorten the prompt", "ckdb config set prompt '{database}{mark}> '"),
        .init(
          "Define a command", "ckdb config set alias.unsynced \"query Note 'synced == 0'\""),
      ]
    ) { arguments, context in
      let (name, word) = (arguments.required(key), arguments.required(value))
      try check(name, context)
      var configuration = try context.session.configuration()
      if let known = Configuration.keys.first(where: { $0.name == name }) {
        try configuration.set(name, try known.parse(word))
      } else {
        try requireAlias(word, context)
        try configuration.set(name, .string(word))
      }
      context.session.forgetConfiguration()
      context.report("set \(name)")
    }
  }

  private static var unset: Command<Context> {
    Command(
      operands: [AnyOperand(key)],
      examples: [.init("Remove an alias", "ckdb config unset alias.unsynced")]
    ) { arguments, context in
      let name = arguments.required(key)
      try check(name, context)
      var configuration = try context.session.configuration()
      let isSet = configuration.text(name) != nil
      if isSet { try configuration.set(name, nil) }
      context.session.forgetConfiguration()
      context.report(isSet ? "unset \(name)" : "\(name) was not set")
    }
  }

  private static var edit: Command<Context> {
    Command(
      discussion: "Opens the file in $VISUAL, $EDITOR or the program of the setting 'editor'.",
      examples: [.init("Edit the settings", "ckdb config edit")]
    ) { _, context in
      let path = try context.session.configuration().requirePath()
      if !FileSystem.exists(path) {
        try FileSystem.makeDirectories(FileSystem.parent(of: path))
        try FileSystem.replace(path, with: Array("{\n}\n".utf8))
      }
      guard try Editor(context).open(path) else { throw CommandError("the editor failed", .no) }
      context.session.forgetConfiguration()
      _ = try context.session.configuration()
    }
  }

  /// Throws `CommandError` for an unknown key, and for an alias that would hide a command.
  private static func check(_ name: String, _ context: Context) throws {
    let names = Configuration.keys.map(\.name)
    if names.contains(name) { return }
    guard name.hasPrefix(Configuration.aliasPrefix) else {
      let nearest = Suggestion.nearest(to: name, among: names)
      throw CommandError(
        "unknown setting '\(name.visible)'", .usage,
        hint: nearest.map { "did you mean \($0)?" }
          ?? "settings are \(names.joined(separator: ", "))")
    }
    let alias = String(name.dropFirst(Configuration.aliasPrefix.count))
    guard !alias.isEmpty, alias.utf8.allSatisfy({ $0.isIdentifierByte || $0 == UInt8(ascii: "-") }),
      !alias.hasPrefix("-")
    else {
      throw CommandError("'\(alias.visible)' is not a valid alias name", .usage)
    }
    if context.session.table.find([alias]).row != nil {
      throw CommandError("'\(alias)' is a command", .usage, hint: "give the alias another name")
    }
  }

  private static func requireAlias(_ text: String, _ context: Context) throws {
    var splitter = WordSplitter()
    let commands = splitter.take(line: text)
    guard commands.count == 1, !splitter.isOpen else {
      throw CommandError("an alias must be one command line with closed quotes", .usage)
    }
    guard context.session.table.find([commands[0][0]]).row != nil else {
      throw CommandError("unknown command '\(commands[0][0].visible)'", .usage)
    }
  }
}
