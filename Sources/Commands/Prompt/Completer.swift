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

  /// The candidates that begin as the last word does, in order.
  func candidates(for words: [String]) -> [String] {
    let current = words.last ?? ""
    let before = Array(words.dropLast())
    let line = Line(before, session.table)
    return possible(line, current).filter { $0.hasPrefix(current) }
  }

  private func possible(_ line: Line, _ current: String) -> [String] {
    if let option = line.openOption { return answers(option.candidates, line, current) }
    if current.hasPrefix("-") { return line.options.map { "--" + $0.name } + ["--help"] }
    guard let command = line.command else {
      return line.rows.filter { !$0.isHidden }.map(\.name)
    }
    let place = line.operandCount
    let operands = command.operands
    guard let operand = place < operands.count ? operands[place] : operands.last else { return [] }
    if place >= operands.count, operand.count == .one || operand.count == .optional { return [] }
    return answers(operand.candidates, line, current)
  }

  private func answers(
    _ candidates: Candidates, _ line: Line, _ current: String
  ) -> [String] {
    switch candidates {
    case .none, .files, .directories: return []
    case .words(let words): return words
    case .question(let question): return (try? answer(question, line, current)) ?? []
    }
  }

  /// Asks the store; it is only read, and whatever fails gives no candidates.
  private func answer(_ question: String, _ line: Line, _ current: String) throws -> [String] {
    if question == "commands" {
      return session.table.rows.filter { !$0.isHidden }.map(\.name) + HelpTopic.all.map(\.name)
    }
    let context = Context(session, line.globals)
    switch question {
    case "containers": return try context.store().containers().map(\.text)
    case "snapshots": return try context.store().snapshots().map(\.name.text)
    case "zones": return try context.database().zones().map(\.name.text)
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
