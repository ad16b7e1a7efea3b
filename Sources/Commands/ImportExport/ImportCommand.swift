internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension Context {
  /// Reports that shares among the records were skipped.
  func reportSkipped(shares count: Int) {
    if count == 0 { return }
    report("\(count.counted("share")) skipped: create shares with 'ckdb share create'")
  }
}

/// `ckdb import [TYPE] FILE`
enum ImportCommand {
  static let words = Operand(
    "[TYPE] FILE", ValueKind<String>.text("FILE", candidates: .files), .oneOrMore,
    "Default record type, and the file; - is standard input")
  static let types = Option(
    "type", nil, .fieldType, repeats: true, "Convert the values of a field to a type")
  static let nameField = Option(
    "name-field", nil, ValueKind<String>.text("FIELD"), "Take record names from a field")
  static let keepName = Flag("keep-name", "Also store the field of --name-field")
  static let renames = Option(
    "rename", nil, .rename, repeats: true, "Store a field under another name")
  static let drops = Option(
    "drop", nil, ValueKind<String>.text("FIELD"), repeats: true, "Skip a field")
  static let locations = Option(
    "location", nil, .locationFields, repeats: true, "Combine two fields into a location")
  static let references = Option(
    "reference", nil, .referenceField, repeats: true,
    "Convert strings or integers of a field to references")
  static let policy = Option(
    "policy", nil, ValueKind<SavePolicy>.choice("POLICY"), default: "unchanged",
    "Save policy for existing records: unchanged, changed, all")
  static let atomic = Flag("atomic", "Import nothing if a record is invalid (default)")
  static let noAtomic = Flag("no-atomic", "Import the valid records, report the others")
  static let noCreateZones = Flag("no-create-zones", "Fail if a custom zone does not exist")
  static let dryRun = Flag("dry-run", "Report what would happen without importing")
  static let mismatch = Option(
    "mismatch", nil, ValueKind<MismatchChoice>.choice("WHAT"), default: "error",
    "Values that do not fit their field: error, null")
  static let duplicates = Option(
    "duplicates", nil, ValueKind<DuplicatesChoice>.choice("WHAT"), default: "first",
    "Records with the same name: keep the first, or error")
  static let noNotify = Flag("no-notify", "Send no notifications")
  static let assets = Option("assets", nil, .directory, "Directory with the contents of assets")

  /// The values of `--mismatch`.
  enum MismatchChoice: String, CaseIterable, Sendable {
    case error
    case null
  }

