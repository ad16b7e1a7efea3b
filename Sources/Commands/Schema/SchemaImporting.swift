internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import SchemaLanguage

/// `ckdb schema export`
enum SchemaExport {
  static let output = Option(
    "output", "o", .file, "Write to this file atomically")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(output)],
      discussion: """
        Writes the schema of the environment in Apple's schema language, byte for byte as \
        cktool export-schema lays it out.
        """,
      examples: [
        .init("Save the schema for the repository", "ckdb schema export --output schema.ckdb"),
        .init("Print the production schema", "ckdb schema export -e production"),
      ]
    ) { arguments, context in
      let text = SchemaPrinter.text(try context.environment().fullSchema())
      guard let path = arguments[output] else {
        return context.output.write(text)
      }
      try OutputFile.write(path) { try $0.writeAll(Array(text.utf8)) }
      context.report("wrote \(path)")
    }
  }
}

/// `ckdb schema import FILE`
enum SchemaImport {
  static let file = Operand("FILE", .file, "Schema file; - is standard input")
  static let validate = Flag("validate", "Validate the file without importing it")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(file)], options: [AnyOption(validate)],
      discussion: """
        Replaces the development schema with that of a file, completely or not at all: types and \
        fields that the file leaves out are deleted with their records and values, after a \
        confirmation. What production has cannot be deleted, and an encrypted field cannot become \
        a plain one or the reverse. CloudKit's own types stay even if the file leaves them out. \
        With --validate nothing changes, and the changes are printed.
        """,
      examples: [
        .init("Import a schema", "ckdb schema import schema.ckdb"),
        .init("Validate it first", "ckdb schema import schema.ckdb --validate"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let file = try SchemaFile(arguments.required(file), context)
    let environment = try context.environment()
    let production = try context.environment(.production)
    let plan = try environment.planImport(of: file.schema, besides: production)
    if arguments[validate] {
      try SchemaChanges.show(plan.changes, context)
      for loss in plan.losses { context.report(text(loss)) }
      return context.report("the schema is valid")
    }
    if !plan.losses.isEmpty {
      for loss in plan.losses { context.report(text(loss)) }
      try context.confirm("import \(file.path) and lose this data")
    }
    let changes = try environment.importSchema(file.schema, besides: production)
    context.report(changes, orElse: "nothing to change")
  }

  private static func text(_ loss: (change: SchemaChange, records: Int)) -> String {
    let subject = SchemaChanges.line(loss.change).subject
    if case .removeType = loss.change {
      return "record type \(subject) has \(loss.records.counted("record")), which would be lost"
    }
    return "field \(subject) has values in \(loss.records.counted("record")), which would be lost"
  }
}

/// `ckdb schema validate FILE`
enum SchemaValidate {
  static let file = Operand("FILE", .file, "Schema file; - is standard input")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(file)],
      discussion: """
        Reads a schema file and reports the line and column of the first error, in the words of \
        CloudKit's service. Needs no store and no container; 'schema import --validate' compares \
        with the existing schema.
        """,
      examples: [.init("Validate a schema file", "ckdb schema validate schema.ckdb")]
    ) { arguments, context in
      let schema = try SchemaFile(arguments.required(file), context).schema
      let roles = schema.roles.isEmpty ? "" : ", \(schema.roles.count.counted("role"))"
      context.report("valid: \(schema.types.count.counted("record type"))\(roles)")
    }
  }
}

/// `ckdb schema diff [A] [B]`
enum SchemaDiff {
  static let sides = Operand(
    "A", ValueKind<String>.text("SCHEMA", candidates: .words(Environment.allCases.map(\.rawValue))),
    .any, "Schema files, Core Data models, or development or production")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(sides)],
      discussion: """
        Compares two schemas: prints the changes from A to B, one per line, or as rows in an \
        explicit format. Each is a file, or 'development' or 'production' for the container's own. \
        A alone is compared with the current environment; without operands, production is compared \
        with development. The exit code is 1 if there are differences.
        """,
      examples: [
        .init("Show what a deployment would change", "ckdb schema diff"),
        .init("Show the changes since a file was exported", "ckdb schema diff schema.ckdb --json"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let names = arguments.all(sides)
    guard names.count <= 2 else {
      throw CommandError("at most two schemas can be compared", .usage)
    }
    let old = try SchemaFile.schema(names.first ?? Environment.production.rawValue, context)
    let new =
      try names.count == 2
      ? SchemaFile.schema(names[1], context)
      : names.isEmpty
        ? context.environment(.development).fullSchema()
        : context.environment().fullSchema()
    let changes = old.completed(by: new).changes(to: new.completed(by: old))
    try SchemaChanges.show(changes, context)
    guard changes.isEmpty else { throw QuietExit(code: .no) }
    context.report("no differences")
  }
}
