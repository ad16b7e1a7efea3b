internal import Basics
internal import CommandKit

/// `ckdb help [COMMAND|TOPIC]`
enum HelpCommand {
  static let words = Operand(
    "COMMAND", ValueKind<String>.text("COMMAND", candidates: .question("commands")), .any,
    "A command or a topic")
  static let all = Flag("all", "Print the whole command table")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(words)], options: [AnyOption(all)],
      discussion: """
        Topics: \(topics). 'rules' lists the rules of CloudKit and of ckdb; with IDs it explains \
        those rules and their parts.
        """,
      examples: [
        .init("Explain a command", "ckdb help record save"),
        .init("Explain the exit codes", "ckdb help exit-codes"),
        .init("Explain the rules of change tags", "ckdb help rules R4.1"),
        .init("Print the whole command table as JSON", "ckdb help --all --json"),
      ], run: run)
  }

  private static let topics = HelpTopic.names.joined(separator: ", ")

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let path = arguments.all(words)
    let table = context.session.table
    if arguments[all] { return printAll(table, context) }
    let width = min(context.surroundings.width(), 100)
    let topic = path.count == 1 ? HelpTopic.named(path[0], table) : nil
    if let text = table.help(path, isFull: !path.isEmpty, width: width) {
      context.output.write(text)
      // A noun that is a topic, too.
      if let topic { context.output.line("\n" + topic.page(width, table)) }
      if path.isEmpty { context.output.line("Topics: \(topics)".wrapped(width, indent: 8)) }
      return
    }
    if path.first == "rules" {
      return try RuleCatalog.show(Array(path.dropFirst()), context, width: width)
    }
    if let topic { return context.output.line(topic.page(width, table)) }
    // For words after a command, as in 'help changes zone', show the command's help.
    if path.count > 1, let text = table.help(Array(path.dropLast()), isFull: true, width: width),
      table.find(Array(path.dropLast())).rows == nil
    {
      return context.output.write(text)
    }
    if path.count == 1, let known = HelpWords.path(for: path[0]) {
      return showHelp(of: known, table, context, width: width)
    }
    let names = table.rows.filter { !$0.isHidden }.map(\.name) + HelpTopic.names
    let nearest = Suggestion.nearest(to: path.last ?? "", among: names)
    throw CommandError(
      "no help for '\(path.joined(separator: " "))'", .usage,
      hint: nearest.map { "did you mean \($0)?" })
  }

  /// Prints the help of a command or a topic, after its name.
  private static func showHelp(
    of path: [String], _ table: CommandTable<Context>, _ context: Context, width: Int
  ) {
    context.output.line("See 'ckdb help \(path.joined(separator: " "))':\n")
    if let text = table.help(path, isFull: true, width: width) {
      context.output.write(text)
    } else if let topic = HelpTopic.named(path[0], table) {
      context.output.line(topic.page(width, table))
    }
  }

  private static func printAll(_ table: CommandTable<Context>, _ context: Context) {
    if context.settings.explicitFormat?.isJSON == true {
      context.output.buffer.append(json: table.json)
      context.output.line("")
      return
    }
    for (path, _, _) in table.allVerbs() where !path[0].hasPrefix("__") {
      context.output.line("== ckdb \(path.joined(separator: " "))\n")
      context.output.line(table.help(path, isFull: false, width: 80) ?? "")
    }
  }
}

extension CommandTable {
  /// The whole table as one JSON object.
  var json: JSONValue {
    .object([
      JSONMember("program", .string(program)), JSONMember("summary", .string(summary)),
      JSONMember("options", .array((rootOptions + globals).map(\.json))),
      JSONMember(
        "groups",
        .array(
          groups.map { group in
            .object([
              JSONMember("title", .string(group.title)),
              JSONMember("commands", .array(group.names.map { .string($0) })),
            ])
          })),
      JSONMember(
        "commands",
        .array(
          allVerbs().filter { !$0.row.isHidden }.map { path, row, command in
            .object([
              JSONMember("path", .array(path.map { .string($0) })),
              JSONMember("summary", .string(row.summary)),
              JSONMember("usage", .string(usage(path, command))),
              JSONMember("discussion", .string(command.discussion)),
              JSONMember("operands", .array(command.operands.map(\.json))),
              JSONMember("options", .array(command.options.map(\.json))),
              JSONMember("examples", .array(command.examples.map { .string($0.line) })),
              JSONMember("seeAlso", .array(seeAlso(path).map { .string($0) })),
            ])
          })),
      JSONMember("topics", .array(HelpTopic.all.map(\.json))),
    ])
  }
}

extension HelpTopic {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("name", .string(name)), JSONMember("summary", .string(summary)),
      JSONMember("text", .string(text)),
      JSONMember("seeAlso", .array(seeAlso.map { .string($0) })),
    ])
  }
}

extension Candidates {
  /// The possible values, if they are fixed words.
  fileprivate var json: JSONValue? {
    switch self {
    case .words(let words): .array(words.map { .string($0) })
    case .none, .files, .directories, .question: nil
    }
  }
}

extension AnyOption {
  fileprivate var json: JSONValue {
    var members = [JSONMember("name", .string(name)), JSONMember("help", .string(help))]
    if let short { members.append(JSONMember("short", .string(String(short)))) }
    if let placeholder { members.append(JSONMember("value", .string(placeholder))) }
    if let variable { members.append(JSONMember("variable", .string(variable))) }
    if let defaultText { members.append(JSONMember("default", .string(defaultText))) }
    if let choices = candidates.json { members.append(JSONMember("choices", choices)) }
    return .object(members)
  }
}

extension AnyOperand {
  fileprivate var json: JSONValue {
    var members = [
      JSONMember("name", .string(name)), JSONMember("usage", .string(usage)),
      JSONMember("help", .string(help)),
    ]
    if let choices = candidates.json { members.append(JSONMember("choices", choices)) }
    return .object(members)
  }
}
