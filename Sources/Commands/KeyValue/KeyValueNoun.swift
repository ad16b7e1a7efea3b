internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb kvs …`
enum KeyValueNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("set", "Set keys", verb: { KeyValueSet.command }),
    CommandRow("get", "Print the value of a key", verb: { KeyValueGet.command }),
    CommandRow("remove", "Remove keys", verb: { KeyValueSet.remove }),
    CommandRow("list", "List keys and values", verb: { KeyValueGet.list }),
    CommandRow("sync", "Exchange keys with iCloud", verb: { KeyValueSync.command }),
    CommandRow(
      "watch", "Print changes by other devices as they happen", verb: { KeyValueEvents.watch }),
    CommandRow("events", "List changes by other devices", verb: { KeyValueEvents.command }),
    CommandRow("usage", "Show how much of the quota is used", verb: { KeyValueGet.usage }),
    CommandRow("limits", "Show or choose the limits", verb: { KeyValueBehavior.limits }),
    CommandRow("policy", "Show or choose which write wins", verb: { KeyValueBehavior.policy }),
    CommandRow("rate", "Show or limit how often devices may sync", verb: { KeyValueBehavior.rate }),
    CommandRow("export", "Print all keys and values", verb: { KeyValueFiles.export }),
    CommandRow("import", "Set the keys of a file", verb: { KeyValueFiles.import }),
  ]

  static let storeID = Option(
    "store-id", nil, .container, default: "the container",
    "Container whose key-value store to use, if apps share one")
  static let auto = Flag(
    "auto", variable: "CKDB_AUTO",
    "Sync all online devices of the account afterwards (default at the prompt)")
  static let key = Operand(
    "KEY", ValueKind<String>.text("KEY", candidates: .question("keys")), "Key")

  /// The key-value store that the options name.
  static func open(_ arguments: Arguments, _ context: Context) throws -> KeyValueStore {
    let store = try context.store()
    let id = try arguments[storeID] ?? context.containerID().id
    return try context.keyValueStore(id, in: store)
  }

  /// Whether to sync all devices after each command.
  static func synchronizes(_ context: Context) -> Bool {
    context.settings.origin(of: auto) == .fallback
      ? context.session.isPrompt : context.settings.isSet(auto)
  }

  /// Syncs all online devices after a command if `--auto` applies.
  static func synchronizeIfWanted(_ store: KeyValueStore, _ context: Context) throws {
    if synchronizes(context) { _ = try store.synchronizeAll() }
  }
}
