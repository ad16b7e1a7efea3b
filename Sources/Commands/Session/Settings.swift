internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// The values of the global options for one command, with their origins:
/// option > variable > saved context > default.
struct Settings {
  let arguments: Arguments
  let surroundings: Surroundings
  /// The settings of this session of the prompt, made by `use`.
  var session = SavedContext()
  /// The settings that `use` saved in the store.
  var saved = SavedContext()
  /// Looks up the settings of a device; nil before the store is known.
  var deviceSettings: ((Device) throws -> NamedDevice?)?

  /// The origin of a value.
  enum Origin: Equatable {
    case option
    case variable(String)
    case session
    case saved
    case fallback

    var text: String {
      switch self {
      case .option: "option"
      case .variable(let name): "variable \(name)"
      case .session: "this session"
      case .saved: "saved"
      case .fallback: "default"
      }
    }

    /// Whether the command line or an environment variable sets the value.
    var isExplicit: Bool {
      switch self {
      case .option, .variable: true
      case .session, .saved, .fallback: false
      }
    }
  }

  /// The value of an option and its origin; nil if it is not set. Throws `CommandError`.
  func find<Value>(_ option: Option<Value>) throws -> (value: Value, origin: Origin)? {
    if let value = arguments[option] { return (value, .option) }
    if let variable = option.variable, let text = surroundings.variable(variable) {
      return (try read(text, option, "\(variable)"), .variable(variable))
    }
    if let text = session[option.name] {
      return (try read(text, option, "the session's \(option.name)"), .session)
    }
    if let text = saved[option.name] {
      return (try read(text, option, "the saved \(option.name)"), .saved)
    }
    return nil
  }

  private func read<Value>(
    _ text: String, _ option: Option<Value>, _ source: String
  ) throws -> Value {
    do { return try option.kind.parse(text) } catch {
      if let refusal = error.refusal { throw CommandError(any: refusal) }
      throw CommandError("\(source): \(error.message)", .usage, hint: error.hint)
    }
  }

  func isSet(_ flag: Flag) -> Bool {
    if arguments[flag] { return true }
    if let variable = flag.variable, let text = surroundings.variable(variable) {
      return text != "0"
    }
    return session[flag.name] == "1" || saved[flag.name] == "1"
  }

  /// The origin of a flag's value.
  func origin(of flag: Flag) -> Origin {
    if arguments[flag] { return .option }
    if let variable = flag.variable, surroundings.variable(variable) != nil {
      return .variable(variable)
    }
    if session[flag.name] != nil { return .session }
    return saved[flag.name] != nil ? .saved : .fallback
  }

  // MARK: Values

  func environment() throws -> CloudModel.Environment {
    try find(GlobalOptions.environment)?.value ?? .development
  }

  func scope() throws -> DatabaseScope { try find(GlobalOptions.database)?.value ?? .private }

  /// The zone, if one was named.
  func namedZone() throws -> ZoneID? { try find(GlobalOptions.zone)?.value }

  /// The acting account: the one that an option or a variable names, or else that of the named
  /// device, or else the current one (M8).
  func account() throws -> Account? {
    let user = try find(GlobalOptions.user)
    if user.map({ !$0.origin.isExplicit }) ?? true, let device = try namedDevice(),
      let settings = try deviceSettings?(device)
    {
      return settings.account
    }
    let name = user?.value ?? "me"
    return name == "none" ? nil : try Account(name)
  }

  /// The named device; nil for none and for `cli`.
  func namedDevice() throws -> Device? {
    let device = try device()
    return device == .cli ? nil : device
  }

  func device() throws -> Device {
    try find(GlobalOptions.device).map { try Device($0.value) } ?? .cli
  }

  /// Applies the options and variables to a request.
  func apply(to request: inout Request) throws {
    request.account = try account()
    request.device = try device()
    request.fixedClock = try find(GlobalOptions.clock)?.value
    request.randomness = try find(GlobalOptions.seed).map { .seeded($0.value) } ?? .system
    request.patience.milliseconds = Int64((try find(GlobalOptions.wait)?.value ?? 60) * 1000)
    request.isStrict = isSet(GlobalOptions.strict)
  }

  /// The format that an option of this command line names.
  var explicitFormat: OutputFormat? {
    // The last one wins: those of the command are after those before `-c`.
    for name in arguments.optionNames.reversed() {
      switch name {
      case GlobalOptions.format.name: return arguments[GlobalOptions.format]
      case GlobalOptions.json.name: return .json
      case GlobalOptions.jsonl.name: return .jsonl
      case GlobalOptions.csv.name: return .csv
      default: continue
      }
    }
    return nil
  }

  /// The format that an option, a variable or `use` names; nil if none does. Throws `CommandError`.
  func chosenFormat() throws -> OutputFormat? {
    try explicitFormat ?? find(GlobalOptions.format)?.value
  }

  /// The path of the store (M1.5) and its origin.
  func storePath() throws -> (path: String, origin: Origin) {
    if let found = try find(GlobalOptions.store) { return (found.value, found.origin) }
    var directory = surroundings.workingDirectory
    while true {
      let candidate = directory == "/" ? "/.ckdb" : directory + "/.ckdb"
      if CloudStore(path: candidate, .bySignals).exists { return (candidate, .fallback) }
      let parent = FileSystem.parent(of: directory)
      if parent == directory || parent == "." { break }
      directory = parent
    }
    if let data = surroundings.variable("XDG_DATA_HOME") { return (data + "/ckdb", .fallback) }
    guard let home = surroundings.variable("HOME") else {
      throw CommandError(
        "no default store: HOME is not set", .usage,
        hint: "choose one with --store DIR or CKDB_STORE")
    }
    return (home + "/.local/share/ckdb", .fallback)
  }
}
