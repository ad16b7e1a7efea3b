internal import Basics
internal import CloudServices
internal import CommandKit

/// `ckdb cktool …`: the verbs of Apple's tool on the local store, so that its scripts run without
/// an account (L5).
enum CKToolNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("export-schema", "Export a schema", verb: { CKToolExportSchema.command }),
    CommandRow("import-schema", "Replace the schema", verb: { CKToolImportSchema.command }),
    CommandRow(
      "validate-schema", "Validate a schema file without importing it",
      verb: { CKToolValidateSchema.command }),
    CommandRow(
      "reset-schema", "Reset the development environment", verb: { CKToolResetSchema.command }),
    CommandRow("create-record", "Create a record", verb: { CKToolCreateRecord.command }),
    CommandRow("query-records", "Query records", verb: { CKToolQueryRecords.command }),
    CommandRow("delete-record", "Delete a record", verb: { CKToolDeleteRecord.command }),
    CommandRow(
      "delete-records", "Delete matching records", verb: { CKToolDeleteRecords.command }),
    CommandRow("get-teams", "List one team", verb: { CKToolTeams.command }),
    CommandRow(
      "save-token", "Accepted for compatibility; no token is needed", verb: { CKToolToken.save }),
    CommandRow(
      "remove-token", "Accepted for compatibility; no token is stored", verb: { CKToolToken.remove }
    ),
  ]
}

/// `ckdb cktool get-teams`
enum CKToolTeams {
  static var command: Command<Context> {
    Command(
      options: [AnyOption(CKToolOptions.token)],
      discussion: "Prints one team; any --team-id is accepted.",
      examples: [.init("List the team", "ckdb cktool get-teams")]
    ) { _, context in
      context.output.line("LOCALTEAM0: ckdb")
    }
  }
}

/// `ckdb cktool save-token`, `ckdb cktool remove-token`
enum CKToolToken {
  static let token = Operand("TOKEN", ValueKind<String>.text("TOKEN"), .optional, "A token")
  static let type = Option("type", nil, ValueKind<String>.text("TYPE"), "management or user")
  static let method = Option("method", nil, ValueKind<String>.text("METHOD"), "file or keychain")
  static let force = Flag("force", "Skip the confirmation")
  private static let options = [AnyOption(type), AnyOption(method), AnyOption(force)]

  static var save: Command<Context> {
    Command(
      operands: [AnyOperand(token)], options: options,
      discussion: "The local store needs no token. Nothing is saved, not even the token itself.",
      examples: [
        .init("Keep an existing script working", "ckdb cktool save-token --type management x")
      ]
    ) { _, context in notice(context) }
  }

  static var remove: Command<Context> {
    Command(
      options: options, discussion: "Does nothing, since tokens are never saved.",
      examples: [
        .init("Keep an existing script working", "ckdb cktool remove-token --type management")
      ]
    ) { _, context in notice(context) }
  }

  private static func notice(_ context: Context) {
    if context.settings.isSet(GlobalOptions.verbose) {
      context.report("the local store ignores teams and tokens")
    }
  }
}
