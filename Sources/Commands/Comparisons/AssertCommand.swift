internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import Fixtures

/// `ckdb assert PATH…`, and `ckdb assert query TYPE PREDICATE …`
enum AssertCommand {
  static let words = Operand(
    "PATH", ValueKind<String>.text("PATH", candidates: .question("assertion")), .oneOrMore,
    "Expected records; or: query TYPE [PREDICATE], notifications [FILE], kvs FILE")
  static let subset = Flag("subset", "Allow unexpected records and fields")
  static let ignore = Option(
    "ignore", nil, ValueKind<String>.text("FIELD,..."), repeats: true,
    "Ignore these fields: FIELD or TYPE.FIELD")
  static let count = Option(
    "count", nil, ValueKind<Int>.count("N", atLeast: 0), "With query and notifications: exactly N")
  static let names = Option(
    "names", nil, ValueKind<String>.text("NAME,..."), "With query: exactly these records match")
  static let none = Flag("none", "With query and notifications: none")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(words)],
      options: [
        AnyOption(subset), AnyOption(ignore), AnyOption(count), AnyOption(names),
        AnyOption(none), AnyOption(FixtureOptions.allowed), AnyOption(FixtureOptions.junit),
      ] + PredicateOptions.all,
      discussion: """
        Compares the store with fixtures: all records of the types and zones that they name, with \
        all their fields, or with --subset only what they name. The exit code is 1 if something \
        differs; each difference is printed with its record, its field, and the expected and \
        actual values. A value may be {"any": true}, {"approximately": 3.14, "within": 0.01}, \
        {"matches": "regular expression"} or the {"sha256": "..."} of an asset.

        'assert query' checks how many, or which, records match a predicate.

        'assert notifications' checks what the device of --device was sent: --count N, --none, or \
        FILE with objects as 'notification list --jsonl' prints them, in the same order. Only the \
        members that FILE names are compared.
        """,
      examples: [
        .init("Compare the store with the expected result of a test", "ckdb assert expected.json"),
        .init(
          "Compare only the expected fields and report to a CI system",
          "ckdb assert expected.json --subset --ignore modifiedAt --junit"),
        .init("Expect two matching books", "ckdb assert query Book 'pages > 300' --names b1,b7"),
        .init("Expect the keys of a file", "ckdb assert kvs keys.json --device phone"),
        .init("Expect no notification", "ckdb assert notifications --none --device phone"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let words = arguments.all(words)
    if words[0] == "notifications" {
      return try AssertNotifications.run(Array(words[1...]), arguments, context)
    }
    if words[0] == "kvs" {
      return try AssertKeyValues.run(Array(words[1...]), arguments, context)
    }
    if words[0] == "query" { return try AssertQuery.run(Array(words[1...]), arguments, context) }
    guard arguments[count] == nil, arguments[names] == nil, !arguments[none] else {
      throw CommandError(
        "--count, --names and --none need 'assert query' or 'assert notifications'", .usage)
    }
    let store = try context.store()
    let loader = try FixtureLoader(
      words, allowed: arguments.all(FixtureOptions.allowed), context)
    var options = ComparisonOptions()
    options.isSubset = arguments[subset]
    options.ignored = ignored(arguments)
    let result = try loader.compare(with: store, options, context)
    guard result.faults.isEmpty else {
      let report = FixtureReport(faults: result.faults, sources: loader.sources)
      throw try report.refusal(
        "nothing was compared", of: "assert", asJUnit: arguments[FixtureOptions.junit], context)
    }
    let report = try DifferenceReport(
      expected: "expected: " + words.joined(separator: " "), found: "found: store",
      suite: "assert", asJUnit: arguments[FixtureOptions.junit], context)
    report.sources = loader.sources
    for difference in result.differences { report.write(difference) }
    report.finish()
    guard result.differences.isEmpty else {
      context.report(result.differences.count.counted("difference"))
      throw QuietExit(code: .no)
    }
    context.report("\(result.recordCount.counted("record")) as expected")
  }

  /// The fields that `--ignore` names.
  static func ignored(_ arguments: Arguments) -> IgnoredFields {
    IgnoredFields(arguments.all(ignore).flatMap { $0.split(separator: ",").map(String.init) })
  }
}

