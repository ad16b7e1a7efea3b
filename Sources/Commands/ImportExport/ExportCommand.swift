internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import FieldCodecs
internal import WireFormat

/// `ckdb export [TYPE] [PREDICATE]`
enum ExportCommand {
  static let type = Operand("TYPE", .type, .optional, "Record type (default: all)")
  static let predicate = Operand(
    "PREDICATE", .predicate, .optional, "Predicate (default: all records)")
  static let system = Flag("system", "Include change tags, dates and users")
  static let assets = Option(
    "assets", nil, .directory, "Write the contents of assets to this directory")
  static let output = Option(
    "output", "o", .file, default: "standard output", "File to write")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type), AnyOperand(predicate)],
      options: [AnyOption(system), AnyOption(assets), AnyOption(output)] + CoreDataOptions.all
        + PredicateOptions.all + OutputOptions.all,
      discussion: """
        Writes records sorted by zone and record name, fields by name, so that equal stores give \
        equal text. Values whose type plain JSON cannot represent are written as {"value", \
        "type"}, and an import restores the same records. Without -z all zones of the database are \
        written. The format is JSON Lines unless a format option or the output file's suffix names \
        another. With --core-data the records of Core Data's mirror are written as its objects, \
        with values from their assets, for 'import --core-data': those of its zone, or of one \
        named with -z, and without a predicate.
        """,
      examples: [
        .init("Export everything", "ckdb export -o backup.jsonl"),
        .init("Export some records of a type", "ckdb export Artwork 'year < 1800' --json"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    guard arguments[assets] != nil else { return try export(arguments, context) }
    try context.environment().holdingAssets { try export(arguments, context) }
  }

  private static func export(_ arguments: Arguments, _ context: Context) throws {
    let path = arguments[output].flatMap { $0 == "-" ? nil : $0 }
    let format = try TextFormat.of(path, context.settings)
    let database = try context.database()
    if arguments[CoreDataOptions.coreData] { try checkOptionsOfObjects(arguments) }
    guard let path else {
      let writer = try ExportWriter(arguments, context, database, format, context.output)
      try writer.run(printsResults: true)
      return try writer.damage.finish()
    }
    let writer = try OutputFile.write(path) { file in
      let target = ByteOutput(file)
      let writer = try ExportWriter(arguments, context, database, format, target)
      try writer.run(printsResults: false)
      target.flush()
      if let failure = target.failure { throw failure }
      return writer
    }
    context.report("wrote \(writer.count.counted("record")) to \(path)")
    try writer.damage.finish()
  }
}

extension ExportCommand {
  /// Throws `CommandError` for what objects cannot be combined with.
  fileprivate static func checkOptionsOfObjects(_ arguments: Arguments) throws {
    if arguments[predicate] != nil {
      throw CommandError("--core-data cannot be used with a predicate", .usage)
    }
    if arguments[assets] != nil {
      throw CommandError(
        "--core-data writes the contents of assets itself, without --assets", .usage)
    }
  }
}

/// A column of a csv or tsv export after the record's name.
private enum Column {
  case type
  case zone
  case parent
  case field(String)

  var title: String {
    switch self {
    case .type: "recordType"
    case .zone: "zone"
    case .parent: "parent"
    case .field(let name): name
    }
  }

  func text(_ record: Record) -> String? {
    switch self {
    case .type: record.type.text
    case .zone: record.zone.text
    case .parent: record.parent?.text
    case .field(let name): record.fields[FieldName(stored: name)]?.cellText
    }
  }
}

/// Writes the records of one export.
private final class ExportWriter {
  private let arguments: Arguments
  private let context: Context
  private let database: CloudDatabase
  private let format: TextFormat
  private let output: ByteOutput
  private let schemas: [RecordTypeSchema]
  private let types: [RecordType: [FieldName: FieldType]]
  private let assetsDirectory: String?
  private let writesSystem: Bool
  private var cells: CellWriter?
  private var columns: [Column] = []
  private let zones: [ZoneID]
  /// Shows the records as Core Data's objects.
  private let view: ObjectView?
  private(set) var count = 0
  private var progress: Progress?
  /// The damaged records, which are left out.
  let damage: DamageList
  /// The error of a record that could not be written: it stops the reading, and is thrown then.
  private var failure: (any Error)?

  init(
    _ arguments: Arguments, _ context: Context, _ database: CloudDatabase, _ format: TextFormat,
    _ output: ByteOutput
  ) throws {
    self.arguments = arguments
    self.context = context
    self.database = database
    self.format = format
    self.output = output
    damage = DamageList()
    view = try CoreDataOptions.view(arguments, context, database, damage)
    if let view {
      let name = arguments[ExportCommand.type]?.text
      schemas = name.map { view.entities(named: $0) } ?? view.entities
    } else if let type = arguments[ExportCommand.type] {
      schemas = [try SchemaFields.require(type, database.environment)]
    } else {
      schemas = try database.environment.appSchema().filter { $0.name != .share }
    }
    // An object does not say what is encrypted: its model does.
    types =
      view != nil
      ? [:]
      : Dictionary(
        schemas.map { ($0.name, $0.typesByField) }, uniquingKeysWith: { first, _ in first })
    zones =
      try view != nil
      ? [CoreDataOptions.zone(context, database.scope)]
      : context.namedZone().map { [$0] } ?? database.zones().map(\.id)
    assetsDirectory = arguments[ExportCommand.assets]
    writesSystem = arguments[ExportCommand.system]
  }

