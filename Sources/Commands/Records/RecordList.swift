internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb record list [TYPE]`
enum RecordList {
  static let type = Operand("TYPE", .type, .optional, "Record type (default: all)")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type)], options: [AnyOption(FieldsOption.fields)] + OutputOptions.all,
      discussion: """
        Prints all records of one zone, without a limit. With --verbose or in the format line, \
        their tags, dates and users follow the fields.
        """,
      examples: [.init("Print the record names of a zone", "ckdb record list -z Notes -f names")],
      run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let database = try context.database()
    let type = arguments[type]
    let schema = try type.map { try database.environment.schema(of: $0).map { [$0] } ?? [] }
    let types = try schema ?? database.environment.appSchema()
    let chosen = arguments[FieldsOption.fields]
    if !types.isEmpty { try FieldsOption.check(chosen, of: types) }
    var layout = RecordOutput.Layout(allOf: types, chosen: chosen)
    let isDetailed = try context.settings.isSet(GlobalOptions.verbose) || context.format() == .line
    if isDetailed { layout = layout.withSystemKeys() }
    let zone = try context.zone()
    let output = try RecordOutput(context, arguments, layout)
    let damage = DamageList()
    try database.list(type, in: zone, damaged: damage.note) { record in
      output.write(record)
      return !context.output.isBroken
    }
    output.finish()
    try damage.finish()
  }
}
