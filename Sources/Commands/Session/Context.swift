internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage

/// The context of a command: its settings, the store that they name, and the streams.
///
/// Methods that all commands call are not inlined: copies would make the program 0.3 MB larger.
public final class Context {
  let session: Session
  /// The arguments of the command line itself, without the options of the batch or prompt.
  let arguments: Arguments
  private(set) var settings: Settings
  /// Whether no option of the command line changes where or how it acts.
  private let isUsual: Bool

  init(_ session: Session, _ arguments: Arguments) {
    (self.session, self.arguments) = (session, arguments)
    isUsual = !arguments.optionNames.contains(where: GlobalOptions.choosesPlace)
    settings = Settings(
      arguments: arguments.after(session.baseArguments), surroundings: session.surroundings,
      session: session.overrides)
  }

  var surroundings: Surroundings { session.surroundings }
  var output: ByteOutput { session.surroundings.output }
  private var isContextLoaded = false
  private var isQuiet = false

  // MARK: The store

  /// The environments that the command uses: each keeps one connection.
  private(set) var environments: [(environment: CloudEnvironment, store: CloudStore)] = []
  private let baseRequest = Request(
    patience: Patience(milliseconds: 60_000, interruption: .bySignals))
  /// Interrupts the command's requests early; nil leaves that to signals alone.
  var interruption: Interruption?

  /// The request that the command makes, by the settings that are known so far.
  @inline(never)
  func request() throws -> Request {
    var request = baseRequest
    try settings.apply(to: &request)
    if let interruption { request.patience.interruption = interruption }
    return request
  }

  /// Waits as long as injected faults let the answer take.
  func waitForFaults() {
    let end = Platform.monotonicMilliseconds + baseRequest.latency
    let interruption = interruption ?? baseRequest.patience.interruption
    while !interruption.isRaised, case let left = end - Platform.monotonicMilliseconds, left > 0 {
      Platform.sleep(milliseconds: min(left, 20))
    }
  }

  /// The store, which may not exist.
  func anyStore() throws -> CloudStore { session.store(at: try settings.storePath().path) }

  /// The store with its saved context. Throws if there is none.
  @inline(never)
  func store() throws -> CloudStore {
    let store = try anyStore()
    if !isContextLoaded {
      settings.saved = try store.context()
      settings.deviceSettings = { try store.device($0) }
      isContextLoaded = true
    }
    return store
  }

  /// The store with its saved context; nil if there is none, or no location for a default one.
  @discardableResult
  func storeIfAny() throws -> CloudStore? {
    guard let any = try? anyStore(), any.exists else { return nil }
    return try store()
  }

  /// The container that is named, saved, or the only one, with its origin.
  @inline(never)
  func containerID() throws -> (id: ContainerID, origin: Settings.Origin) {
    let store = try store()
    if let found = try settings.find(GlobalOptions.container) {
      return (found.value, found.origin)
    }
    return (try onlyContainer(of: store), .fallback)
  }

  /// The container of another store: the one named or saved here if it exists there, or else the
  /// one saved there, or its only one.
  func containerID(in other: CloudStore) throws -> ContainerID {
    let all = try other.containers()
    let named = try settings.find(GlobalOptions.container)?.value
    if let named, all.contains(named) { return named }
    let saved = try other.context()[GlobalOptions.container.name]
    if let chosen = all.first(where: { $0.text == saved }) { return chosen }
    return try onlyContainer(of: other)
  }

  @inline(never)
  private func onlyContainer(of store: CloudStore) throws -> ContainerID {
    let all = try store.containers()
    if all.count == 1 { return all[0] }
    throw CommandError(
      all.isEmpty ? "the store has no container" : "no container is chosen", .configuration,
      hint: all.isEmpty
        ? "ckdb container create iCloud.com.example.app creates one"
        : "choose one with --container: \(all.map(\.text).joined(separator: ", "))")
  }

  /// The container and environment that the settings name.
  func environment() throws -> CloudEnvironment {
    try environment(settings.environment())
  }

