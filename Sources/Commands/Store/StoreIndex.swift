internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb store index list|build|drop [TYPE] [KEY…]`
enum StoreIndex {
  enum Action: String, CaseIterable {
    case list
    case build
    case drop
  }

  static let action = Operand(
    "ACTION", ValueKind<Action>.choice("ACTION"), "Action: list, build or drop")
  static let type = Operand("TYPE", .type, .optional, "Record type")
  static let keys = Operand(
    "KEY", ValueKind<String>.text("KEY", candidates: .question("fields")), .any,
    "Fields or system fields")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(action), AnyOperand(type), AnyOperand(keys)],
      discussion: """
        Physical indexes make queries fast. A query creates those that it needs on a type of \
        10,000 records or more, if no other process is writing at that moment; saves then keep \
        them up to date. KEY is a field, a system field, or allTokens for the words of all texts. \
        They never change a result and are independent of the indexes that a schema declares \
        ('ckdb schema index'); 'ckdb explain' shows what a query uses and created.
        """,
      examples: [
        .init("List the indexes that queries created", "ckdb store index list"),
        .init("Build an index ahead of time", "ckdb store index build Artwork year"),
        .init("Drop all indexes of a type", "ckdb store index drop Artwork"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let environment = try context.environment()
    switch arguments.required(action) {
    case .list: try list(arguments, context, environment)
    case .build:
      guard let type = arguments[type], !arguments.all(keys).isEmpty else {
        throw CommandError("build needs a TYPE and its KEYs", .usage)
      }
      try context.showingProgress("build indexes") { _ in
        try environment.buildIndexes(of: type, by: arguments.all(keys))
      }
      context.report("built \(arguments.all(keys).count.counted("index", plural: "indexes"))")
    case .drop:
      let count = try environment.dropIndexes(of: arguments[type], by: arguments.all(keys))
      context.report("dropped \(count.counted("index", plural: "indexes"))")
    }
  }

  private static func list(
    _ arguments: Arguments, _ context: Context, _ environment: CloudEnvironment
  ) throws {
    let output = try RowOutput(context, noun: "index", columns: ["recordType", "key"])
    for index in try environment.indexes()
    where arguments[type].map({ $0 == index.type }) ?? true {
      output.row([.string(index.type.text), .string(index.key)])
    }
    output.finish()
  }
}
