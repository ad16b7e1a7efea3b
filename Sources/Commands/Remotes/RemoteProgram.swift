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
    let words = try CompanionProgram.client(context).words(words(context))
    context.surroundings.flush()
    let variables = variables(context)
    let code: Int32
    do throws(SystemError) {
      if context.session.isAlone { try ChildProcess.replace(words, variables) }
      code = try ChildProcess.run(
        words, variables, output: context.output.descriptor ?? 1,
        errors: context.surroundings.errors.descriptor ?? 2)
    } catch { throw CommandError(error.description, .unavailable) }
    throw ChildEnd(code: code)
  }

  /// The words of the command, preceded by the options of the batch or prompt that it does not
  /// override.
  private static func words(_ context: Context) -> [String] {
    let session = context.session
    return session.baseArguments.globals(session.table).optionWords(without: context.arguments)
      + session.words
  }

  /// The options set by `use` that apply here. Containers, environments, databases and zones that
  /// `use` has set do not select what a pull or push copies.
  private static let chosen = [
    AnyOption(GlobalOptions.user), AnyOption(GlobalOptions.device),
    AnyOption(GlobalOptions.format), AnyOption(GlobalOptions.clock), AnyOption(GlobalOptions.seed),
    AnyOption(GlobalOptions.strict), AnyOption(GlobalOptions.wait),
  ]

  /// The environment variables, with the session's settings from `use` added where none is set. The
  /// child then applies the usual order: option, variable, session.
  private static func variables(_ context: Context) -> [String: String] {
    var variables = context.surroundings.allVariables()
    for option in chosen {
      guard let name = option.variable, context.surroundings.variable(name) == nil,
        let text = context.session.overrides[option.name]
      else { continue }
      variables[name] = text
    }
    return variables
  }
}
