internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage

/// `ckdb predicate check [TYPE] PREDICATE`
enum PredicateCheck {
  static let words = Operand(
    "[TYPE] PREDICATE",
    ValueKind<String>.text("PREDICATE", candidates: .question("typesOrPredicate")),
    .oneOrMore, "Record type, to look at its schema too, and NSPredicate format string")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(words)], options: PredicateOptions.all,
      discussion: """
        Prints what CloudKit would reject, why, and an alternative: exit code 0 for an acceptable \
        predicate, 1 for a rejected one. What CloudKit may reject is a warning. With a type, its \
        fields and their declared indexes are checked, too; without one, no store is needed.
        """,
      examples: [
        .init(
          "Check the syntax of a predicate", "ckdb predicate check \"a == 1 OR b BEGINSWITH 'x'\""),
        .init(
          "Check a predicate against the schema", "ckdb predicate check Artwork \"title LIKE 'S*'\""
        ),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let words = arguments.all(words)
    guard let text = words.last, words.count <= 2 else {
      throw CommandError(
        "too many words", .usage, hint: "usage: ckdb predicate check [TYPE] PREDICATE")
    }
    let predicate = try context.predicate(text, arguments)
    let schema = try words.count == 2 ? schema(RecordType(words[0]), context) : nil
    if let schema, schema.name != .users {
      let givens = PredicateBinder.Givens(now: try context.request().now)
      do { _ = try PredicateBinder.bind(predicate, to: schema, givens) } catch {
        throw CommandError(error, in: text)
      }
    }
    let findings = QueryChecker.findings(predicate, schema: schema)
    if try context.format().isJSON {
      context.output.line(JSONValue.array(findings.map(\.json)).text)
    } else {
      for finding in findings { show(finding, text, context) }
    }
    if findings.contains(where: { $0.severity == .error }) { throw QuietExit(code: .no) }
  }

  private static func schema(
    _ type: RecordType, _ context: Context
  ) throws -> RecordTypeSchema {
    try SchemaFields.require(type, context.environment())
  }

  private static func show(_ finding: Finding, _ text: String, _ context: Context) {
    context.output.line(
      "\(finding.severity.rawValue) \(finding.code.rawValue): \(finding.message)".visible)
    if let remedy = finding.remedy { context.output.line("hint: \(remedy.hint.visible)") }
    guard let span = finding.span else { return }
    for line in CommandError.Caret(text: text, span: span).lines() { context.output.line(line) }
  }
}
