internal import Basics
internal import CloudModel
internal import CloudServices
internal import CloudSync
internal import CommandKit

/// The program that sends requests to other servers, `ckdb-remote`. It lies next to this one and
/// has the same commands; this one links no HTTP client and no TLS.
enum RemoteProgram {
  /// What carries requests, in the program that links it. Other programs run that one with the same
  /// words, and end as it does. Throws `CommandError` if it is not installed.
  static func transport(_ context: Context) throws -> any RemoteTransport {
    if let transport = context.session.transport { return transport }
    let path = FileSystem.parent(of: context.surroundings.executable()) + "/ckdb-remote"
    guard FileSystem.exists(path) else {
      throw CommandError(
        "the client for other servers is not installed: \(path) does not exist", .unavailable,
        hint: "install the package ckdb-server, or run 'make install-server'")
    }
    context.surroundings.flush()
    let words = [path, ProgramVersion.number] + words(context)
    let variables = context.surroundings.allVariables()
    let code: Int32
    do throws(SystemError) {
      if context.session.isAlone { try ChildProcess.replace(words, variables) }
      code = try ChildProcess.run(words, variables, output: 1, errors: 2)
    } catch { throw CommandError(error.description, .unavailable) }
    throw ChildEnd(code: code)
  }

  /// The words of the command, with what the session has chosen before it.
  private static func words(_ context: Context) -> [String] {
    let session = context.session
    guard !session.isAlone else { return session.words }
    var words = session.words
    for (name, value) in session.overrides.entries
    where !context.settings.arguments.optionNames.contains(name) {
      words += ["--\(name)", value]
    }
    if let store = try? context.settings.storePath().path,
      !context.settings.arguments.optionNames.contains(GlobalOptions.store.name)
    {
      words += ["--\(GlobalOptions.store.name)", store]
    }
    return words
  }
}
