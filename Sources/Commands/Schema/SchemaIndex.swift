internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb schema index TYPE FIELD…`
enum SchemaIndex {
  static let type = Operand("TYPE", .type, "Record type")
  static let fields = Operand(
    "FIELD", ValueKind<String>.text("FIELD", candidates: .question("fields")), .oneOrMore,
    "Fields, or system fields such as recordName")
  static let queryable = Flag("queryable", "Declare that predicates may ask for them")
  static let sortable = Flag("sortable", "Declare that results may be sorted by them")
  static let searchable = Flag("searchable", "Declare that full text is searched in them")
  static let clear = Flag("none", "Take away what was declared before")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type), AnyOperand(fields)],
      options: [
        AnyOption(queryable), AnyOption(sortable), AnyOption(searchable), AnyOption(clear),
      ],
      discussion: """
        Declares in development what queries may ask of fields. A field that a save makes has \
        all indexes of its type, the fields that every record has have none, as in CloudKit. \
        Without them queries work here all the same, with a warning, and fail with --strict. \
        --none alone takes all away; before others it leaves these alone.
        """,
      examples: [
        .init(
          "Let all records of a type be queried", "ckdb schema index Artwork recordName --queryable"
        ),
        .init("See what a missing index does", "ckdb schema index Artwork title --none"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    var adding: FieldIndexes = []
    if arguments[queryable] { adding.insert(.queryable) }
    if arguments[sortable] { adding.insert(.sortable) }
    if arguments[searchable] { adding.insert(.searchable) }
    guard !adding.isEmpty || arguments[clear] else {
      throw CommandError(
        "no index is named", .usage,
        hint: "--queryable, --sortable and --searchable declare one, --none takes all away")
    }
    let type = arguments.required(type)
    let changed = try context.environment().setIndexes(
      IndexChange(clears: arguments[clear], adding: adding), of: arguments.all(fields), in: type)
    for field in changed { context.report("\(type.text): \(field.schemaLine())") }
  }
}