  /// An environment of the container that the settings name.
  func environment(_ environment: CloudModel.Environment) throws -> CloudEnvironment {
    let store = try store()
    return try self.environment(containerID().id, environment, in: store)
  }

  /// An environment of a store, for the command's request.
  @inline(never)
  func environment(
    _ id: ContainerID, _ environment: CloudModel.Environment, in store: CloudStore
  ) throws -> CloudEnvironment {
    if let open = session.prompt?.transaction {
      return try part(of: open, id, environment, in: store)
    }
    let known = environments.first {
      $0.store === store && $0.environment.container == id
        && $0.environment.environment == environment
    }
    if let known { return known.environment }
    let opened = try store.environment(id, environment, for: request())
    environments.append((opened, store))
    return opened
  }

  /// The environment of the open transaction. Throws `CommandError` if another one is named.
  private func part(
    of open: CloudEnvironment, _ id: ContainerID, _ environment: CloudModel.Environment,
    in store: CloudStore
  ) throws -> CloudEnvironment {
    guard open.container == id, open.environment == environment, open.isPart(of: store) else {
      throw CommandError(
        "the open transaction is in \(open.container.text) \(open.environment.rawValue)",
        .usage, hint: "commit or rollback ends it")
    }
    return open.acting(for: try request())
  }

  /// The key-value stores and the documents that the command uses.
  private(set) var deviceApps: [DeviceApp] = []

  /// The key-value store of a container, for the command's request.
  func keyValueStore(_ id: ContainerID, in store: CloudStore) throws -> KeyValueStore {
    try deviceApp {
      ($0 as? KeyValueStore)?.container == id
    } orElse: {
      try store.keyValueStore(id, for: request())
    }
  }

  /// The documents of a container, for the command's request.
  func documentStore(_ id: ContainerID, in store: CloudStore) throws -> DocumentStore {
    try deviceApp {
      ($0 as? DocumentStore)?.container == id
    } orElse: {
      try store.documentStore(id, for: request())
    }
  }

  private func deviceApp<App: DeviceApp>(
    _ isWanted: (DeviceApp) -> Bool, orElse open: () throws -> App
  ) throws -> App {
    if let known = deviceApps.first(where: isWanted) as? App { return known }
    let opened = try open()
    deviceApps.append(opened)
    return opened
  }

  /// The database that the settings name.
  @inline(never)
  func database() throws -> CloudDatabase {
    if isUsual, interruption == nil, let usual = session.usual,
      usual.version == usual.store.version
    {
      let environment = usual.environment.acting(for: usual.environment.request.again())
      environments.append((environment, usual.store))
      return try environment.database(usual.scope)
    }
    // Open the store first: it has the saved settings.
    let (store, environment) = (try store(), try environment())
    let scope = try settings.scope()
    if isUsual, interruption == nil {
      session.usual = .init(
        environment: environment, scope: scope, store: store, version: store.version)
    }
    return try environment.database(scope)
  }

  /// The zone that is named here or saved, or the default zone.
  func zone() throws -> ZoneID { try namedZone() ?? .defaultZone }

  /// The zone that is named here or saved; nil if there is none.
  @inline(never)
  func namedZone() throws -> ZoneID? {
    // Open the store first, if there is one: it has the saved settings.
    try storeIfAny()
    return try settings.namedZone()
  }

  // MARK: Output

  /// The colours of results.
  @inline(never)
  var style: TextStyle { TextStyle(settings, isTerminal: surroundings.outputIsTerminal) }

  /// The user's settings, which apply only on a terminal; nil if they cannot be read.
  private var configuration: Configuration? {
    surroundings.outputIsTerminal ? try? session.configuration() : nil
  }

  /// The maximum number of columns of a table.
  var tableWidth: Int {
    min(surroundings.width(), configuration?.count("table.maximumWidth") ?? .max)
  }

  /// The date style of tables. Throws `CommandError`.
  func dates() throws -> DateStyle { try settings.dates(configuration) }

