internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import Fixtures

/// `ckdb fixture …`
enum FixtureNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("load", "Load records from files", verb: { FixtureLoadCommand.command }),
    CommandRow("check", "Validate files without loading them", verb: { FixtureCheck.command }),
    CommandRow(
      "export", "Export the store as a fixture", verb: { FixtureExport.command }),
  ]
}

/// The options of commands that read fixtures.
enum FixtureOptions {
  static let paths = Operand(
    "PATH", .file, .oneOrMore, "Files or directories of fixtures; - is standard input")
  static let against = Option(
    "against", nil, ValueKind<String>.text("SCHEMA", candidates: .files),
    "Require this schema to cover everything: a file, development or production")
  static let allowed = Option(
    "allow-files", nil, .directory, takesMany: true,
    "Additional directory whose files a fixture may use")
  static let junit = Flag("junit", "Report findings as JUnit XML")

  /// The loader of the named files.
  static func loader(_ arguments: Arguments, _ context: Context) throws -> FixtureLoader {
    try FixtureLoader(
      arguments.all(paths), allowed: arguments.all(FixtureOptions.allowed), context)
  }

  /// The schema that `--against` names.
  static func target(
    _ arguments: Arguments, _ context: Context
  ) throws -> (schema: Schema, name: String)? {
    guard let name = arguments[against] else { return nil }
    if let environment = Environment(rawValue: name) {
      return (try context.environment(environment).fullSchema(), name)
    }
    return (try SchemaFile(name, context).schema, name)
  }
}

/// `ckdb fixture load PATH…`
enum FixtureLoadCommand {
  static let mode = Option(
    "mode", nil, ValueKind<FixtureLoad.Mode>.choice("MODE"), default: "upsert",
    "Existing records: clean, upsert, insert")
  static let notify = Flag("notify", "Fire subscriptions (off by default)")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(FixtureOptions.paths)],
      options: [
        AnyOption(mode), AnyOption(FixtureOptions.against), AnyOption(FixtureOptions.allowed),
        AnyOption(FixtureOptions.junit), AnyOption(notify),
      ],
      discussion: """
        Loads the records of fixtures in one transaction. If a record is invalid, nothing is \
        loaded, and every error is reported with file, line and column. Loading the same fixture \
        again changes nothing. --mode upsert replaces records of the same name; clean also deletes \
        all other records of the zones that the fixture names; insert refuses existing names with \
        other contents. A missing container is created. 'ckdb help fixtures' describes the files.
        """,
      examples: [
        .init("Load the records of a test", "ckdb fixture load fixtures/library.json"),
        .init(
          "Replace everything with the fixtures of a directory",
          "ckdb fixture load fixtures --mode clean --seed 7"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let store = try context.store()
    let loader = try FixtureOptions.loader(arguments, context)
    loader.mode = arguments[mode] ?? .upsert
    loader.notifies = arguments[notify]
    loader.target = try FixtureOptions.target(arguments, context)
    let summary = try loader.load(into: store, context)
    guard summary.faults.isEmpty else {
      let report = FixtureReport(faults: summary.faults, sources: loader.sources)
      throw try report.refusal(
        "nothing was loaded", of: "fixture load", asJUnit: arguments[FixtureOptions.junit], context)
    }
    if arguments[FixtureOptions.junit] {
      context.output.write(JUnitReport.text(suite: "fixture load", []))
    }
    context.report(summary.text)
  }
}

extension FixtureSummary {
  /// A one-line summary of the changes.
  var text: String {
    var text = "\(created) created, \(changed) changed, \(unchanged) unchanged"
    if deleted > 0 { text += ", \(deleted) deleted" }
    if createdZones > 0 { text += ", zones created: \(createdZones)" }
    if schemaChanges > 0 { text += ", schema changes: \(schemaChanges)" }
    return text
  }
}

/// `ckdb fixture check PATH…`
enum FixtureCheck {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(FixtureOptions.paths)],
      options: [
        AnyOption(FixtureLoadCommand.mode), AnyOption(FixtureOptions.against),
        AnyOption(FixtureOptions.allowed), AnyOption(FixtureOptions.junit),
      ],
      discussion: """
        Performs every check of 'fixture load' without changing anything, in the current container \
        or, without a store, in a temporary one: notation, labels, types, limits, zones, \
        references, assets, permissions. With "schema" in the fixture, all types and fields must \
        be in that schema; without it, new fields with names similar to existing ones are \
        reported. Every error is reported with file, line and column, and the exit code is 1.
        """,
      examples: [
        .init("Validate fixtures in CI", "ckdb fixture check fixtures --junit"),
        .init(
          "Validate against the production schema",
          "ckdb fixture check fixtures --against production.ckdb"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    // The store has the saved settings.
    let store = try context.storeIfAny()
    let loader = try FixtureOptions.loader(arguments, context)
    loader.isRehearsal = true
    loader.mode = arguments[FixtureLoadCommand.mode] ?? .upsert
    loader.target = try FixtureOptions.target(arguments, context)
    let summary =
      try store.map { try loader.load(into: $0, context) }
      ?? TemporaryStore.with(context) { try loader.load(into: $0, context) }
    let report = FixtureReport(faults: summary.faults, sources: loader.sources)
    try report.write(
      suite: "fixture check", asJUnit: arguments[FixtureOptions.junit], context,
      to: context.output)
    for slip in loader.slips { context.report(loader.text(of: slip)) }
    guard summary.faults.isEmpty else { throw QuietExit(code: .no) }
    context.report("no errors; a load would report: \(summary.text)")
  }
}