  /// Writes all records. `printsResults` says whether they go to standard output.
  func run(printsResults: Bool) throws {
    let isAll =
      arguments[ExportCommand.type] == nil && arguments[ExportCommand.predicate] == nil
      && view == nil
    let total = try isAll ? database.zones().filter { zones.contains($0.id) } : []
    try context.showingProgress(
      "export", total: isAll ? total.reduce(0) { $0 + Int64($1.recordCount) } : nil,
      printsResults: printsResults
    ) { progress in
      self.progress = progress
      defer { self.progress = nil }
      try run()
    }
  }

  private func run() throws {
    if let assetsDirectory { try FileSystem.makeDirectories(assetsDirectory) }
    try begin()
    try writeZones()
    if format == .json || format == .wire { output.line("]") }
  }

  private func begin() throws {
    let shown: OutputFormat = format == .csv ? .csv : format == .tsv ? .tsv : .json
    let separated = try OutputOptions.separated(arguments, shown)
    switch format {
    case .json, .wire: output.write("[")
    case .jsonl: break
    case .csv, .tsv:
      columns = try neededColumns()
      cells = CellWriter(
        context, shown, columns: ["recordName"] + columns.map(\.title), to: output, separated)
    case .propertyList:
      throw CommandError("records cannot be exported as a property list", .usage)
    }
  }

  /// The columns after the name: zone and parent only if some record needs them, the type only if
  /// none is named, as spreadsheets want a table of one type in one zone.
  private func neededColumns() throws -> [Column] {
    // An object of a sub-entity has another type than the one that is named.
    var columns: [Column] = arguments[ExportCommand.type] == nil || view != nil ? [.type] : []
    if view == nil {
      let extent = try database.extent(of: schemas.map(\.name), in: zones)
      let isNamed = try context.namedZone() != nil
      if !isNamed, extent.zones.contains(where: { !$0.isDefault }) { columns.append(.zone) }
      if extent.hasParents { columns.append(.parent) }
    }
    let fields = Set(schemas.flatMap { $0.fields.map(\.name.text) })
    // An object has no parent: the column is the property.
    let names = ["recordName", "recordType", "zone"] + (view == nil ? ["parent"] : [])
    let taken = names.first { fields.contains($0) }
    if let taken {
      throw CommandError(
        "column '\(taken)' would clash with the field of that name", .data,
        hint: "export as jsonl, which keeps them apart")
    }
    columns += fields.sorted(by: utf8Precedes).map { .field($0) }
    return columns
  }

  private func writeZones() throws {
    if let view {
      try view.list(arguments[ExportCommand.type]?.text, damaged: damage.note, write)
      if let failure { throw failure }
      return
    }
    if canUseViews { return try writeViews() }
    for zone in zones {
      try write(zone)
      if let failure { throw failure }
    }
  }

  private func writeViews() throws {
    let writer = RecordViewWriter(isExport: true)
    let pipe = RecordViewPipe { [output, format] view in
      if format == .json, !writer.isUnused { output.write(",\n ") }
      writer.append(view, to: &output.buffer)
      if format == .jsonl { output.buffer.append(0x0A) }
      output.spill()
      return output.isWanted
    }
    defer { pipe.finish() }
    for zone in zones {
      try database.view(arguments[ExportCommand.type], in: zone, damaged: damage.note) { view in
        if leavesOut(view.shape.schema.name) { return true }
        count += 1
        progress?.advance()
        return pipe.add(view)
      }
      try CommandError.checkInterrupt()
    }
  }

  private func write(_ zone: ZoneID) throws {
    let type = arguments[ExportCommand.type]
    guard let type, let text = arguments[ExportCommand.predicate] else {
      return try database.list(type, in: zone, damaged: damage.note, write)
    }
    var request = QueryRequest(type: type, predicate: try context.predicate(text, arguments))
    request.zone = zone
    request.sort = [SortKey("recordName")]
    request.isOrderOurs = true
    request.damaged = damage.note
    _ = try context.blaming(text) { try database.query(request, write) }
  }

  /// Whether records can be written directly from their stored form, which is several times faster.
  private var canUseViews: Bool {
    (format == .jsonl || format == .json) && !writesSystem && assetsDirectory == nil
      && arguments[ExportCommand.predicate] == nil
  }

  /// Whether to leave out a type. Shares are exported only by name: an import cannot save them, as
  /// they come with their participants.
  private func leavesOut(_ type: RecordType) -> Bool {
    type == .share && arguments[ExportCommand.type] == nil
  }

  private func write(_ record: Record) -> Bool {
    if leavesOut(record.type) { return true }
    // Written first: a program that reads the records through a pipe finds the assets.
    if let assetsDirectory {
      do { try writeAssets(of: record, to: assetsDirectory) } catch {
        failure = error
        return false
      }
    }
    count += 1
    progress?.advance()
    switch format {
    case .jsonl:
      output.buffer.append(
        exported: record, types: types[record.type] ?? [:], withSystem: writesSystem)
      output.buffer.append(0x0A)
    case .json:
      if count > 1 { output.write(",\n ") }
      output.buffer.append(
        exported: record, types: types[record.type] ?? [:], withSystem: writesSystem)
    case .wire:
      if count > 1 { output.write(",\n ") }
      output.buffer.append(wire: record, types: types[record.type] ?? [:])
    case .csv, .tsv:
      cells?.row([record.name.text] + columns.map { $0.text(record) })
    case .propertyList: break
    }
    output.spill()
    return !output.isBroken
  }

  private func writeAssets(of record: Record, to directory: String) throws {
    for entry in record.fields.entries {
      for asset in entry.value.assets {
        let path = directory + "/" + asset.sha256
        if FileSystem.size(of: path) == asset.size { continue }
        try OutputFile.write(path) { try database.environment.copy(asset, of: record, to: $0) }
      }
    }
  }
}
