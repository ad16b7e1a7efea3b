internal import CommandKit

/// The words before the one to complete, as far as they can be parsed.
struct CompletedLine {
  /// The rows that the next word may name; none once a verb is found.
  private var rows: [CommandRow<Context>]
  /// The command that the words name.
  private(set) var command: Command<Context>?
  /// The operands so far.
  private(set) var operands: [String] = []
  /// The option whose value comes next.
  private(set) var openOption: AnyOption?
  /// The global options among the words.
  private(set) var globals = Arguments()
  private var isEnded = false
  private var optionsGiven: [String] = []
  private let table: CommandTable<Context>

  init(_ words: [String], _ table: CommandTable<Context>) {
    self.table = table
    rows = table.rows
    var path: [String] = []
    var globalWords: [String] = []
    for word in words {
      if let option = openOption {
        if table.globals.contains(where: { $0.name == option.name }) {
          globalWords += ["--" + option.name, word]
        }
        openOption = nil
      } else if word == "--", !isEnded {
        isEnded = true
      } else if word.hasPrefix("-"), word.count > 1, !isEnded, !isRest {
        take(option: word)
        if openOption == nil, option(assignedBy: word) != nil { globalWords.append(word) }
      } else if command != nil {
        operands.append(word)
      } else if let row = rows.first(where: { $0.name == word }) {
        path.append(word)
        switch row.body {
        case .group(let make): rows = table.rows(path, make)
        case .verb(let make): command = table.command(path, make)
        }
      }
    }
    if case .nothing(let arguments)? = try? CommandLineParser.parse(globalWords, table) {
      globals = arguments
    }
  }

  private mutating func take(option word: String) {
    guard !word.contains("=") else { return }
    let option =
      word.hasPrefix("--")
      ? options.first { $0.name == word.dropFirst(2) } : options.first { $0.short == word.last }
    if let option { optionsGiven.append(option.name) }
    if let option, option.placeholder != nil { openOption = option }
  }

  /// Whether an option is given, as a word of its own.
  func has(_ option: String) -> Bool { optionsGiven.contains(option) }

  private var options: [AnyOption] {
    (command?.options ?? table.rootOptions) + table.globals
  }

  /// The long names of the options that may come here.
  var optionNames: [String] { options.map { "--" + $0.name } + ["--help"] }

  /// Whether the next words belong to another command line, as in `exec -- COMMAND`.
  var isRest: Bool { command?.takesRest == true && (isEnded || !operands.isEmpty) }

  /// The words of a ckdb command line within this one; nil if there is none.
  var innerWords: [String]? {
    guard isRest, let first = operands.first else { return nil }
    if first == table.program { return Array(operands.dropFirst()) }
    guard command?.operands.first?.candidates == .question("commandLine") else { return nil }
    // A leading number is the pause of `.watch`.
    return Double(first) == nil ? operands : Array(operands.dropFirst())
  }

  /// The option and the value of a word `--name=value`.
  func option(assignedBy word: String) -> (option: AnyOption, value: String)? {
    guard word.hasPrefix("--"), !isEnded, let equals = word.firstIndex(of: "=") else { return nil }
    let name = word[..<equals].dropFirst(2)
    guard let option = options.first(where: { $0.name == name && $0.placeholder != nil }) else {
      return nil
    }
    return (option, String(word[word.index(after: equals)...]))
  }

  /// The candidates for the next word.
  var candidates: Candidates {
    if let openOption { return openOption.candidates }
    guard let command else { return .words(rows.filter { !$0.isHidden }.map(\.name)) }
    let operand =
      command.operands.indices.contains(operands.count)
      ? command.operands[operands.count] : command.operands.last
    guard let operand else { return .none }
    let isLast = operands.count >= command.operands.count
    if isLast, operand.count == .one || operand.count == .optional { return .none }
    return operand.candidates
  }

  /// The description of a command or an option that may come next; nil for other words.
  func description(of word: String) -> String? {
    if word.hasPrefix("--"), !isRest {
      if word == "--help" { return "Explain the command" }
      return options.first { "--" + $0.name == word }?.help
    }
    return command == nil ? rows.first { $0.name == word }?.summary : nil
  }

  /// The operand that names a record type.
  var typeName: String? {
    guard let command else { return nil }
    if has("where") { return operands.first }
    if command.operands.first?.candidates == .question("assertion") {
      return operands.first == "query" ? operands.dropFirst().first : nil
    }
    for (operand, word) in zip(command.operands, operands) {
      switch operand.candidates {
      case .question("types"), .question("typesOrPredicate"): return word
      case .none, .words, .files, .directories, .question: continue
      }
    }
    return nil
  }
}
