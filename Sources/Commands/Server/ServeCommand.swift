internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import Fixtures

/// `ckdb serve`
enum ServeCommand {
  /// The forms of the log.
  enum Log: String, CaseIterable {
    case text
    case json
    case none
  }

  static let host = Option(
    "host", nil, ValueKind<String>.text("ADDRESS"), default: "127.0.0.1", "Address to listen on")
  static let port = Option(
    "port", nil, ValueKind<Int>.count("N", atLeast: 0), default: "8321",
    "Port to listen on; 0 chooses a free one")
  static let socket = Option(
    "unix", nil, .file, "Socket in the file system to listen on, instead of an address")
  static let basePath = Option(
    "base-path", nil, ValueKind<String>.text("PATH"), "Prefix of all paths, such as /cloudkit")
  static let certificate = Option("tls-cert", nil, .file, "Certificate chain for TLS, in PEM")
  static let key = Option("tls-key", nil, .file, "Private key of the certificate, in PEM")
  static let tls = Flag("tls", "Use TLS with a new certificate for localhost")
  static let temporary = Flag("temporary", "Serve an own store, which is removed at the end")
  static let fixtures = Option(
    "fixture", nil, .file, repeats: true, "File or directory to load first")
  static let readOnly = Flag("read-only", "Refuse everything that changes the store")
  static let allowReset = Flag("allow-reset", "Let tests reset and restore the store over HTTP")
  static let insecure = Flag("insecure", "Allow an address beyond this machine without TLS")
  static let opens = Flag("open", "Open the dashboard in the browser, or print its link")
  static let origins = Option(
    "origin", nil, ValueKind<String>.text("URL"), repeats: true,
    "Origin whose pages may send requests, besides those of this machine")
  static let log = Option(
    "log", nil, ValueKind<Log>.choice("FORM"), default: "text",
    "Form of the log: text, json, none")
  static let readyFile = Option(
    "ready-file", nil, .file, "File that gets the ready line, with mode 0600")

  static var command: Command<Context> {
    Command(
      options: [
        AnyOption(host), AnyOption(port), AnyOption(socket), AnyOption(basePath),
        AnyOption(certificate), AnyOption(key), AnyOption(tls), AnyOption(temporary),
        AnyOption(fixtures), AnyOption(FixtureOptions.allowed), AnyOption(readOnly),
        AnyOption(allowReset), AnyOption(insecure), AnyOption(opens), AnyOption(origins),
        AnyOption(log),
        AnyOption(readyFile),
      ],
      discussion: """
        Serves CloudKit Web Services for all containers of the store: /database/1/… and \
        /device/1/…, and what tests need under /ckdb/1/…. When it takes requests it prints \
        'listening on http://127.0.0.1:8321', or with -f json an object with url, port and \
        adminToken. It ends within a second on SIGINT and SIGTERM, with every answered change on \
        the disk. Other commands may use the store at the same time.

        The dashboard is at /. To open it in the browser, add --open.

        Requests need an API token ('ckdb token create') or a server-to-server key ('ckdb key \
        add'). With --temporary the server makes a token, and the ready object has it as \
        apiToken. /ckdb/1/… requires 'Authorization: Bearer ADMINTOKEN'; CKDB_ADMIN_TOKEN sets \
        that token. The server is a program of its own, ckdb-serve, in the same directory.
        """,
      examples: [
        .init("Serve the store", "ckdb serve"),
        .init(
          "Serve a fixture to the tests of a page",
          "ckdb serve --temporary --fixture library.json --port 0 -f json"),
        .init("Serve with TLS", "ckdb serve --tls --port 8443"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    try checkAddress(arguments)
    let program = try CompanionProgram.server(context)
    guard arguments[temporary] else {
      let store = try context.store()
      try load(arguments.all(fixtures), into: store, arguments, context)
      let options = try ServerOptions(arguments, context, store, removes: nil)
      return try start(program, options, removing: nil, context)
    }
    let own = try TemporaryStore(context)
    try ExecStore(context: context, allowed: arguments.all(FixtureOptions.allowed))
      .fill(own.store, with: arguments.all(fixtures))
    try makeToken(in: own.store, context)
    let options = try ServerOptions(arguments, context, own.store, removes: own.path)
    try start(program, options, removing: own, context)
  }

  /// Checks options that need each other.
  private static func checkAddress(_ arguments: Arguments) throws {
    guard (arguments[certificate] == nil) == (arguments[key] == nil) else {
      throw CommandError("--tls-cert and --tls-key need each other", .usage)
    }
    let isSecure = arguments[tls] || arguments[certificate] != nil
    let host = arguments[host] ?? "127.0.0.1"
    let isLoopback = ["127.0.0.1", "::1", "localhost"].contains(host)
    guard isLoopback || isSecure || arguments[insecure] || arguments[socket] != nil else {
      throw CommandError(
        "\(host.visible) is reachable from other machines, which needs TLS", .usage,
        hint: "add --tls, --tls-cert and --tls-key, or --insecure")
    }
    if let path = arguments[basePath], !path.hasPrefix("/") || path.hasSuffix("/") {
      throw CommandError("--base-path begins with a slash, and does not end with one", .usage)
    }
  }

  private static func load(
    _ paths: [String], into store: CloudStore, _ arguments: Arguments, _ context: Context
  ) throws {
    if paths.isEmpty { return }
    let loader = try FixtureLoader(
      paths, allowed: arguments.all(FixtureOptions.allowed), context)
    let summary = try context.quietly { try loader.load(into: store, context) }
    guard summary.faults.isEmpty else {
      let report = FixtureReport(faults: summary.faults, sources: loader.sources)
      throw try report.refusal("nothing was served", of: "serve", asJUnit: false, context)
    }
  }

  /// Makes the API token of a temporary store, for its only container.
  static func makeToken(in store: CloudStore, _ context: Context) throws {
    guard let container = try store.containers().first else { return }
    _ = try store.createAPIToken(
      named: nil, for: container, context.settings.environment(), origins: [], callback: nil,
      context.request())
  }

  /// Makes this process the server.
  static func start(
    _ program: CompanionProgram, _ options: ServerOptions, removing own: TemporaryStore?,
    _ context: Context
  ) throws {
    context.surroundings.flush()
    let words = program.words("serve", options.json.text)
    var variables = context.surroundings.allVariables()
    // The store is in the settings.
    variables["CKDB_STORE"] = nil
    do throws(SystemError) { try ChildProcess.replace(words, variables) } catch {
      own?.remove()
      throw CommandError(error.description, .unavailable)
    }
  }
}
