internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage

extension Predicate {
  /// The comparisons that read the record.
  fileprivate var recordComparisons: [Comparison] {
    switch self {
    case .constant: []
    case .and(let parts, _), .or(let parts, _): parts.flatMap(\.recordComparisons)
    case .not(let part, _): part.recordComparisons
    case .comparison(let comparison): comparison.readsRecord ? [comparison] : []
    }
  }
}

extension Comparison {
  fileprivate var readsRecord: Bool {
    var reads = false
    Predicate.comparison(self).visit {
      switch $0 {
      case .key, .path, .record: reads = true
      case .value, .null, .untyped, .variable, .assignment, .aggregate, .distance, .function,
        .subquery, .conditional:
        break
      }
    }
    return reads
  }
}

/// `ckdb predicate check [TYPE] PREDICATE`
enum PredicateCheck {
  static let words = Operand(
    "[TYPE] PREDICATE",
    ValueKind<String>.text("PREDICATE", candidates: .question("typesOrPredicate")),
    .oneOrMore, "Record type, to check its schema too, and NSPredicate format string")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(words)], options: PredicateOptions.all,
      discussion: """
        Prints what CloudKit would reject, why, and an alternative: exit code 0 for an acceptable \
        predicate, 1 for a rejected one. What CloudKit may reject is a warning. With a type, its \
        fields and their declared indexes are checked, too. Without one, no store is needed, and a \
        line lists what could not be checked; with --strict the exit code is then 3.
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
        "too many arguments", .usage, hint: "usage: ckdb predicate check [TYPE] PREDICATE")
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
    if schema == nil { try showUnchecked(predicate, context) }
    if findings.contains(where: { $0.severity == .error }) { throw QuietExit(code: .no) }
    if schema == nil, context.settings.isSet(GlobalOptions.strict) {
      throw QuietExit(code: .partial)
    }
  }

  /// Reports the checks that need the type: whether a field is text or a list, fits the value, and
  /// has the index that CloudKit requires.
  private static func showUnchecked(_ predicate: Predicate, _ context: Context) throws {
    let parts = predicate.recordComparisons.map { Predicate.comparison($0).text }
    let what =
      parts.isEmpty
      ? "the index of recordName" : "the fields of \(parts.joined(separator: ", "))"
    let line = "not checked without TYPE: \(what)"
    if try context.format().isJSON {
      context.report(line)
    } else {
      context.output.line(line.visible)
    }
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
    let caret = CommandError.Caret(text: text, span: span)
    for line in caret.lines(width: context.outputWidth) { context.output.line(line) }
  }
}
