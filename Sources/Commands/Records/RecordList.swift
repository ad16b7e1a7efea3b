internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb record list [TYPE]`
enum RecordList {
  static let type = Operand("TYPE", .type, .optional, "Record type (default: all)")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type)],
      options: [AnyOption(FieldsOption.fields)] + CoreDataOptions.all + OutputOptions.all,
      discussion: """
        Prints all records of one zone, without a limit. With --verbose or in the format line, \
        their tags, dates and users follow the fields. With --core-data the records of Core Data's \
        mirror are shown as its objects, from their zone unless -z names another.
        """,
      examples: [
        .init("Print the record names of a zone", "ckdb record list -z Notes -f names"),
        .init("Print Core Data's objects of an entity", "ckdb record list Product --core-data"),
      ],
      run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let database = try context.database()
    let damage = DamageList()
    if let view = try CoreDataOptions.view(arguments, context, database, damage) {
      return try list(view, damage, arguments, context)
    }
    let type = arguments[type]
    let schema = try type.map { try database.environment.schema(of: $0).map { [$0] } ?? [] }
    let types = try schema ?? database.environment.appSchema()
    let chosen = arguments[FieldsOption.fields]
    if !types.isEmpty { try FieldsOption.check(chosen, of: types) }
    let layout = try layout(of: types, chosen, context)
    let zone = try context.zone()
    let output = try RecordOutput(context, arguments, layout)
    try database.list(type, in: zone, damaged: damage.note) { record in
      output.write(record)
      return !context.output.isBroken
    }
    output.finish()
    try damage.finish()
  }

  private static func layout(
    of types: [RecordTypeSchema], _ chosen: [String]?, _ context: Context
  ) throws -> RecordOutput.Layout {
    let layout = RecordOutput.Layout(allOf: types, chosen: chosen)
    let isDetailed = try context.settings.isSet(GlobalOptions.verbose) || context.format() == .line
    return isDetailed ? layout.withSystemKeys() : layout
  }

  /// Lists Core Data's objects.
  private static func list(
    _ view: ObjectView, _ damage: DamageList, _ arguments: Arguments, _ context: Context
  ) throws {
    let name = arguments[type]?.text
    let entities = name.map { view.entities(named: $0) } ?? view.entities
    let chosen = arguments[FieldsOption.fields]
    if !entities.isEmpty { try FieldsOption.check(chosen, of: entities) }
    let output = try RecordOutput(
      context, arguments, try layout(of: entities, chosen, context))
    try view.list(name, damaged: damage.note) { object in
      output.write(object)
      return !context.output.isBroken
    }
    output.finish()
    try damage.finish()
  }
}
