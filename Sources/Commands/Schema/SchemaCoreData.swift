internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import CoreDataModel
internal import SchemaLanguage

/// `ckdb schema core-data MODEL`
enum SchemaCoreData {
  static let model = Operand(
    "MODEL", .file, "Core Data model: .xcdatamodeld, .xcdatamodel or its contents")
  static let output = Option("output", "o", .file, "Write to this file atomically")
  static let shape = Option(
    "shape", nil, ValueKind<MirroredModel.Shape>.choice("SHAPE"), default: "initialize",
    "initialize: as initializeCloudKitSchema; just-in-time: as running the app")
  static let isPublic = Flag("public", "Add the indexes that the public database needs")
  static let check = Flag("check", "Report what keeps the model from being mirrored")
  static let against = Option(
    "against", nil, ValueKind<String>.text("SCHEMA", candidates: .files),
    "With --check: also report what this schema file, development or production lacks")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(model)],
      options: [
        AnyOption(ModelDocument.version), AnyOption(ModelDocument.configuration),
        AnyOption(shape), AnyOption(isPublic), AnyOption(output), AnyOption(check),
        AnyOption(against),
      ],
      discussion: """
        Prints the CloudKit schema that NSPersistentCloudKitContainer creates from a Core Data \
        model, in Apple's schema language: a record type CD_ENTITY for each root entity, a field \
        CD_PROPERTY for each attribute and to-one relationship, and CDMR for the links of \
        many-to-many relationships. Needs no Mac, no account and no store. With --check it \
        reports, with file, line and column, what keeps the model from being mirrored, in Core \
        Data's words, and with --against what a schema lacks: companions (_ckAsset) and move \
        receipts are only warnings, as not every app needs them. The exit code is 1 if there are \
        errors.
        """,
      examples: [
        .init(
          "Write the schema of a model", "ckdb schema core-data Shop.xcdatamodeld -o shop.ckdb"),
        .init(
          "Catch a schema that was never deployed",
          "ckdb schema core-data Shop.xcdatamodeld --check --against production.ckdb"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    try requireFitting(arguments)
    let document = try ModelDocument(
      arguments.required(model), version: arguments[ModelDocument.version])
    let configuration = arguments[ModelDocument.configuration]
    let mirror = try document.mirror(configuration: configuration)
    if arguments[check] {
      let findings = document.findings(
        in: mirror, configuration: configuration, isPublic: arguments[isPublic], context)
      return try check(document, mirror, findings, arguments, context)
    }
    for conflict in mirror.conflicts {
      context.warn("\(document.path):\(conflict.position.text): left out: \(conflict.message)")
    }
    document.warn(
      MirroringChecker.findings(in: mirror, isPublic: arguments[isPublic]), context)
    let schema = mirror.schema(arguments[shape] ?? .initialize, isPublic: arguments[isPublic])
    let text = SchemaPrinter.text(schema)
    guard let path = arguments[output] else { return context.output.write(text) }
    try OutputFile.write(path) { try $0.writeAll(Array(text.utf8)) }
    context.report("wrote \(schema.types.count.counted("record type")) to \(path)")
  }

  /// Throws `CommandError` for options that cannot be combined.
  private static func requireFitting(_ arguments: Arguments) throws {
    if arguments[against] != nil, !arguments[check] {
      throw CommandError("--against needs --check", .usage)
    }
    guard arguments[check] else { return }
    for name in [output.name, shape.name] where arguments.has(name) {
      throw CommandError("--\(name) cannot be used with --check", .usage)
    }
  }

  // MARK: Checking

  private static func check(
    _ document: ModelDocument, _ mirror: MirroredModel, _ findings: [MirroringFinding],
    _ arguments: Arguments, _ context: Context
  ) throws {
    var lines = findings.map { Line($0, of: document.path) }
    if let target = arguments[against] {
      var checker = SchemaChecker(try SchemaFile.schema(target, context), named: target)
      checker.check(mirror, isPublic: arguments[isPublic], in: document.path)
      lines += checker.faults().map(Line.init)
    }
    try show(lines, context)
    guard lines.allSatisfy(\.isWarning) else { throw QuietExit(code: .no) }
    let target = arguments[against].map { target in
      lines.isEmpty
        ? ", and \(target) has everything" : ": no errors, \(lines.count.counted("warning"))"
    }
    context.report("the model can be mirrored\(target ?? "")")
  }

  /// A finding, of either kind.
  private struct Line {
    let code: String
    let isWarning: Bool
    let severity: String
    let file: String
    let position: TextPosition?
    var (entity, property): (String?, String?) = (nil, nil)
    var (recordType, field): (String?, String?) = (nil, nil)
    let message: String
    var (remedy, missing): (String?, String?) = (nil, nil)

    init(_ finding: MirroringFinding, of file: String) {
      (code, isWarning, severity, self.file) = (finding.rule.code, false, "error", file)
      (position, message) = (finding.position, finding.message)
      (entity, property) = (finding.entity, finding.property)
      remedy = finding.rule.remedy
    }

    init(_ fault: SchemaFault) {
      (code, isWarning, severity) = (fault.code.rawValue, fault.isWarning, fault.severity)
      file = fault.source
      (position, message) = (fault.position, fault.sentence)
      (recordType, field) = (fault.type, fault.field)
      missing = fault.missing
    }

    var columns: [JSONValue] {
      func value(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
      return [
        .string(code), .string(severity), .string(file),
        position.map { .int(Int64($0.line)) } ?? .null,
        position.map { .int(Int64($0.column)) } ?? .null,
        value(entity), value(property), value(recordType), value(field), .string(message),
        value(remedy), value(missing),
      ]
    }

    static let names = [
      "code", "severity", "file", "line", "column", "entity", "property", "recordType", "field",
      "message", "remedy", "missing",
    ]
  }

  private static func show(_ lines: [Line], _ context: Context) throws {
    guard context.settings.explicitFormat == nil else {
      let output = try RowOutput(context, noun: "finding", columns: Line.names)
      for line in lines { output.row(line.columns) }
      return output.finish()
    }
    for line in lines {
      let place = line.file + (line.position.map { ":\($0.text)" } ?? "")
      context.output.line("\(place): \(line.severity): \(line.message)".visible)
      if let remedy = line.remedy { context.output.line("  fix: \(remedy)".visible) }
      if let missing = line.missing { context.output.line("  add: \(missing)".visible) }
    }
  }
}
