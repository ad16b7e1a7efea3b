internal import Basics
internal import CloudServices
internal import CommandKit

/// `ckdb dashboard`
enum DashboardCommand {
  static var command: Command<Context> {
    Command(
      options: [AnyOption(ServeCommand.readOnly)],
      discussion: """
        Shows and changes records and the schema, as any account and on any device. Each page \
        and each action show the equivalent ckdb command. The dashboard listens on a free port of \
        this machine until the command is interrupted. To choose the port, and to serve Web \
        Services, too, use 'ckdb serve --open'.

        Without a browser, the command prints a link instead. With -f json, the link is the member \
        openURL of the ready object. Each link works once.
        """,
      examples: [
        .init("Look at the store", "ckdb dashboard"),
        .init("Get the link in a script", "ckdb dashboard -f json"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let program = try CompanionProgram.server(context)
    let store = try context.store()
    // Without a store, fail here rather than in the browser.
    _ = try store.containers()
    let options = try ServerOptions(
      showing: store, isReadOnly: arguments[ServeCommand.readOnly], context)
    try ServeCommand.start(program, options, removing: nil, context)
  }
}
