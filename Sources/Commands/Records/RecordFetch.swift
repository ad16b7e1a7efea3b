internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb record fetch NAME…`
enum RecordFetch {
  static let names = Operand("NAME", .record, .oneOrMore, "Name of a record")
  static let qualified = Flag(
    "qualified", "Names are NAME@ZONE, from any zones of the database")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(names)],
      options: [
        AnyOption(FieldsOption.fields), AnyOption(qualified), AnyOption(Expansion.expand),
      ] + OutputOptions.all,
      discussion: """
        Fetches records from the zone of -z, with --qualified each from its own zone. If a single \
        name is missing, the exit code is 1; of several names, the existing records are printed, \
        and the exit code is 3.
        """,
      examples: [
        .init("Fetch a record as JSON", "ckdb record fetch A00001 --json"),
        .init(
          "Show a record with its artist", "ckdb record fetch A00001 -f line --expand artist"),
        .init("Print one value", "ckdb record fetch A00001 --fields title -f raw"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let names = arguments.all(names)
    let database = try context.database()
    let chosen = arguments[FieldsOption.fields]
    let keys = chosen.map(FieldsOption.keys)
    let results =
      try arguments[qualified]
      ? names.map { try fetch(qualified: $0.text, keys, database) }
      : database.fetch(names, in: context.zone(), keys: keys)
    var records: [Record] = []
    var failures: [CloudError] = []
    for result in results {
      switch result {
      case .record(let record): records.append(record)
      case .failure(let error): failures.append(error)
      }
    }
    if results.count == 1, var error = failures.first {
      if error.code == .unknownItem {
        let places = Whereabouts(database: database, zone: try context.zone())
        error.remedy =
          places.record(names[0]).map { .advice($0) }
          ?? places.similarName(to: names[0]).map { .similarName($0) } ?? error.remedy
      }
      throw error
    }
    let format = try context.format()
    let isExpanding = !arguments.all(Expansion.expand).isEmpty
    let isNeeded = format.needsSchema || (chosen != nil || isExpanding) && !records.isEmpty
    let schema = try isNeeded ? Self.schema(of: records, database) : []
    if isNeeded { try FieldsOption.check(chosen, of: schema) }
    let expansion = try Expansion(arguments, records, schema, format, database)
    var layout = RecordOutput.Layout(allOf: schema, chosen: chosen)
    if context.settings.isSet(GlobalOptions.verbose) { layout = layout.withSystemKeys() }
    let output = try RecordOutput(
      context, arguments, layout, as: format, expanding: expansion)
    for record in records { output.write(record) }
    output.finish()
    if !failures.isEmpty {
      throw CommandError(partial: failures, "Failed to fetch some records")
    }
  }

  /// Fetches a record by `NAME@ZONE`; the zone follows the last `@`.
  private static func fetch(
    qualified name: String, _ keys: [FieldName]?, _ database: CloudDatabase
  ) throws -> FetchResult {
    guard let mark = name.lastIndex(of: "@") else {
      throw CommandError("'\(name.visible)' does not name a zone", .usage, hint: "write NAME@ZONE")
    }
    let zone = try ZoneID(String(name[name.index(after: mark)...]))
    let record = try RecordName(String(name[..<mark]))
    do {
      return try database.fetch([record], in: zone, keys: keys).first
        ?? .failure(.recordNotFound(record))
    } catch {
      guard error.code == .zoneNotFound else { throw error }
      return .failure(error)
    }
  }

  private static func schema(
    of records: [Record], _ database: CloudDatabase
  ) throws -> [RecordTypeSchema] {
    let types = Set(records.map(\.type)).sorted { utf8Precedes($0.text, $1.text) }
    return try types.compactMap { try database.environment.knownSchema(of: $0) }
  }
}

/// `--fields a,b`
enum FieldsOption {
  static let fields = Option(
    "fields", nil,
    ValueKind<[String]>("FIELDS", candidates: .question("fieldLists")) {
      (word) throws(ValueError) in
      word.split(separator: ",").map(String.init)
    }, "Print these fields only, separated by commas")

  /// Throws `CloudError` for a name that is neither a field of the types nor a system key.
  static func check(_ chosen: [String]?, of types: [RecordTypeSchema]) throws(CloudError) {
    for name in chosen ?? [] where SystemKey(name) == nil && name != "recordType" {
      if types.contains(where: { $0.field(name) != nil }) { continue }
      let known =
        types.flatMap { $0.fields.map(\.name.key) } + SystemKey.allCases.map(\.rawValue)
        + ["recordType"]
      let types = types.map(\.name.text).sorted(by: utf8Precedes).joined(separator: ", ")
      throw CloudError(
        .invalidArguments, "Did not find field: '\(name)' in type: '\(types)'",
        serverCode: 2015,
        remedy: .nearest(to: name, among: known) ?? "ckdb schema fields TYPE lists the fields")
    }
  }

  /// The fields to read for the chosen columns; system keys are always there.
  static func keys(_ chosen: [String]) -> [FieldName] {
    chosen.filter { SystemKey($0) == nil }.map { FieldName(key: $0) }
  }
}
