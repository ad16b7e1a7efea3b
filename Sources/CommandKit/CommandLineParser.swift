internal import Basics

/// A parsed command line.
public enum Invocation<Context> {
  /// Runs a command.
  case run(Command<Context>, Arguments, path: [String])
  /// Shows the help of a path: brief (`-h`) or full (`--help`).
  case help(path: [String], isFull: Bool)
  /// Only options, without a command.
  case nothing(Arguments)
}

/// An invalid command line.
public struct UsageError: Error, Sendable {
  /// The problem, as a sentence without the period.
  public let message: String
  /// How to fix it.
  public let hint: String?
  /// The command words that were parsed before the error.
  public let path: [String]
  /// The error of the rule that rejects a value, if the command line itself is valid.
  public var refusal: (any Error)?
}

/// Parses words with a command table.
///
/// Options may appear anywhere, `--` ends them, `--name=value` and `--name value` are the same,
/// short flags may be bundled, `-` is an operand; some options take all words up to the next.
public struct CommandLineParser<Context> {
  private let table: CommandTable<Context>
  private var words: ArraySlice<String>
  private var path: [String] = []
  private var rows: [CommandRow<Context>]
  private var command: Command<Context>?
  private var arguments = Arguments()
  private var operandWords: [String] = []
  private var helpWanted: Bool?
  private var optionsEnded = false

  /// Parses the words after the program's name.
  public static func parse(
    _ words: [String], _ table: CommandTable<Context>
  ) throws(UsageError) -> Invocation<Context> {
    var parser = CommandLineParser(table: table, words: words[...], rows: table.rows)
    return try parser.parse()
  }

  private init(
    table: CommandTable<Context>, words: ArraySlice<String>, rows: [CommandRow<Context>]
  ) {
    self.table = table
    self.words = words
    self.rows = rows
  }

  private func error(_ message: String, hint: String? = nil) -> UsageError {
    UsageError(message: message, hint: hint, path: path)
  }

  private func refused(_ name: String, _ fault: ValueError) -> UsageError {
    var refused = error("\(name): \(fault.message)", hint: fault.hint)
    refused.refusal = fault.refusal
    return refused
  }

  private mutating func parse() throws(UsageError) -> Invocation<Context> {
    while let word = words.popFirst() {
      if optionsEnded || !word.hasPrefix("-") || word == "-" {
        try take(word)
      } else if word == "--" {
        optionsEnded = true
      } else if word.hasPrefix("--") {
        try takeLong(word.dropFirst(2))
      } else {
        try takeShort(word.dropFirst())
      }
    }
    if let isFull = helpWanted { return .help(path: path, isFull: isFull) }
    guard let command else { return try incomplete() }
    try assignOperands(command)
    return .run(command, arguments, path: path)
  }

  private func incomplete() throws(UsageError) -> Invocation<Context> {
    if path.isEmpty { return .nothing(arguments) }
    let verbs = rows.filter { !$0.isHidden }.map(\.name).joined(separator: ", ")
    throw error("'\(path.joined(separator: " "))' needs a verb: \(verbs)")
  }

  // MARK: Words

  private mutating func take(_ word: String) throws(UsageError) {
    if let command {
      operandWords.append(word)
      if command.takesRest { optionsEnded = true }
      return
    }
    guard let row = table.row(word, among: rows) else { throw unknownCommand(word) }
    path.append(word)
    switch row.body {
    case .group(let make): rows = table.rows(path, make)
    case .verb(let make): command = table.command(path, make)
    }
  }

  private func unknownCommand(_ word: String) -> UsageError {
    let names = rows.filter { !$0.isHidden }.map(\.name)
    let meant = table.synonyms[word.lowercased()]?.first { phrase in
      names.contains { phrase == $0 || phrase.hasPrefix($0 + " ") }
    }
    let nearest = meant ?? Suggestion.nearest(to: word, among: names)
    let what = path.isEmpty ? "command" : "verb of \(path.joined(separator: " "))"
    return error(
      "unknown \(what) '\(word.visible)'",
      hint: nearest.map { "did you mean \($0)?" }
        ?? (path.isEmpty
          ? "ckdb help lists the commands" : "verbs are \(names.joined(separator: ", "))"))
  }

  // MARK: Options

  private func option(where isWanted: (AnyOption) -> Bool) -> AnyOption? {
    if path.isEmpty, let option = table.rootOptions.first(where: isWanted) { return option }
    return command?.options.first(where: isWanted) ?? table.globals.first(where: isWanted)
  }

