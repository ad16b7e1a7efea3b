internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb schema index TYPE FIELD…`
enum SchemaIndex {
  static let type = Operand("TYPE", .type, "Record type")
  static let fields = Operand(
    "FIELD", ValueKind<String>.text("FIELD", candidates: .question("fields")), .oneOrMore,
    "Fields, or system fields such as recordName")
  static let queryable = Flag("queryable", "Make the fields queryable")
  static let sortable = Flag("sortable", "Make the fields sortable")
  static let searchable = Flag("searchable", "Make the fields searchable")
  static let clear = Flag("none", "Remove all other indexes of the fields")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type), AnyOperand(fields)],
      options: [
        AnyOption(queryable), AnyOption(sortable), AnyOption(searchable), AnyOption(clear),
      ],
      discussion: """
        Declares in development how queries may use fields. A field that a save creates has all \
        indexes of its type, and system fields have none, as in CloudKit. Without the declaration \
        a query still works here, with a warning, and fails with --strict. --none alone removes \
        all indexes; with other flags it leaves only these.
        """,
      examples: [
        .init(
          "Allow queries for all records of a type",
          "ckdb schema index Artwork recordName --queryable"
        ),
        .init("Show the effect of a missing index", "ckdb schema index Artwork title --none"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    var adding: FieldIndexes = []
    if arguments[queryable] { adding.insert(.queryable) }
    if arguments[sortable] { adding.insert(.sortable) }
    if arguments[searchable] { adding.insert(.searchable) }
    guard !adding.isEmpty || arguments[clear] else {
      throw CommandError(
        "no index is given", .usage,
        hint: "--queryable, --sortable and --searchable declare one, --none removes all")
    }
    let type = arguments.required(type)
    let changed = try context.environment().setIndexes(
      IndexChange(clears: arguments[clear], adding: adding), of: arguments.all(fields), in: type)
    for field in changed { context.report("\(type.text): \(field.schemaLine())") }
  }
}
