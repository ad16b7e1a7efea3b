internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// The commands that only the prompt has.
enum PromptRows {
  static let rows: [CommandRow<Context>] = [
    CommandRow("begin", "Begin a transaction", verb: { TransactionCommands.begin }),
    CommandRow("commit", "Commit the transaction", verb: { TransactionCommands.commit }),
    CommandRow("rollback", "Roll back the transaction", verb: { TransactionCommands.rollback }),
    CommandRow(".next", "Print the next page of the last query", verb: { next }),
    CommandRow(".watch", "Repeat a command until ^C", verb: { WatchCommand.command }),
    CommandRow(".tables", "List the record types with record counts", verb: { tables }),
    CommandRow(".format", "Set the output format of this session", verb: { format }),
    CommandRow(".output", "Write results to a file", verb: { output }),
    CommandRow(".pager", "Turn the pager on or off", verb: { pager }),
    CommandRow(".timer", "Turn the time of each command on or off", verb: { timer }),
    CommandRow(".read", "Run commands from a file", verb: { RunCommand.command }),
    CommandRow(".history", "Print the last lines of the history", verb: { history }),
    CommandRow(".edit", "Edit the last command and run it", verb: { EditCommand.command }),
    CommandRow(".help", "Explain a command or a topic", verb: { HelpCommand.command }),
    CommandRow(".quit", "Leave the prompt", verb: { Command { _, _ in } }),
  ]

  static var group: CommandGroup { CommandGroup("Prompt", rows.map(\.name)) }

  /// The prompt's state. Throws `CommandError` outside the prompt.
  static func state(_ context: Context) throws -> PromptState {
    if let state = context.session.prompt { return state }
    throw CommandError("this command only works at the prompt", .usage)
  }

  private static var next: Command<Context> {
    Command { _, context in
      let state = try state(context)
      guard let words = state.next else {
        throw CommandError("there is no next page", .no)
      }
      state.next = nil
      let code = context.session.runCommand(words) { _ in 0 }
      if code != 0 { throw QuietExit(code: ExitCode(rawValue: code) ?? .software) }
    }
  }

  private static var tables: Command<Context> {
    Command { _, context in
      let database = try context.database()
      let output = try RowOutput(context, noun: "type", columns: ["recordType", "records"])
      for schema in try context.environment().schema() {
        var request = QueryRequest(
          type: schema.name, predicate: try context.parse("TRUEPREDICATE"))
        request.zone = try context.namedZone()
        request.isForCloudKit = false
        request.meetsFaults = false
        let count = schema.name == .users ? nil : try? database.count(request)
        output.row([.string(schema.name.text), count.map { .int(Int64($0)) } ?? .null])
      }
      output.finish()
    }
  }

  // MARK: Settings of the session

  private static let automatic = "auto"

  private static let chosenFormat = Operand(
    "FORMAT",
    ValueKind<String>(
      "FORMAT", candidates: .words(OutputFormat.allCases.map(\.rawValue) + [automatic])
    ) { (word) throws(ValueError) in
      word == automatic ? word : try ValueKind<OutputFormat>.choice("FORMAT").parse(word).rawValue
    }, .optional, "Output format, or auto (default: print which)")

  private static var format: Command<Context> {
    Command(operands: [AnyOperand(chosenFormat)]) { arguments, context in
      let (session, name) = (context.session, GlobalOptions.format.name)
      guard let chosen = arguments[chosenFormat] else {
        return context.output.line(session.overrides[name] ?? automatic)
      }
      session.overrides[name] = chosen == automatic ? nil : chosen
    }
  }

  private static let file = Operand(
    "FILE", .file, .optional, "File for results, or stdout (default: print which)")

  private static var output: Command<Context> {
    Command(operands: [AnyOperand(file)]) { arguments, context in
      let session = context.session
      guard let path = arguments[file] else {
        return session.surroundings.errors.line(session.outputPath ?? "stdout")
      }
      try session.redirect(to: path == "stdout" ? nil : path)
    }
  }

  /// On or off.
  enum Switch: String, CaseIterable { case on, off }

  private static let isOn = Operand(
    "on|off", ValueKind<Switch>.choice("on|off"), .optional, "on or off (default: print which)")

  private static var pager: Command<Context> {
    Command(operands: [AnyOperand(isOn)]) { arguments, context in
      let state = try state(context)
      if arguments[isOn] == .on, state.pager == nil {
        throw CommandError(
          "no pager is set", .usage, hint: "set PAGER, or 'config set pager less' and start again")
      }
      if let choice = arguments[isOn] { return state.isPaged = choice == .on }
      context.output.line(state.isPaged ? state.pager.map { "on: \($0)" } ?? "off" : "off")
    }
  }

  private static var timer: Command<Context> {
    Command(operands: [AnyOperand(isOn)]) { arguments, context in
      let state = try state(context)
      if let choice = arguments[isOn] { return state.isTimed = choice == .on }
      context.output.line(state.isTimed.map { $0 ? "on" : "off" } ?? "for tables and long commands")
    }
  }

  private static let count = Operand(
    "N", ValueKind<Int>.count("N", atLeast: 1), .optional, "Number of lines (default: 20)")

  private static var history: Command<Context> {
    Command(operands: [AnyOperand(count)]) { arguments, context in
      let entries = try state(context).history?.entries() ?? []
      for entry in entries.suffix(arguments[count] ?? 20) {
        context.output.line(entry.visibleLines)
      }
    }
  }
}
