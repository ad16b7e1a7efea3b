internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage
internal import WireFormat

/// `ckdb query TYPE [PREDICATE]`
enum QueryCommand {
  static let type = Operand("TYPE", .type, .optional, "Record type")
  static let predicate = Operand(
    "PREDICATE", .predicate, .optional,
    "NSPredicate format string (default: TRUEPREDICATE)")
  static let sort = Option(
    "sort", nil, .sort, "Sort by comma-separated fields; -FIELD sorts descending")
  static let near = Option("near", nil, .near, "Sort by distance from a location")
  static let limit = Option(
    "limit", nil, ValueKind<Int>.count("N", atLeast: 1),
    default: "100 in a table on a terminal, with --cursor and in a page; else all",
    "Print at most N records")
  static let cursor = Option("cursor", nil, .cursor, "Continue at a cursor")
  static let all = Flag("all", "Print all records instead of one page")
  static let count = Flag("count", "Print only the number of matching records")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type), AnyOperand(predicate)],
      options: [
        AnyOption(sort), AnyOption(near), AnyOption(limit), AnyOption(cursor), AnyOption(all),
        AnyOption(count), AnyOption(FieldsOption.fields), AnyOption(FacetOutput.facet),
        AnyOption(Expansion.expand), AnyOption(NamedQueries.save), AnyOption(NamedQueries.about),
      ] + PredicateOptions.all + OutputOptions.all,
      discussion: """
        Predicates are NSPredicate format strings, in the full language. ref('name'), \
        date('2024-05-01') and location(51.5, -0.12) are literals; \
        distanceToLocation:fromLocation:(field, location) is in metres. What CloudKit would reject \
        is a warning, and an error with --strict. Without -z the query covers all zones of the \
        database. A pipe or a file receives all matching records, a table on a terminal the first \
        100. If there are more records than the limit, the cursor of the next page goes to \
        standard error.
        """,
      examples: [
        .init(
          "Find studies, newest acquisition first",
          "ckdb query Artwork \"title BEGINSWITH 'Study'\" --sort -acquisitionYear,title"),
        .init(
          "Count by a member of a list", "ckdb query Artwork \"subjects CONTAINS 'dog'\" --count"),
        .init(
          "Count by the values of a field", "ckdb query Artwork --facet medium --limit 10"),
        .init(
          "Save a query under a name",
          "ckdb query Artwork 'year > %@' --argument 1900 --save since"),
        .init(
          "Find nearby places, nearest first",
          "ckdb query City \"distanceToLocation:fromLocation:(place, location(51.5,-0.12)) < 20000\" --near place=51.5,-0.12"
        ),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    if arguments[NamedQueries.about] != nil, arguments[NamedQueries.save] == nil {
      throw CommandError("--about needs --save", .usage)
    }
    if arguments[count], arguments[FacetOutput.facet] != nil {
      throw CommandError("--count cannot be used with --facet", .usage)
    }
    let database = try context.database()
    let text = arguments[predicate] ?? "TRUEPREDICATE"
    try context.blaming(arguments[cursor]?.predicate ?? text) {
      var request = try self.request(arguments, text, context, database)
      // Indexes that the query needs are built before the report; then results may be printed.
      let display = ProgressDisplay(context, printsResults: false)
      let progress = Progress("query", total: nil, .records, position: nil, display)
      defer { progress.end() }
      request.report = { findings in
        progress.end()
        guard arguments[cursor] == nil else { return }
        context.report(findings, in: text, isOmitted: arguments[predicate] == nil)
      }
      if arguments[count] {
        let count = try database.count(request)
        context.output.line(String(count))
        if count == 0 { reportWhereabouts(request, context, database) }
      } else if let field = arguments[FacetOutput.facet] {
        try FacetOutput.print(field, of: request, context, database)
      } else {
        try print(request, arguments, context, database)
      }
      try NamedQueries.keep(arguments, context)
    }
  }

  // MARK: Request

  private static func request(
    _ arguments: Arguments, _ text: String, _ context: Context, _ database: CloudDatabase
  ) throws -> QueryRequest {
    var request: QueryRequest
    if let cursor = arguments[cursor] {
      request = try database.continuing(cursor, named: naming(arguments, text, context))
    } else {
      guard let type = arguments[type] else {
        throw CommandError("TYPE is missing", .usage, hint: "usage: ckdb query TYPE [PREDICATE]")
      }
      request = QueryRequest(
        type: type, predicate: try context.predicate(text, arguments))
      request.sort = sortKeys(arguments)
      request.zone = try context.namedZone()
    }
    if arguments[all], arguments[limit] != nil {
      throw CommandError("--all cannot be used with --limit", .usage)
    }
    request.limit = try arguments[limit] ?? usualLimit(arguments, context)
    request.keys = arguments[FieldsOption.fields].map(FieldsOption.keys)
    return request
  }

  /// The default limit: one page for text on a terminal, for the page format and after a cursor.
  private static func usualLimit(_ arguments: Arguments, _ context: Context) throws -> Int? {
    if arguments[all] { return nil }
    let format = try context.format()
    let isPage =
      format == .page || format.isForPeople && context.surroundings.outputIsTerminal
    return isPage || arguments[cursor] != nil ? Limits.queryPage : nil
  }

  static func sortKeys(_ arguments: Arguments) -> [SortKey] {
    (arguments[near].map { [$0] } ?? []) + (arguments[sort] ?? [])
  }

  /// The query that the command line names, which must be the cursor's.
  private static func naming(
    _ arguments: Arguments, _ text: String, _ context: Context
  ) throws -> QueryNaming {
    var naming = QueryNaming()
    naming.type = arguments[type]
    naming.sort = sortKeys(arguments)
    naming.zone = try context.namedZone()
    if arguments[predicate] != nil { naming.predicate = try context.predicate(text, arguments) }
    return naming
  }

  // MARK: Results

  private static func print(
    _ request: QueryRequest, _ arguments: Arguments, _ context: Context,
    _ database: CloudDatabase
  ) throws {
    let schema = try database.environment.schema(of: request.type).map { [$0] } ?? []
    if !schema.isEmpty { try FieldsOption.check(arguments[FieldsOption.fields], of: schema) }
    let layout = RecordOutput.Layout(allOf: schema, chosen: arguments[FieldsOption.fields])
    let damage = DamageList()
    var request = request
    request.damaged = damage.note
    if !arguments.all(Expansion.expand).isEmpty {
      try expand(request, layout, schema, arguments, context, database)
      return try damage.finish()
    }
    let output = try RecordOutput(context, arguments, layout)
    let cursor = try database.query(request, viewing: output.viewer) { record in
      output.write(record)
      return !context.output.isBroken
    }
    let text = cursor?.text
    output.finish(cursor: text)
    if output.count == 0 { reportWhereabouts(request, context, database) }
    if let text, try context.format() != .page { report(cursor: text, context) }
    try damage.finish()
  }

  /// Prints the matching records with the fields of the records that they refer to, which are
  /// fetched once all matches are known.
  private static func expand(
    _ request: QueryRequest, _ layout: RecordOutput.Layout, _ schema: [RecordTypeSchema],
    _ arguments: Arguments, _ context: Context, _ database: CloudDatabase
  ) throws {
    var request = request
    request.keys = request.keys.map {
      $0 + arguments.all(Expansion.expand).map(FieldName.init(key:))
    }
    var records: [Record] = []
    let cursor = try database.query(request) { record in
      records.append(record)
      return true
    }
    let expansion = try Expansion(arguments, records, schema, context.format(), database)
    let output = try RecordOutput(context, arguments, layout, expanding: expansion)
    for record in records { output.write(record) }
    output.finish(cursor: cursor?.text)
    if let cursor { report(cursor: cursor.text, context) }
  }

  /// Says where a type has its records if it has none in the place of a query.
  private static func reportWhereabouts(
    _ request: QueryRequest, _ context: Context, _ database: CloudDatabase
  ) {
    let places = Whereabouts(database: database, zone: request.zone)
    if let text = places.account() { context.report(text) }
    if let text = places.records(of: request.type) { context.report(text) }
  }

  private static func report(cursor: String, _ context: Context) {
    if let prompt = context.session.prompt {
      prompt.next = words(context.session.words, continuingAt: cursor)
      return
    }
    // 150 characters are too many for a terminal.
    let isShort =
      context.surroundings.errorsAreTerminal && !context.settings.isSet(GlobalOptions.verbose)
    context.report(
      isShort
        ? "more: --all prints everything, -v the cursor of the next page" : "cursor: \(cursor)")
  }

  /// The words of a query that continues at a cursor.
  private static func words(_ words: [String], continuingAt cursor: String) -> [String] {
    var words = words
    if let place = words.firstIndex(of: "--" + Self.cursor.name) {
      words.removeSubrange(place...min(place + 1, words.count - 1))
    }
    return words.filter { !$0.hasPrefix("--\(Self.cursor.name)=") } + ["--cursor=\(cursor)"]
  }
}
