internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import SchemaLanguage

/// `ckdb cktool export-schema`
enum CKToolExportSchema {
  static let output = Option("output-file", nil, .file, "Write to this file")

  static var command: Command<Context> {
    Command(
      options: CKToolOptions.place + [AnyOption(output)],
      discussion: "Prints the schema of an environment, or writes it to a file.",
      examples: [
        .init(
          "Export a schema",
          "ckdb cktool export-schema --team-id T --container-id iCloud.org.example.app --environment production --output-file schema.ckdb"
        )
      ]
    ) { arguments, context in
      let schema = try CKToolPlace(arguments, context).environment().fullSchema()
      let text = SchemaPrinter.text(schema)
      guard let path = arguments[output] else { return context.output.write(text) }
      try OutputFile.write(path) { try $0.writeAll(Array(text.utf8)) }
    }
  }
}

/// `ckdb cktool import-schema`
enum CKToolImportSchema {
  static let file = Option("file", nil, .file, "Schema file")
  static let validate = Flag("validate", "Validate the file without importing it")

  static var command: Command<Context> {
    Command(
      options: CKToolOptions.place + [AnyOption(file), AnyOption(validate)],
      discussion: """
        Replaces the development schema. Like Apple's tool, it does not ask for confirmation: \
        types and fields that the file leaves out are deleted with their data, unless production \
        has them.
        """,
      examples: [
        .init(
          "Import a schema",
          "ckdb cktool import-schema --team-id T --container-id iCloud.org.example.app --environment development --file schema.ckdb"
        )
      ]
    ) { arguments, context in
      let schema = try CKToolValidateSchema.validated(arguments[file], arguments, context)
      if arguments[validate] { return CKToolValidateSchema.conclude(context) }
      let place = CKToolPlace(arguments, context)
      _ = try place.environment().importSchema(schema, besides: place.environment(.production))
    }
  }
}

/// `ckdb cktool validate-schema`
enum CKToolValidateSchema {
  static let file = Option("file", nil, .file, "Schema file")

  static var command: Command<Context> {
    Command(
      options: CKToolOptions.place + [AnyOption(file)],
      discussion: "Checks that a file is a valid schema and could be imported.",
      examples: [
        .init(
          "Validate a schema",
          "ckdb cktool validate-schema --team-id T --container-id iCloud.org.example.app --environment development --file schema.ckdb"
        )
      ]
    ) { arguments, context in
      _ = try validated(arguments[file], arguments, context)
      conclude(context)
    }
  }

  /// Returns the schema of a file that can be imported; prints errors as Apple's tool does.
  static func validated(
    _ path: String?, _ arguments: Arguments, _ context: Context
  ) throws -> Schema {
    let place = CKToolPlace(arguments, context)
    let environment = try place.environment()
    let production = try place.environment(.production)
    let schema = try read(path, context)
    do throws(CloudError) {
      _ = try environment.planImport(of: schema, besides: production)
    } catch { throw refusal(error.message, context) }
    return schema
  }

  static func conclude(_ context: Context) { context.output.line("✅ Schema is valid.") }

  private static func read(_ path: String?, _ context: Context) throws -> Schema {
    guard let path else { throw CommandError("--file is missing", .usage) }
    let text = try SchemaFile.text(path, context)
    do throws(SchemaError) { return try SchemaParser.parse(text) } catch {
      throw refusal(error.serviceText, context)
    }
  }

  private static func refusal(_ text: String, _ context: Context) -> QuietExit {
    for line in "❌ Schema validation failed: \(text)".split(separator: "\n") {
      context.surroundings.errors.line(String(line).visible)
    }
    return QuietExit(code: .data)
  }
}

/// `ckdb cktool reset-schema`
enum CKToolResetSchema {
  static var command: Command<Context> {
    Command(
      options: CKToolOptions.place,
      discussion: """
        Deletes all development records and resets the development schema to production's. Like \
        Apple's tool, it does not ask for confirmation.
        """,
      examples: [
        .init(
          "Start over",
          "ckdb cktool reset-schema --team-id T --container-id iCloud.org.example.app")
      ]
    ) { arguments, context in
      let place = CKToolPlace(arguments, context)
      try place.environment(.development).reset(to: place.environment(.production))
    }
  }
}
