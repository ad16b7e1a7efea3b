internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb context`
enum ContextCommand {
  static var command: Command<Context> {
    Command(
      discussion: """
        Options override environment variables, which override saved values, which override \
        defaults.
        """,
      examples: [.init("Show where a value comes from", "ckdb context")], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let output = try RowOutput(
      context, noun: "setting", columns: ["setting", "value", "origin"])
    let (path, origin) = try context.settings.storePath()
    let exists = try context.anyStore().exists
    output.row([.string("store"), .string(path), .string(origin.text)])
    if exists { _ = try context.store() }
    let settings = context.settings
    func row<Value>(
      _ option: Option<Value>, fallback: String, _ text: (Value) -> String
    ) throws {
      let found = try settings.find(option)
      output.row([
        .string(option.name), .string(found.map { text($0.value) } ?? fallback),
        .string((found?.origin ?? .fallback).text),
      ])
    }
    if exists, let (id, origin) = try? context.containerID() {
      output.row([.string("container"), .string(id.text), .string(origin.text)])
    } else {
      try row(GlobalOptions.container, fallback: "(none)") { $0.text }
    }
    try row(GlobalOptions.environment, fallback: "development") { $0.rawValue }
    try row(GlobalOptions.database, fallback: "private") { $0.name }
    try row(GlobalOptions.zone, fallback: "_defaultZone") { $0.text }
    try row(GlobalOptions.user, fallback: "me") { $0 }
    try row(GlobalOptions.device, fallback: "cli") { $0 }
    let format = settings.explicitFormat.map { ($0, Settings.Origin.option) }
    output.row([
      .string("format"), .string(try context.format().rawValue),
      .string(
        (try format?.1 ?? settings.find(GlobalOptions.format)?.origin ?? .fallback).text),
    ])
    try row(GlobalOptions.clock, fallback: "(system)") { $0.text }
    try row(GlobalOptions.seed, fallback: "(system)") { String($0) }
    try row(GlobalOptions.wait, fallback: "60") { $0.description }
    output.row([
      .string("strict"), .bool(settings.isSet(GlobalOptions.strict)),
      .string(settings.origin(of: GlobalOptions.strict).text),
    ])
    output.row([
      .string("auto"), .bool(KeyValueNoun.synchronizes(context)),
      .string(settings.origin(of: KeyValueNoun.auto).text),
    ])
    output.finish()
  }
}
