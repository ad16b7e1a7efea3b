internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb use [global options]`
enum UseCommand {
  static let save = Flag("save", "At the prompt: save for later sessions, too")
  static let clear = Flag("clear", "Clear all saved values first")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(save), AnyOption(clear), AnyOption(KeyValueNoun.auto)],
      discussion: """
        Saves the global options of this line in the store as defaults for later commands. At the \
        prompt they last for the session unless --save is given. Container and zone must exist. \
        --clear forgets the saved options.
        """,
      examples: [
        .init("Work in a zone", "ckdb use -z Notes"),
        .init("Clear all saved values", "ckdb use --clear"),
      ], run: run)
  }

  /// Options that apply to one command only.
  private static let fleeting = [
    GlobalOptions.verbose.name, GlobalOptions.yes.name, GlobalOptions.noInput.name,
    GlobalOptions.color.name,
  ]

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    if let name = arguments.optionNames.first(where: fleeting.contains) {
      throw CommandError("--\(name) cannot be saved: it applies to one command only", .usage)
    }
    guard arguments[GlobalOptions.store] == nil else {
      throw CommandError(
        "--store cannot be saved: what is saved is kept in the store", .usage,
        hint: "CKDB_STORE names the store for all commands")
    }
    try requirePlace(arguments, context)
    let values = texts(context.settings)
    if context.session.isPrompt, !arguments[save] {
      if arguments[clear] { context.session.overrides = SavedContext() }
      context.session.overrides.merge(values)
      return
    }
    let store = try context.store()
    let saved = try store.changeContext { context in
      if arguments[clear] { context = SavedContext() }
      context.merge(values)
    }
    context.report(
      saved.isEmpty
        ? "nothing is saved"
        : "saved " + saved.entries.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
  }

  /// Checks that the named container or zone exists. Throws `badContainer`, `zoneNotFound`.
  private static func requirePlace(_ arguments: Arguments, _ context: Context) throws {
    let zone = arguments[GlobalOptions.zone]
    if let zone, !zone.isDefault {
      _ = try context.database().withoutNetwork().zone(zone)
    } else if arguments[GlobalOptions.container] != nil {
      _ = try context.environment()
    }
  }

  /// The options of the line, as texts. The store itself cannot be saved in the store.
  private static func texts(_ settings: Settings) -> SavedContext {
    let arguments = settings.arguments
    var values = SavedContext()
    values["container"] = arguments[GlobalOptions.container]?.text
    values["environment"] = arguments[GlobalOptions.environment]?.rawValue
    values["database"] = arguments[GlobalOptions.database]?.name
    values["zone"] = arguments[GlobalOptions.zone]?.text
    values["user"] = arguments[GlobalOptions.user]
    values["device"] = arguments[GlobalOptions.device]
    values["format"] = settings.explicitFormat?.rawValue
    values["clock"] = arguments[GlobalOptions.clock]?.text
    values["seed"] = arguments[GlobalOptions.seed].map { String($0) }
    values["wait"] = arguments[GlobalOptions.wait].map { String($0) }
    values["auto"] = arguments[KeyValueNoun.auto] ? "1" : nil
    values["strict"] = arguments[GlobalOptions.strict] ? "1" : nil
    return values
  }
}