  /// The format of results: as requested, or else the user's or `table` on a terminal, and `tsv` in
  /// a pipe. Throws `CommandError`.
  @inline(never)
  func format() throws -> OutputFormat {
    if let format = try settings.chosenFormat() { return format }
    let usual = configuration?.text("format").flatMap { OutputFormat(rawValue: $0) }
    return usual ?? (surroundings.outputIsTerminal ? .table : .tsv)
  }

  // MARK: Messages

  /// Reports what was done, unless `--quiet`.
  func report(_ text: @autoclosure () -> String) {
    if !isQuiet, !settings.isSet(GlobalOptions.quiet) {
      session.surroundings.errors.line(text().visible)
    }
  }

  /// The columns of the terminal that shows messages; nil if they go elsewhere.
  var errorsWidth: Int? { surroundings.errorsAreTerminal ? surroundings.errorsWidth() : nil }

  /// The columns of the terminal that shows results; nil if they go elsewhere.
  var outputWidth: Int? { surroundings.outputIsTerminal ? surroundings.width() : nil }

  /// Prints a warning, unless `--quiet`.
  func warn(_ text: @autoclosure () -> String) {
    if !isQuiet, !settings.isSet(GlobalOptions.quiet) {
      let style = TextStyle(settings, isTerminal: surroundings.errorsAreTerminal)
      let label = "ckdb: warning:"
      let message = "\(label) \(text().visible)".fitting(errorsWidth, indent: 2)
      surroundings.errors.line(style(label, .warning) + message.dropFirst(label.count))
    }
  }

  /// Runs work without any messages.
  func quietly<Result>(_ work: () throws -> Result) rethrows -> Result {
    isQuiet = true
    defer { isQuiet = false }
    return try work()
  }

  /// Reports new accounts, types and fields, and large assets.
  @inline(never)
  func report(_ notices: [Notice]) {
    for notice in notices {
      switch notice {
      case .newAccount(let account, let name, let near):
        report("new account \(account.name) (\(name.text))\(doubt(near?.name))")
      case .newType(let type, let near):
        report("new record type \(type.text)\(doubt(near?.text))")
      case .newField(let name, let type, let near):
        report("new field \(name.text) of \(type.text)\(doubt(near?.text))")
      case .unknownInvitee(let account, let near):
        let hint = near.map { "; did you mean \($0.name)?" } ?? ""
        warn("there is no account \(account.name) yet\(hint)")
      case .largeAsset(let asset):
        warn("the asset has \(asset.size) bytes; CloudKit allows \(Limits.assetSize)")
      }
    }
  }

  /// A note about an existing name that is similar to a new one.
  private func doubt(_ near: String?) -> String { near.map { " (there is also \($0))" } ?? "" }

  /// Asks for confirmation of an irreversible action. Throws if the answer is no or input is not
  /// possible.
  @inline(never)
  func confirm(_ question: String) throws {
    if settings.isSet(GlobalOptions.yes) { return }
    guard surroundings.inputIsTerminal, !settings.isSet(GlobalOptions.noInput) else {
      throw CommandError("would \(question); add --yes", .usage)
    }
    surroundings.output.flush()
    surroundings.errors.write("\(question.visible)? [y/N] ")
    surroundings.errors.flush()
    guard let answer = try surroundings.input.typedLine() else {
      surroundings.errors.line("")
      throw CommandError("cancelled", .no)
    }
    guard ["y", "yes"].contains(answer.lowercased()) else { throw CommandError("cancelled", .no) }
  }

  // MARK: Predicates

  /// Parses a predicate. Throws `CommandError` with the position of the fault.
  @inline(never)
  func parse(
    _ text: String, _ arguments: [PredicateParser.Argument] = [],
    variables: [String: PredicateParser.Argument] = [:]
  ) throws -> Predicate {
    let now = try request().now
    do throws(PredicateError) {
      return try PredicateParser.parse(
        text, arguments: arguments, variables: variables, now: now)
    } catch {
      throw CommandError(syntax: error, in: text)
    }
  }

  /// Runs work and attributes its errors to the text of a predicate.
  func blaming<T>(_ predicate: String, _ work: () throws -> T) throws -> T {
    do { return try work() } catch let error as CloudError {
      throw CommandError(error, predicate: predicate)
    }
  }
}
