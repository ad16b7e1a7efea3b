internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb q [NAME [ARGUMENT…]]`, and `--save NAME` of a query: named queries, saved in the store.
enum NamedQueries {
  static let save = Option(
    "save", nil, .queryName, "Save the query under a name, for 'q NAME'")
  static let about = Option(
    "about", nil, ValueKind<String>.text("TEXT"), "With --save: what the query is for")
  private static let name = Operand("NAME", .queryName, .optional, "Name of a query")
  private static let values = Operand(
    "ARGUMENT", ValueKind<String>.text("ARGUMENT"), .any,
    "Values for %@ and %K, in order; more options of query after --")
  private static let delete = Flag("delete", "Delete the saved query")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name), AnyOperand(values)], options: [AnyOption(delete)],
      discussion: """
        Runs a query that 'query … --save NAME' has saved, with its options. Without NAME, lists \
        the saved queries.
        """,
      examples: [
        .init("Run a query with another value", "ckdb q since 1950"),
        .init("List the queries", "ckdb q"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let store = try context.store()
    guard let name = arguments[name] else { return try list(store, context) }
    guard let query = try store.queries().first(where: { $0.name == name }) else {
      let nearest = Suggestion.nearest(to: name, among: try store.queries().map(\.name))
      throw CommandError(
        "no saved query '\(name)'", .no, hint: nearest.map { "did you mean \($0)?" })
    }
    if arguments[delete] {
      try store.changeQueries { $0.removeAll { $0.name == name } }
      return context.report("deleted the query \(name)")
    }
    var words = query.words
    for value in arguments.all(values) { words += ["--argument", value] }
    let session = context.session
    let outer = session.baseArguments
    session.baseArguments = arguments.globals(session.table).after(outer)
    defer { session.baseArguments = outer }
    let code = session.runCommand(words) { _ in 0 }
    if code != 0 { throw QuietExit(code: ExitCode(rawValue: code) ?? .software) }
  }

  private static func list(_ store: CloudStore, _ context: Context) throws {
    let output = try RowOutput(context, noun: "query", columns: ["name", "query", "about"])
    for query in try store.queries() {
      output.row([
        .string(query.name), .string(query.words.map(\.shellWord).joined(separator: " ")),
        query.about.map { .string($0) } ?? .null,
      ])
    }
    output.finish()
  }

  /// Saves the query of the running command under the name of `--save`, if any, without the
  /// arguments of this run.
  static func keep(_ arguments: Arguments, _ context: Context) throws {
    guard let name = arguments[save] else { return }
    let dropped = [save.name, about.name, PredicateOptions.argument.name, QueryCommand.cursor.name]
    let words = context.session.words.droppingOptions(dropped)
    try context.store().changeQueries { queries in
      queries.removeAll { $0.name == name }
      queries.append(SavedQuery(name: name, words: words, about: arguments[about]))
    }
    context.report("saved the query \(name)")
  }
}

extension [String] {
  /// The words without some options and their values.
  fileprivate func droppingOptions(_ names: [String]) -> [String] {
    var kept: [String] = []
    var words = self[...]
    while let word = words.popFirst() {
      if names.contains(where: { word == "--" + $0 }) {
        words = words.dropFirst()
      } else if !names.contains(where: { word.hasPrefix("--\($0)=") }) {
        kept.append(word)
      }
    }
    return kept
  }
}

extension ValueKind where Value == String {
  /// The name of a query: letters, digits, `-` and `_`.
  fileprivate static let queryName = ValueKind<String>(
    "NAME", candidates: .question("queries")
  ) { (word) throws(ValueError) in
    guard !word.isEmpty, !word.hasPrefix("-"),
      word.utf8.allSatisfy({ $0.isIdentifierByte || $0 == UInt8(ascii: "-") })
    else {
      throw ValueError(
        "'\(word.visible)' is not a valid query name", hint: "use letters, digits, - and _")
    }
    return word
  }
}
