internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb record fetch NAME…`
enum RecordFetch {
  static let names = Operand("NAME", .record, .oneOrMore, "Name of a record")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(names)], options: [AnyOption(FieldsOption.fields)] + OutputOptions.all,
      discussion: """
        Records are looked for in the zone of -z. One name that is missing gives exit code 1; of \
        several, those that are there are printed, and the exit code is 3.
        """,
      examples: [
        .init("Fetch a record as JSON", "ckdb record fetch A00001 --json"),
        .init("Print one value", "ckdb record fetch A00001 --fields title -f raw"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let names = arguments.all(names)
    let database = try context.database()
    let chosen = arguments[FieldsOption.fields]
    let results = try database.fetch(names, in: context.zone(), keys: chosen.map(FieldsOption.keys))
    var records: [Record] = []
    var failures: [CloudError] = []
    for result in results {
      switch result {
      case .record(let record): records.append(record)
      case .failure(let error): failures.append(error)
      }
    }
    if results.count == 1, let error = failures.first { throw error }
    let format = try context.settings.format()
    let schema = try needsSchema(format) ? Self.schema(of: records, database) : []
    let output = try RecordOutput(
      context, arguments, .init(allOf: schema, chosen: chosen), as: format)
    for record in records { output.write(record) }
    output.finish()
    if !failures.isEmpty {
      throw CommandError(partial: failures, "Failed to fetch some records")
    }
  }

  private static func needsSchema(_ format: OutputFormat) -> Bool {
    switch format {
    case .json, .jsonl, .page, .names, .raw: false
    case .table, .line, .wire, .csv, .tsv: true
    }
  }

  private static func schema(
    of records: [Record], _ database: CloudDatabase
  ) throws -> [RecordTypeSchema] {
    let types = Set(records.map(\.type)).sorted { utf8Precedes($0.text, $1.text) }
    return try types.compactMap { try database.environment.schema(of: $0) }
  }
}

/// `--fields a,b`
enum FieldsOption {
  static let fields = Option(
    "fields", nil,
    ValueKind<[String]>("FIELDS", candidates: .question("fields")) { (word) throws(ValueError) in
      word.split(separator: ",").map(String.init)
    }, "Print these fields only, separated by commas")

  /// The fields to read for the chosen columns; system keys are always there.
  static func keys(_ chosen: [String]) -> [FieldName] {
    chosen.filter { SystemKey($0) == nil }.map { FieldName(stored: $0) }
  }
}
