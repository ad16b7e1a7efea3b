internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// What may stand at the last word of a line: for the shells' scripts and for the prompt.
struct Completer {
  let session: Session
  /// More names than a person looks through.
  private static let mostNames = 200

  init(_ session: Session) { self.session = session }

  /// What the last word may become.
  enum Answer {
    /// One of these, which begin as it does, in order.
    case words([String])
    /// The name of a file.
    case files
  }

  /// What the last of some words may become.
  func answer(for words: [String]) -> Answer {
    let current = words.last ?? ""
    let line = Line(Array(words.dropLast()), session.table)
    switch candidates(line, current) {
    case .none: return .words([])
    case .files, .directories: return .files
    case .words(let words): return .words(words.filter { $0.hasPrefix(current) })
    case .question(let question):
      let names = (try? answer(question, line, current)) ?? []
      return .words(names.filter { $0.hasPrefix(current) })
    }
  }

  private func candidates(_ line: Line, _ current: String) -> Candidates {
    if let option = line.openOption { return option.candidates }
    guard let command = line.command else {
      if current.hasPrefix("-") { return options(line) }
      return .words(line.rows.filter { !$0.isHidden }.map(\.name))
    }
    let place = line.operandCount
    if command.takesRest, place > 0 { return .files }
    if current.hasPrefix("-") { return options(line) }
    let operands = command.operands
    guard let operand = place < operands.count ? operands[place] : operands.last else {
      return .none
    }
    if place >= operands.count, operand.count == .one || operand.count == .optional {
      return .none
    }
    return operand.candidates
  }

  private func options(_ line: Line) -> Candidates {
    .words(line.options.map { "--" + $0.name } + ["--help"])
  }

  /// Asks the store; it is only read, and whatever fails gives no candidates.
  private func answer(_ question: String, _ line: Line, _ current: String) throws -> [String] {
    if question == "commands" {
      return session.table.rows.filter { !$0.isHidden }.map(\.name) + HelpTopic.names
    }
    let context = Context(session, line.globals)
    switch question {
    case "containers": return try context.store().containers().map(\.text)
    case "snapshots": return try context.store().snapshots().map(\.name.text)
    case "zones": return try context.database().zones().map(\.id.text)
    case "types": return try context.environment().schema().map(\.name.text)
    case "fields": return try fields(line, context)
    case "names":
      return try context.database().names(
        beginningWith: current, in: context.zone(), atMost: Self.mostNames
      ).map(\.text)
    default: return []
    }
  }

  private func fields(_ line: Line, _ context: Context) throws -> [String] {
    let schemas = try context.environment().schema()
    let named = schemas.filter { line.words.contains($0.name.text) }
    let names = Set((named.isEmpty ? schemas : named).flatMap { $0.fields.map(\.name.text) })
    return names.sorted(by: utf8Precedes)
  }

  /// The line before the last word, as far as it can be understood.
  private struct Line {
    var rows: [CommandRow<Context>]
    var command: Command<Context>?
    var operandCount = 0
    var openOption: AnyOption?
    var words: [String]
    var globals = Arguments()
    private let table: CommandTable<Context>

    init(_ words: [String], _ table: CommandTable<Context>) {
      self.words = words
      self.table = table
      rows = table.rows
      var path: [String] = []
      var globalWords: [String] = []
      for word in words {
        if let option = openOption {
          globalWords += ["--" + option.name, word]
          openOption = nil
        } else if word.hasPrefix("-"), word.count > 1 {
          take(option: word)
        } else if command != nil {
          operandCount += 1
        } else if let row = rows.first(where: { $0.name == word }) {
          path.append(word)
          switch row.body {
          case .group(let make): rows = table.rows(path, make)
          case .verb(let make): command = table.command(path, make)
          }
        }
      }
      if case .nothing(let arguments)? = try? CommandLineParser.parse(
        globalWords.filter { _ in true }, table)
      {
        globals = arguments
      }
    }

    var options: [AnyOption] { (command?.options ?? []) + table.globals }

    private mutating func take(option word: String) {
      guard !word.contains("=") else { return }
      let option =
        word.hasPrefix("--")
        ? options.first { $0.name == word.dropFirst(2) }
        : options.first { $0.short == word.last }
      if let option, option.placeholder != nil { openOption = option }
    }
  }
}
