internal import Basics
internal import CloudServices
internal import CommandKit

/// `ckdb dashboard`
enum DashboardCommand {
  static var command: Command<Context> {
    Command(
      options: [AnyOption(ServeCommand.readOnly)],
      discussion: """
        Opens the store in the browser: record types, records and the schema, as any account and \
        on any device. Each page shows the command that does the same. The dashboard is served on \
        a free port of this machine until the command is interrupted; 'ckdb serve --open' serves \
        it together with Web Services on a port of your choice.

        Where there is no browser the link is printed instead, and with -f json it is openURL of \
        the ready object. A link opens the dashboard once, and for the browser that opened it.
        """,
      examples: [
        .init("Look at the store", "ckdb dashboard"),
        .init("Get the link in a script", "ckdb dashboard -f json"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let program = try ServerProgram(context)
    let store = try context.store()
    // Fails here without a store, rather than in a page.
    _ = try store.containers()
    let options = try ServerOptions(
      showing: store, isReadOnly: arguments[ServeCommand.readOnly], context)
    try ServeCommand.start(program, options, removing: nil, context)
  }
}