/// `ckdb assert query TYPE PREDICATE --count N|--names A,B|--none`
enum AssertQuery {
  static func run(_ words: [String], _ arguments: Arguments, _ context: Context) throws {
    guard (1...2).contains(words.count) else {
      throw CommandError("'assert query' takes TYPE [PREDICATE]", .usage)
    }
    guard !arguments[AssertCommand.subset], arguments.all(AssertCommand.ignore).isEmpty else {
      throw CommandError("--subset and --ignore cannot be used with 'assert query'", .usage)
    }
    let expected = try expectation(arguments)
    let predicate = words.count == 2 ? words[1] : "TRUEPREDICATE"
    var request = QueryRequest(
      type: try RecordType(words[0]), predicate: try context.predicate(predicate, arguments))
    request.zone = try context.namedZone()
    request.isForCloudKit = false
    request.meetsFaults = false
    request.keys = []
    var found: [String] = []
    let database = try context.database().withoutNetwork()
    _ = try context.blaming(predicate) {
      try database.query(request) { record in
        found.append(record.name.text)
        return true
      }
    }
    found.sort(by: utf8Precedes)
    let isMet = expected.isMet(by: found)
    try report(expected, found, "\(words[0]) \(predicate)", isMet, arguments, context)
    guard isMet else { throw QuietExit(code: .no) }
    context.report("\(found.count.counted("record")) as expected")
  }

  private enum Expectation {
    case count(Int)
    case names([String])

    func isMet(by found: [String]) -> Bool {
      switch self {
      case .count(let count): found.count == count
      case .names(let names): Set(found) == Set(names)
      }
    }

    var json: JSONValue {
      switch self {
      case .count(let count): .int(Int64(count))
      case .names(let names): .array(names.map { .string($0) })
      }
    }
  }

  private static func expectation(_ arguments: Arguments) throws -> Expectation {
    var all: [Expectation] = []
    if let count = arguments[AssertCommand.count] { all.append(.count(count)) }
    if let names = arguments[AssertCommand.names] {
      all.append(
        .names(names.split(separator: ",").map(String.init).sorted(by: utf8Precedes)))
    }
    if arguments[AssertCommand.none] { all.append(.count(0)) }
    guard all.count == 1 else {
      throw CommandError(
        "'assert query' needs one of --count, --names or --none", .usage)
    }
    return all[0]
  }

  private static func report(
    _ expected: Expectation, _ found: [String], _ query: String, _ isMet: Bool,
    _ arguments: Arguments, _ context: Context
  ) throws {
    let names = JSONValue.array(found.map { .string($0) })
    let lines = lines(expected, found)
    if arguments[FixtureOptions.junit] {
      let failure = JUnitReport.Failure(
        kind: "query", subject: query,
        message: "expected \(expected.json.text), found \(found.count)",
        details: lines.joined(separator: "\n"))
      return context.output.write(
        JUnitReport.text(suite: "assert query", isMet ? [] : [failure]))
    }
    if context.settings.explicitFormat != nil {
      let rows = try RowOutput(
        context, noun: "query", columns: ["query", "isMet", "expected", "count", "found"])
      rows.row([
        .string(query), .bool(isMet), expected.json, .int(Int64(found.count)), names,
      ])
      return rows.finish()
    }
    if isMet { return }
    context.output.line("--- expected: \(query)".visible)
    context.output.line("+++ found: store")
    for line in lines { context.output.line(line.visible) }
  }

  private static func lines(_ expected: Expectation, _ found: [String]) -> [String] {
    switch expected {
    case .count(let count):
      return ["-count: \(count)", "+count: \(found.count)"] + found.prefix(20).map { "+\($0)" }
    case .names(let names):
      return names.filter { !found.contains($0) }.map { "-\($0)" }
        + found.filter { !names.contains($0) }.map { "+\($0)" }
    }
  }
}
