internal import Basics
internal import CloudModel
internal import CloudServices
internal import CloudSync
internal import CommandKit

extension Context {
  /// The remotes of the user.
  func remotes() throws -> RemoteFiles {
    let variable = surroundings.variable
    let folder = variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
    guard let folder else {
      throw CommandError(
        "cannot locate the remotes: HOME is not set", .configuration,
        hint: "set HOME or XDG_CONFIG_HOME")
    }
    return RemoteFiles(folder: folder + "/ckdb/remotes")
  }

  /// The settings of the named remote, or of the only one. Throws `CommandError` without one.
  func remote(_ name: String?) throws -> RemoteSettings {
    let remotes = try remotes()
    if let name { return try remotes.settings(of: RemoteName(name)) }
    let all = try remotes.names()
    guard all.count == 1 else {
      throw CommandError(
        all.isEmpty ? "no remote has been added" : "no remote is chosen", .usage,
        hint: all.isEmpty
          ? "'ckdb remote add' adds one" : "name one: \(all.map(\.text).joined(separator: ", "))")
    }
    return try remotes.settings(of: all[0])
  }
}

/// The operands of `pull` and `push`: `[NAME] [TYPE]`.
struct RemoteOperands {
  static let name = Operand(
    "NAME", ValueKind<String>.text("NAME", candidates: .question("remotesAndTypes")), .optional,
    "Remote (default: the only one)")
  static let type = Operand(
    "TYPE", ValueKind<String>.text("TYPE", candidates: .question("types")), .optional,
    "Record type (default: all)")

  let name: String?
  let type: RecordType?

  init(_ arguments: Arguments, _ context: Context) throws {
    var (name, type) = (arguments[Self.name], arguments[Self.type])
    // A single word may be the type, if there is only one remote.
    let remotes = try context.remotes()
    if type == nil, let word = name, try remotes.names().count == 1,
      (try? RemoteName(word)).map({ !remotes.has($0) }) ?? true
    {
      (name, type) = (nil, word)
    }
    self.name = name
    self.type = try type.map { try RecordType($0) }
    if let type = self.type, type == .users || type == .share {
      throw CommandError("records of type \(type.text) are not copied", .data)
    }
  }
}

/// The work of one command with a remote.
struct RemoteWork {
  let settings: RemoteSettings
  let client: RemoteClient
  let context: Context
  private let caller: UserRecordName?

  /// Signs in, unless the command tries that itself. Throws `CommandError`, `RemoteError`,
  /// `RemoteFailure`.
  init(_ settings: RemoteSettings, _ context: Context, signsIn: Bool = true) throws {
    let transport = try RemoteProgram.transport(context)
    (self.settings, self.context) = (settings, context)
    client = RemoteClient(settings, transport, .bySignals)
    if !context.settings.isSet(GlobalOptions.quiet) {
      // Any thread may wait, and the context is only for its own.
      client.onWait { seconds, reason in
        let errors = FileHandle(descriptor: 2, path: "standard error", closesAtEnd: false)
        let line = "waiting \(Int(seconds.rounded(.up))) s: \(reason.visible)\n"
        try? errors.writeAll(Array(line.utf8))
      }
    }
    caller = signsIn ? try RemoteDatabase(client, .public).caller() : nil
  }

  /// The database that the command names. Otherwise the public one, and the private one if the
  /// credentials reach it.
  func scopes(includingShared: Bool = false) throws -> [DatabaseScope] {
    if let named = try context.settings.find(GlobalOptions.database), named.origin.isExplicit {
      guard named.value != .shared || includingShared else {
        throw CommandError(
          "the shared database can only be pulled", .usage,
          hint: "its zones are in the private databases of their owners")
      }
      if named.value != .public, !settings.credentials.reachesPrivate {
        throw CommandError(
          "the \(settings.credentials.kind) reaches only the public database", .noPermission,
          hint:
            "add the remote with --api-token-file and --web-auth-token-file (with --replace, if "
            + "it exists), or name -d public")
      }
      return [named.value]
    }
    return settings.credentials.reachesPrivate ? [.private, .public] : [.public]
  }

  /// The zones that the command names; nil for all.
  func zones() throws -> [ZoneID]? {
    let named = try context.settings.find(GlobalOptions.zone)
    return named.flatMap { $0.origin.isExplicit ? [$0.value] : nil }
  }

  /// The environment of this store that an option names, or else the one like the remote's.
  func environment(creating: Bool) throws -> CloudEnvironment {
    let settings = context.settings
    let named = try settings.find(GlobalOptions.container)
    let id = named.flatMap { $0.origin.isExplicit ? $0.value : nil } ?? self.settings.container
    let kind = try settings.find(GlobalOptions.environment)
    let environment =
      kind.flatMap { $0.origin.isExplicit ? $0.value : nil } ?? self.settings.environment
    let store = try context.anyStore()
    if creating {
      if try store.create() { context.report("created the store \(store.path)") }
      if try store.create(id, for: context.request()) {
        context.report("created container \(id.text)")
        try store.chooseFirst(id)
      }
    }
    return try context.environment(id, environment, in: context.store())
  }

  /// A database of the remote, and its copy here.
  func databases(
    _ scope: DatabaseScope, _ environment: CloudEnvironment
  ) throws -> (remote: RemoteDatabase, copy: RemoteCopy) {
    var identity =
      "\(settings.url) \(settings.container.text) \(settings.environment.rawValue) \(scope.name)"
    if scope != .public, let caller { identity += " \(caller.text)" }
    let copy = try RemoteCopy(environment.database(scope), of: identity, caller: caller)
    return (RemoteDatabase(client, scope), copy)
  }

  /// Saves the server's latest token, unless the remote was changed in the meantime.
  func finish() {
    let current = client.currentSettings
    guard current != settings, let remotes = try? context.remotes(),
      let known = try? remotes.settings(of: settings.name), known == settings
    else { return }
    try? remotes.write(current)
  }
}

extension CommandError {
  /// Converts an error of a server or of the way to it.
  static func remote(_ error: any Error, _ settings: RemoteSettings) -> any Error {
    switch error {
    case let error as RemoteError:
      var command = CommandError(error.cloudError)
      command.text = "\(settings.name.text): \(error.code): \(error.reason)"
      if error.isSignIn, settings.credentials.reachesPrivate {
        command.hint =
          "the web auth token has expired: 'ckdb remote add \(settings.name.text) --replace "
          + "--web-auth-token-file FILE' with a new one"
      } else if error.isSignIn || error.wireCode == .authenticationFailed {
        command.hint =
          "the server does not know the \(settings.credentials.kind) in this environment"
      }
      return command
    case let failure as RemoteFailure where failure.kind != .interrupted:
      var command = CommandError(failure.cloudError)
      command.text = "\(settings.name.text): \(failure.reason)"
      return command
    case let failure as RemoteFailure: return CommandError(failure.cloudError)
    default: return error
    }
  }
}
