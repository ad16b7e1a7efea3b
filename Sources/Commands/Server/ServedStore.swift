internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// The server of a temporary store, for the command of `exec --serve`.
struct ServedStore {
  private let process: ServingProcess
  /// What the command gets: where the server is, and its tokens.
  let variables: [(name: String, value: String)]

  /// Starts a server on a free port. Throws `CommandError` if it does not start.
  init(_ store: CloudStore, _ context: Context) throws {
    let program = try CompanionProgram.server(context)
    try ServeCommand.makeToken(in: store, context)
    let settings = try ServerOptions(servingTests: store, context).json.text
    context.surroundings.flush()
    process = try ServingProcess(
      program.words("serve", settings), context.surroundings.allVariables())
    guard let line = process.firstLine(), let ready = try? JSONParser.parse(line),
      let url = ready["url"]?.string, let admin = ready["adminToken"]?.string
    else {
      process.finish()
      throw CommandError("the server did not start", .unavailable)
    }
    variables = [
      ("CKDB_URL", url), ("CKDB_API_TOKEN", ready["apiToken"]?.string ?? ""),
      ("CKDB_ADMIN_TOKEN", admin),
    ]
  }

  /// Ends the server.
  func stop() { process.stop() }
}
