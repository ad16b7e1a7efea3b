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
        Topics: \(topics). 'rules' lists the rules of CloudKit and of ckdb; with ids it explains \
        these and their parts.
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
    if let text = table.help(path, isFull: !path.isEmpty, width: width) {
      context.output.write(text)
      if path.isEmpty {
        context.output.line("Topics: \(topics)")
      }
      return
    }
    if path.first == "rules" {
      return try RuleCatalog.show(Array(path.dropFirst()), context, width: width)
    }
    if path.count == 1, let topic = HelpTopic.all.first(where: { $0.name == path[0] }) {
      return context.output.line(topic.text.wrapped(width, indent: 0))
    }
    // Words behind a command, as in 'help changes zone': its help has them.
    if path.count > 1, let text = table.help(Array(path.dropLast()), isFull: true, width: width),
      table.find(Array(path.dropLast())).rows == nil
    {
      return context.output.write(text)
    }
    let names = table.rows.map(\.name) + HelpTopic.names
    let nearest = Suggestion.nearest(to: path.last ?? "", among: names)
    throw CommandError(
      "no help for '\(path.joined(separator: " "))'", .usage,
      hint: nearest.map { "did you mean \($0)?" })
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
        "commands",
        .array(
          allVerbs().filter { !$0.row.isHidden }.map { path, row, command in
            .object([
              JSONMember("path", .array(path.map { .string($0) })),
              JSONMember("summary", .string(row.summary)),
              JSONMember("usage", .string(usage(path, command))),
              JSONMember("operands", .array(command.operands.map(\.json))),
              JSONMember("options", .array(command.options.map(\.json))),
              JSONMember("examples", .array(command.examples.map { .string($0.line) })),
            ])
          })),
    ])
  }
}

extension AnyOption {
  fileprivate var json: JSONValue {
    var members = [JSONMember("name", .string(name)), JSONMember("help", .string(help))]
    if let short { members.append(JSONMember("short", .string(String(short)))) }
    if let placeholder { members.append(JSONMember("value", .string(placeholder))) }
    if let variable { members.append(JSONMember("variable", .string(variable))) }
    if let defaultText { members.append(JSONMember("default", .string(defaultText))) }
    return .object(members)
  }
}

extension AnyOperand {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("name", .string(name)), JSONMember("usage", .string(usage)),
      JSONMember("help", .string(help)),
    ])
  }
}
