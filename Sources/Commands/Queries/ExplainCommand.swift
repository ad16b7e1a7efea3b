internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage

/// `ckdb explain TYPE [PREDICATE]`
enum ExplainCommand {
  static let type = Operand("TYPE", .type, "Record type")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type), AnyOperand(QueryCommand.predicate)],
      options: [AnyOption(QueryCommand.sort), AnyOption(QueryCommand.near)]
        + PredicateOptions.all,
      discussion: """
        Prints how a query is interpreted, what CloudKit would reject, and how the store runs it: \
        the access path, the indexes used and created for it, the number of rows the first page \
        reads, the SQL and SQLite's plan, and whether ckdb filters the rows again. Nothing is \
        refused here, not even with --strict.
        """,
      examples: [
        .init(
          "Show the SQL and the indexes of a query",
          "ckdb explain Artwork \"year > 1800 OR title LIKE 'S*'\""),
        .init("Print the plan as JSON", "ckdb explain Artwork 'year > 1800' --json"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let database = try context.database()
    let text = arguments[QueryCommand.predicate] ?? "TRUEPREDICATE"
    try context.blaming(text) {
      var request = QueryRequest(
        type: arguments.required(type), predicate: try context.predicate(text, arguments))
      request.sort = QueryCommand.sortKeys(arguments)
      request.zone = try context.namedZone()
      request.isForCloudKit = false
      request.limit = Limits.queryPage
      var findings: [Finding] = []
      request.report = { findings = $0 }
      let plan = try database.plan(request)
      let explanation = Explanation(
        text: text, predicate: request.predicate, findings: findings, plan: plan)
      if try context.format().isJSON {
        context.output.line(explanation.json.text)
      } else {
        for line in explanation.lines(context.outputWidth) { context.output.line(line) }
      }
    }
  }
}

/// The explanation of a query.
private struct Explanation {
  let text: String
  let predicate: Predicate
  let findings: [Finding]
  let plan: QueryPlan

  func lines(_ width: Int?) -> [String] {
    var lines = ["predicate"] + predicate.tree.map { "  " + $0.visible }
    lines.append("findings")
    if findings.isEmpty { lines.append("  none: CloudKit would accept it") }
    for finding in findings {
      lines.append("  \(finding.severity.rawValue) \(finding.line)".visible)
      guard let span = finding.span else { continue }
      let caret = CommandError.Caret(text: text, span: span)
      lines += caret.lines(width: width.map { $0 - 2 }).map { "  " + $0 }
    }
    lines.append("plan")
    lines += plan.steps.map { "  " + $0.visible }
    lines.append(
      plan.isExact ? "  the SQL decides" : "  each record that the SQL returns is checked")
    lines += ["driver", "  " + driver.visible]
    lines.append("indexes")
    lines += plan.indexes.map { "  " + $0.visible + (plan.built.contains($0) ? " (new)" : "") }
    if plan.indexes.isEmpty { lines.append("  none") }
    lines += ["rows", "  \(plan.examined) examined to find \(plan.given)"]
    lines += ["sql", "  " + plan.sql.visible]
    lines += plan.bindings.enumerated().map { "  ?\($0 + 1) = \($1)".visible }
    return lines
  }

  private var driver: String {
    switch plan.driver {
    case .indexes(let names): names.joined(separator: ", ")
    case .names: "the records' names"
    case .scan: "every record of the type"
    }
  }

  var json: JSONValue {
    .object([
      JSONMember("predicate", .string(predicate.text)), JSONMember("tree", predicate.json),
      JSONMember("findings", .array(findings.map(\.json))),
      JSONMember("steps", .array(plan.steps.map { .string($0) })),
      JSONMember("driver", .string(driver)),
      JSONMember("indexes", .array(plan.indexes.map { .string($0) })),
      JSONMember("built", .array(plan.built.map { .string($0) })),
      JSONMember("examined", .int(Int64(plan.examined))),
      JSONMember("given", .int(Int64(plan.given))),
      JSONMember("isExact", .bool(plan.isExact)), JSONMember("sql", .string(plan.sql)),
      JSONMember("bindings", .array(plan.bindings.map { .string($0) })),
    ])
  }
}

extension Predicate {
  /// The predicate as lines, each level indented by two columns more.
  fileprivate var tree: [String] {
    switch self {
    case .constant, .comparison: [text]
    case .and(let parts, _): ["AND"] + parts.flatMap(\.tree).map { "  " + $0 }
    case .or(let parts, _): ["OR"] + parts.flatMap(\.tree).map { "  " + $0 }
    case .not(let part, _): ["NOT"] + part.tree.map { "  " + $0 }
    }
  }

  fileprivate var json: JSONValue {
    switch self {
    case .constant, .comparison: .string(text)
    case .and(let parts, _): .object([JSONMember("and", .array(parts.map(\.json)))])
    case .or(let parts, _): .object([JSONMember("or", .array(parts.map(\.json)))])
    case .not(let part, _): .object([JSONMember("not", part.json)])
    }
  }
}
