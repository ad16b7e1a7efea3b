internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import SchemaLanguage

/// `ckdb schema export`
enum SchemaExport {
  static let output = Option(
    "output", "o", .file, "Write it to this file, all of it or nothing")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(output)],
      discussion: """
        Writes the schema of the environment in Apple's schema language, byte for byte as \
        cktool export-schema lays it out.
        """,
      examples: [
        .init("Keep the schema in the repository", "ckdb schema export --output schema.ckdb"),
        .init("Print that of production", "ckdb schema export -e production"),
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
  static let validate = Flag("validate", "Only look whether it could be imported")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(file)], options: [AnyOption(validate)],
      discussion: """
        Replaces the schema of development by that of a file, all or nothing: types and fields \
        that the file leaves out go, with their records and values, which asks when there are \
        some. What production has cannot go, and an encrypted field cannot become a plain one, \
        nor the other way round. Types of CloudKit itself, which the file leaves out, stay. \
        With --validate nothing is changed, and what would be is told.
        """,
      examples: [
        .init("Bring a schema in", "ckdb schema import schema.ckdb"),
        .init("Look whether it could be", "ckdb schema import schema.ckdb --validate"),
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
      try context.confirm("import \(file.path) and lose that")
    }
    let changes = try environment.importSchema(file.schema, besides: production)
    context.report(changes, orElse: "nothing to change")
  }

  private static func text(_ loss: (change: SchemaChange, records: Int)) -> String {
    let subject = SchemaChanges.line(loss.change).subject
    if case .removeType = loss.change {
      return "record type \(subject) has \(loss.records.counted("record")), which would go"
    }
    return "field \(subject) has values in \(loss.records.counted("record")), which would go"
  }
}

/// `ckdb schema validate FILE`
enum SchemaValidate {
  static let file = Operand("FILE", .file, "Schema file; - is standard input")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(file)],
      discussion: """
        Reads a schema file and names the line and column of the first fault, in the words of \
        CloudKit's service. It takes neither a store nor a container; 'schema import --validate' \
        compares with what is there.
        """,
      examples: [.init("Look whether a file is a schema", "ckdb schema validate schema.ckdb")]
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
    .any, "Schema files, or development or production")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(sides)],
      discussion: """
        Compares two schemas: what leads from A to B, one line each, or as rows in an explicit \
        format. Each is a file, or 'development' or 'production' for what the container has \
        there. A alone is compared with the environment in use; nothing at all compares \
        production with development. The exit code is 1 when there are differences.
        """,
      examples: [
        .init("See what a deployment would bring", "ckdb schema diff"),
        .init("See what changed since the file", "ckdb schema diff schema.ckdb --json"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let names = arguments.all(sides)
    guard names.count <= 2 else {
      throw CommandError("more than two schemas", .usage)
    }
    let old = try schema(names.first ?? Environment.production.rawValue, context)
    let new =
      try names.count == 2
      ? schema(names[1], context)
      : names.isEmpty
        ? context.environment(.development).fullSchema()
        : context.environment().fullSchema()
    let changes = old.completed(by: new).changes(to: new.completed(by: old))
    try SchemaChanges.show(changes, context)
    guard changes.isEmpty else { throw QuietExit(code: .no) }
    context.report("no differences")
  }

  private static func schema(_ name: String, _ context: Context) throws -> Schema {
    if let environment = Environment(rawValue: name) {
      return try context.environment(environment).fullSchema()
    }
    return try SchemaFile(name, context).schema
  }
}
