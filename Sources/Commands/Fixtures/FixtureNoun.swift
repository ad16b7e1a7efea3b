internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb fixture …`
enum FixtureNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("load", "Load records from files", verb: { FixtureLoadCommand.command }),
    CommandRow("check", "Check files without loading them", verb: { FixtureCheck.command }),
    CommandRow(
      "export", "Write what is in the store as a fixture", verb: { FixtureExport.command }),
  ]
}

/// The options of commands that read fixtures.
enum FixtureOptions {
  static let paths = Operand(
    "PATH", .file, .oneOrMore, "Files or directories of fixtures; - is standard input")
  static let against = Option(
    "against", nil, ValueKind<String>.text("SCHEMA", candidates: .files),
    "Schema that has to have all of it: a file, development or production")
  static let junit = Flag("junit", "Print what is wrong as JUnit XML")

  /// What loads the files that are named.
  static func loader(_ arguments: Arguments, _ context: Context) throws -> FixtureLoader {
    try FixtureLoader(
      arguments.all(paths), allowed: arguments.all(FixtureFolders.option), context)
  }

  /// A schema that an option names.
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
    "clean, upsert, insert: what becomes of records that are there")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(FixtureOptions.paths)],
      options: [
        AnyOption(mode), AnyOption(FixtureOptions.against), AnyOption(FixtureFolders.option),
        AnyOption(FixtureOptions.junit),
      ],
      discussion: """
        Brings the records of fixtures into the store, in one transaction: all of them, or nothing \
        when something is wrong with one, and then everything that is wrong is told with file, \
        line and column. The same again changes nothing. With --mode upsert, records of the \
        fixture's names become what it says; clean also removes all others from the zones that \
        it names; insert refuses names that are there with other contents. A container that is \
        missing is made. 'ckdb help fixtures' shows what stands in the files.
        """,
      examples: [
        .init("Load what a test needs", "ckdb fixture load fixtures/library.json"),
        .init(
          "Begin anew from a directory", "ckdb fixture load fixtures --mode clean --seed 7"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let store = try context.store()
    let loader = try FixtureOptions.loader(arguments, context)
    loader.mode = arguments[mode] ?? .upsert
    loader.target = try FixtureOptions.target(arguments, context)
    let summary = try loader.load(into: store)
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
  /// What was done, in one line.
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
        AnyOption(FixtureFolders.option), AnyOption(FixtureOptions.junit),
      ],
      discussion: """
        Does all that 'fixture load' does before it changes something, in the current container \
        or, where there is no store, in a new one that nobody sees: notation, labels, types, \
        limits, zones, references, assets, permissions. Everything that is wrong is told with \
        file, line and column; the exit code is 1 then.
        """,
      examples: [
        .init("Let CI look at fixtures", "ckdb fixture check fixtures --junit"),
        .init(
          "Compare them with production's schema",
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
      try store.map { try loader.load(into: $0) }
      ?? TemporaryStore.with(context) { try loader.load(into: $0) }
    let report = FixtureReport(faults: summary.faults, sources: loader.sources)
    try report.write(
      suite: "fixture check", asJUnit: arguments[FixtureOptions.junit], context,
      to: context.output)
    guard summary.faults.isEmpty else { throw QuietExit(code: .no) }
    context.report("nothing is wrong: \(summary.text)")
  }
}