  /// The values of `--duplicates`.
  enum DuplicatesChoice: String, CaseIterable, Sendable {
    case first
    case error
  }

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(words)],
      options: [
        AnyOption(types), AnyOption(nameField), AnyOption(keepName), AnyOption(renames),
        AnyOption(drops), AnyOption(locations), AnyOption(references), AnyOption(policy),
        AnyOption(atomic), AnyOption(noAtomic), AnyOption(noCreateZones), AnyOption(dryRun),
        AnyOption(mismatch), AnyOption(duplicates), AnyOption(assets), AnyOption(noNotify),
        AnyOption(CoreDataOptions.importing), AnyOption(CoreDataOptions.modelOfImport),
      ],
      discussion: """
        Reads JSON Lines, JSON, CSV, TSV, property lists or the Web Services form, as given by a \
        format option, else the file's suffix, else JSON Lines. An object with a 'fields' key is a \
        record as export writes it, any other object is the fields themselves. Pages of queries \
        and changes, and answers and requests of Web Services, are read as their records; deleted \
        records that do not exist are counted. A new field takes the type of its first value. \
        Existing equal records are skipped; the same name with different contents is a conflict \
        without --policy changed. A record that repeats the name of an earlier one in the file is \
        skipped and counted. Errors are listed with file, line and column, and nothing is \
        imported; naming a field that no record has in an option is an error, too. With \
        --core-data the records are Core Data's objects, as 'export --core-data' writes them: they \
        are saved as NSPersistentCloudKitContainer would, in its zone unless -z names another.
        """,
      examples: [
        .init("Import a table of artists", "ckdb import Artist artists.jsonl --name-field id"),
        .init(
          "Import places",
          "ckdb import City cities.csv --location place=latitude,longitude -d public"),
        .init(
          "Seed the mirror of a Core Data store",
          "ckdb import products.jsonl --core-data --model Shop.xcdatamodeld"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let words = arguments.all(words)
    guard words.count <= 2 else {
      throw CommandError("unexpected argument '\(words[2])'", .usage)
    }
    let path = words[words.count - 1]
    let mirror = try CoreDataOptions.mirrorOfImport(arguments)
    var options = try options(arguments, context, type: words.count == 2 ? words[0] : nil)
    if mirror != nil {
      options.zone = try CoreDataOptions.zone(context, context.settings.scope())
    }
    let file = path == "-" ? context.surroundings.input : try FileHandle(open: path, O_RDONLY)
    if try file.state().isDirectory {
      throw SystemError("read", path, number: EISDIR)
    }
    let format = try TextFormat.of(path, context.settings)
    let source = DraftSource(
      file, format, DraftTransform(arguments),
      schemas: try mirror?.importedSchemas ?? context.environment().appSchema(), type: options.type)
    let database =
      try arguments[noNotify] ? context.database().silent() : context.database()
    let size = try file.state().isRegular ? file.state().size : nil
    let descriptor = file.descriptor
    let summary = try context.showingProgress(
      "import", total: size, .bytes, position: { FileHandle.position(of: descriptor) }
    ) { progress in
      try database.importing(options) { [options] importer in
        let objects = mirror.map { ObjectImporter($0, importer) }
        let layouts = objects == nil ? importer.layouts : ImportLayouts(defaultType: nil)
        try source.read(preparing: layouts) { item, batch in
          try objects?.add(item, of: batch, source.reread)
            ?? importer.add(item, of: batch, source.reread)
          progress.advance()
          return importer.summary.faults.count < 20 || !options.isAtomic
        }
        try objects?.finish()
        guard importer.summary.faults.isEmpty || !options.isAtomic else { return }
        for field in try source.requireOptionsUsed() {
          context.report("--drop: no record has a field '\(field.visible)'")
        }
      }
    }
    try report(summary, options, context, database, name: path == "-" ? "-" : path)
  }

  private static func options(
    _ arguments: Arguments, _ context: Context, type: String?
  ) throws -> ImportOptions {
    if arguments[keepName], arguments[nameField] == nil {
      throw CommandError("--keep-name needs --name-field", .usage)
    }
    if arguments[CoreDataOptions.importing], arguments[assets] != nil {
      throw CommandError("--assets cannot be used with --core-data", .usage)
    }
    if arguments[atomic], arguments[noAtomic] {
      throw CommandError("--atomic cannot be used with --no-atomic", .usage)
    }
    var options = ImportOptions()
    options.type = try type.map { try RecordType($0) }
    options.zone = try context.zone()
    options.policy = arguments[policy] ?? .unchanged
    options.isAtomic = !arguments[noAtomic]
    options.createsZones = !arguments[noCreateZones]
    options.dropsMismatches = arguments[mismatch] == .null
    options.refusesDuplicates = arguments[duplicates] == .error
    options.isStrict = context.settings.isSet(GlobalOptions.strict)
    options.isRehearsal = arguments[dryRun]
    options.assetsDirectory = arguments[assets]
    return options
  }

  private static func report(
    _ summary: ImportSummary, _ options: ImportOptions, _ context: Context,
    _ database: CloudDatabase, name: String
  ) throws {
    if !summary.faults.isEmpty, options.isAtomic {
      throw error(summary.faults, name, "nothing was imported", options)
    }
    context.report(summary.notices)
    var text =
      "\(summary.created) created, \(summary.changed) changed, \(summary.unchanged) unchanged"
    if summary.createdZones > 0 { text += ", zones created: \(summary.createdZones)" }
    if summary.gone > 0 { text += ", deleted before: \(summary.gone)" }
    if summary.droppedValues > 0 { text += ", values left out: \(summary.droppedValues)" }
    if let first = summary.firstSkipped {
      let earlier = first.earlier.map { "line \($0)" } ?? "an earlier record"
      text +=
        summary.skipped == 1
        ? ", 1 skipped: its name repeats \(earlier)"
        : ", \(summary.skipped) skipped: their names repeat earlier ones"
      context.warn(
        "\(name):\(first.position.text): skipped '\(first.name.text.visible)', which repeats "
          + "\(earlier) with different contents"
          + (summary.skipped > 1 ? " (and \(summary.skipped - 1) more)" : "")
          + "; CloudKit would refuse it")
    }
    context.report(options.isRehearsal ? text + " (dry run)" : text)
    context.reportSkipped(shares: summary.shares)
    if !summary.faults.isEmpty {
      var error = error(summary.faults, name, "some records were not imported", options)
      error.exitCode = .partial
      throw error
    }
  }

  private static func error(
    _ faults: [ImportFault], _ name: String, _ text: String, _ options: ImportOptions
  ) -> CommandError {
    var error = CommandError(text, .data)
    let codes = Set(faults.map(\.error.exitCode))
    if codes.count == 1, let code = codes.first { error.exitCode = code }
    error.items = faults.prefix(20).map { fault in
      let record = fault.error.recordName.map { "\($0): " } ?? ""
      return "\(name):\(fault.position.text): \(record)\(fault.error.message)"
    }
    if faults.count > 20 { error.items.append("and \(faults.count - 20) more") }
    error.hint = faults.first?.error.advising(.policy).hint
    var cloud = faults.count == 1 ? faults[0].error : CloudError(.partialFailure, text)
    if faults.count > 1 { cloud.items = faults.map(\.error) }
    error.cloud = cloud
    return error
  }
}
