internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb schema add TYPE [FIELD:TYPE…]`
enum SchemaAdd {
  static let type = Operand("TYPE", .type, "Record type, existing or new")
  static let fields = Operand(
    "FIELD:TYPE", ValueKind<FieldDeclaration>.fieldDeclaration, .any, "Fields with their types")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type), AnyOperand(fields)],
      discussion: """
        Adds a record type, or fields to one, in development. Types are string, int64, double, \
        timestamp, bytes, location, reference, asset, list<TYPE> and encrypted<TYPE>. Existing \
        fields do not change. Unlike fields that a save creates, these have no indexes until \
        'schema index' declares them, as in CloudKit.
        """,
      examples: [
        .init("Declare a type", "ckdb schema add Artist name:string birthYear:int64"),
        .init("Declare a list of references", "ckdb schema add Artwork 'artists:list<reference>'"),
      ]
    ) { arguments, context in
      let environment = try context.environment()
      let additions = try environment.addToSchema(
        arguments.required(type), arguments.all(fields).map { ($0.name, $0.type) })
      context.report(additions)
    }
  }
}

/// `ckdb schema drop TYPE|TYPE.FIELD`
enum SchemaDrop {
  static let what = Operand(
    "TYPE[.FIELD]", ValueKind<String>.text("TYPE", candidates: .question("typesAndFields")),
    "Record type, or one of its fields")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(what)],
      discussion: """
        Drops a type with all its records, or a field with all its values, in development. Asks \
        for confirmation if there are records. What production has cannot be dropped.
        """,
      examples: [
        .init("Drop a field", "ckdb schema drop Artwork.notes --yes"),
        .init("Drop a type with its records", "ckdb schema drop Draft --yes"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let environment = try context.environment()
    let production = try context.environment(.production)
    let parts = arguments.required(what).split(separator: ".", maxSplits: 1)
    let type = try RecordType(parts.first.map(String.init) ?? "")
    let field = try parts.count == 2 ? FieldName(String(parts[1])) : nil
    let what = field.map { "field \(type.text).\($0.text)" } ?? "record type \(type.text)"
    try environment.requireDroppable(type, field, unlessIn: production)
    let count = try environment.recordCount(of: type)
    if count > 0 {
      try context.confirm(
        "drop \(what) \(field == nil ? "with" : "from") \(count.counted("record"))")
    }
    try environment.drop(type, field, unlessIn: production)
    context.report("dropped \(what)")
  }
}

/// `ckdb schema deploy`
enum SchemaDeploy {
  static let dryRun = Flag("dry-run", "Print the changes without making them")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(dryRun)],
      discussion: """
        Copies the types, fields, roles and types of query subscriptions of development to \
        production, and makes its indexes and grants the same. Deployment never removes types or \
        fields and copies no records. What production has can no longer be dropped or change its \
        type: --dry-run shows what that would affect.
        """,
      examples: [
        .init("Deploy the schema", "ckdb schema deploy"),
        .init("Show what becomes permanent", "ckdb schema deploy --dry-run"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let (production, development) = (
      try context.environment(.production), try context.environment(.development)
    )
    guard arguments[dryRun] else {
      return context.report(try production.deploy(from: development))
    }
    let changes = try production.planDeployment(from: development)
    try SchemaChanges.show(changes, context)
    let permanent = changes.count(where: \.isPermanent)
    context.report(
      changes.isEmpty
        ? "nothing to add" : "\(permanent.counted("step")) of \(changes.count) cannot be undone"
    )
  }
}

/// `ckdb schema reset`
enum SchemaReset {
  static var command: Command<Context> {
    Command(
      discussion: """
        Deletes all records and custom zones of all users from the development environment, and \
        resets its schema to production's.
        """,
      examples: [.init("Start over", "ckdb schema reset --yes")]
    ) { _, context in
      let development = try context.environment(.development)
      guard try context.settings.environment() == .development else {
        throw CommandError(
          "only the development environment can be reset", .data,
          hint: "select it with -e development")
      }
      try context.confirm("remove all development records and reset the schema")
      try development.reset(to: context.environment(.production))
      context.report("reset development to the schema of production")
    }
  }
}

/// `FIELD:TYPE`
struct FieldDeclaration: Sendable {
  let name: FieldName
  let type: FieldType
}

extension ValueKind where Value == FieldDeclaration {
  /// The names of types in other languages.
  private static let otherNames = [
    "text": "string", "varchar": "string", "str": "string", "int": "int64", "integer": "int64",
    "bool": "int64", "boolean": "int64", "float": "double", "real": "double", "date": "timestamp",
    "datetime": "timestamp", "time": "timestamp", "data": "bytes", "blob": "bytes",
    "file": "asset", "place": "location", "ref": "reference", "array": "list<TYPE>",
    "list": "list<TYPE>",
  ]

  /// A field with its type.
  static let fieldDeclaration = ValueKind<FieldDeclaration>("FIELD:TYPE") {
    (word) throws(ValueError) in
    let parts = word.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else {
      throw ValueError("'\(word.visible)' is not a field with a type", hint: "write FIELD:TYPE")
    }
    guard let type = FieldType(schemaName: String(parts[1])) else {
      let words = FieldType.Base.allCases.map { $0.rawValue.lowercased() }
      let (meant, given) = (Self.otherNames[parts[1].lowercased()], String(parts[1]))
      let error = ValueError.unknown(given, among: words + ["list<TYPE>", "encrypted<TYPE>"])
      throw ValueError(
        error.message, hint: meant.map { "did you mean \($0)?" } ?? error.hint)
    }
    do throws(CloudError) {
      return FieldDeclaration(name: try FieldName(String(parts[0])), type: type)
    } catch {
      throw ValueError(error.message, hint: error.hint, refusal: error)
    }
  }
}