  private mutating func takeLong(_ text: Substring) throws(UsageError) {
    let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
    let name = String(text[..<(equals ?? text.endIndex)])
    let given = equals.map { String(text[text.utf8.index(after: $0)...]) }
    if name == "help" {
      guard given == nil else { throw error("--help takes no value") }
      helpWanted = true
      return
    }
    guard let option = option(where: { $0.name == name }) else { throw unknownOption("--" + name) }
    if option.placeholder == nil {
      guard given == nil else { throw error("--\(name) takes no value") }
      arguments.options.append(.init(name: name, value: true))
      return
    }
    let value: String
    if let given { value = given } else { value = try next("--" + name, option) }
    try set(option, value, as: "--" + name)
    while option.takesMany, let word = words.first, !word.hasPrefix("-") || word == "-" {
      words.removeFirst()
      try set(option, word, as: "--" + name)
    }
  }

  private mutating func takeShort(_ text: Substring) throws(UsageError) {
    var letters = text
    while let letter = letters.popFirst() {
      if letter == "h", option(where: { $0.short == "h" }) == nil {
        helpWanted = helpWanted ?? false
        continue
      }
      guard let option = option(where: { $0.short == letter }) else {
        throw unknownOption("-\(letter)")
      }
      if option.placeholder == nil {
        arguments.options.append(.init(name: option.name, value: true))
        continue
      }
      let rest = letters.first == "=" ? letters.dropFirst() : letters
      let value = letters.isEmpty ? try next("-\(letter)", option) : String(rest)
      return try set(option, value, as: "-\(letter)")
    }
  }

  private mutating func next(
    _ name: @autoclosure () -> String, _ option: AnyOption
  ) throws(UsageError) -> String {
    guard let word = words.popFirst() else {
      throw error("\(name()) needs a value: \(option.placeholder ?? "")")
    }
    return word
  }

  private mutating func set(
    _ option: AnyOption, _ word: String, as name: @autoclosure () -> String
  ) throws(UsageError) {
    if !option.repeats, arguments.has(option.name) { throw error("\(name()) is given twice") }
    do throws(ValueError) {
      arguments.options.append(
        .init(name: option.name, value: try option.parse(word), word: word))
    } catch let fault {
      throw refused(name(), fault)
    }
  }

  private func unknownOption(_ name: String) -> UsageError {
    let known = (command?.options ?? (path.isEmpty ? table.rootOptions : [])) + table.globals
    let names = known.map { "--" + $0.name } + ["--help"]
    // All options begin with dashes, which must not count as similarity.
    let nearest =
      name.hasPrefix("--")
      ? Suggestion.nearest(
        to: String(name.dropFirst(2)), among: names.map { String($0.dropFirst(2)) }
      )
      .map { "--" + $0 } : nil
    let line = (["ckdb"] + path).joined(separator: " ")
    return error(
      "unknown option '\(name.visible)'",
      hint: meaning(of: name, among: names) ?? nearest.map { "did you mean \($0)?" }
        ?? hint(for: name, line))
  }

  /// What an option of other tools is here: an option, or an operand of the command.
  private func meaning(of name: String, among names: [String]) -> String? {
    for meaning in table.synonyms[name] ?? [] {
      if names.contains(meaning) { return "did you mean \(meaning)?" }
      if command?.operands.contains(where: { $0.name == meaning }) == true {
        return "write the \(meaning) without an option: \(table.usage(path, command))"
      }
    }
    return nil
  }

  private func hint(for name: String, _ line: String) -> String {
    if command?.takesRest == true { return "write -- before the command" }
    let isNumber = name.dropFirst().first.map { ("0"..."9").contains($0) } ?? false
    return isNumber
      ? "write -- before the first word that begins with '-' and is not an option"
      : "'\(line) --help' lists the options"
  }

  // MARK: Operands

  private mutating func assignOperands(_ command: Command<Context>) throws(UsageError) {
    var left = operandWords[...]
    for operand in command.operands {
      switch operand.count {
      case .one, .optional:
        guard let word = left.popFirst() else {
          if operand.count == .one { throw missing(operand) }
          continue
        }
        try set(operand, word)
      case .oneOrMore, .any:
        if left.isEmpty, operand.count == .oneOrMore { throw missing(operand) }
        while let word = left.popFirst() { try set(operand, word) }
      }
    }
    if let word = left.first {
      throw error(
        "unexpected argument '\(word.visible)'", hint: quotingHint(command) ?? usageHint)
    }
  }

  /// The advice to quote the last operand, if a shell may have split it.
  private func quotingHint(_ command: Command<Context>) -> String? {
    guard let last = command.operands.last, last.isPhrase else { return nil }
    return "put \(last.name) in quotes: a shell splits it at blanks"
  }

  private var usageHint: String { "usage: \(table.usage(path, command))" }

  private func missing(_ operand: AnyOperand) -> UsageError {
    // An option that takes many words may have taken those of the command, too.
    let hint = command?.takesRest == true ? "write -- before the command; \(usageHint)" : usageHint
    return error("\(operand.name) is missing", hint: hint)
  }

  private mutating func set(_ operand: AnyOperand, _ word: String) throws(UsageError) {
    do throws(ValueError) {
      arguments.operands.append(.init(name: operand.name, value: try operand.parse(word)))
    } catch let fault {
      throw refused(operand.name, fault)
    }
  }
}
