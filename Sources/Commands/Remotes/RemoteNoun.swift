internal import Basics
internal import CloudModel
internal import CloudSync
internal import CommandKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `ckdb remote …`
enum RemoteNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("add", "Add a container of another server", verb: { RemoteAdd.command }),
    CommandRow("list", "List the remotes", verb: { RemoteList.command }),
    CommandRow("show", "Show a remote", verb: { RemoteShow.command }),
    CommandRow("remove", "Remove a remote", verb: { RemoteRemove.command }),
    CommandRow("check", "Try the credentials and the indexes", verb: { RemoteCheck.command }),
    CommandRow("diff", "Compare the store with a remote", verb: { RemoteDiff.command }),
  ]

  static let name = Operand(
    "NAME", ValueKind<String>.text("NAME", candidates: .question("remotes")), "Name of the remote")
  static let optionalName = Operand(
    "NAME", ValueKind<String>.text("NAME", candidates: .question("remotes")), .optional,
    "Remote (default: the only one)")

  static let columns = ["name", "url", "container", "environment", "credentials"]

  static func row(_ settings: RemoteSettings) -> [JSONValue] {
    [
      .string(settings.name.text), .string(settings.url), .string(settings.container.text),
      .string(settings.environment.rawValue), .string(settings.credentials.kind),
    ]
  }
}

/// `ckdb remote add NAME`
enum RemoteAdd {
  static let name = Operand("NAME", ValueKind<String>.text("NAME"), "Name for the remote")
  static let url = Option(
    "url", nil, ValueKind<String>.text("URL"), default: RemoteSettings.appleURL,
    "Address of the service")
  static let keyID = Option(
    "key-id", nil, ValueKind<String>.text("ID"), "ID of a server-to-server key")
  static let key = Option("key", nil, .file, "The key's private part, in PEM; - is standard input")
  static let token = Option(
    "api-token-file", nil, .file, "File with an API token; - is standard input")
  static let webAuthToken = Option(
    "web-auth-token-file", nil, .file, "File with the web auth token of a user")
  static let replace = Flag("replace", "Change a remote that exists; what is left out stays")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name)],
      options: [
        AnyOption(url), AnyOption(keyID), AnyOption(key), AnyOption(token),
        AnyOption(webAuthToken), AnyOption(replace),
      ],
      discussion: """
        Remembers a container of CloudKit, or of 'ckdb serve', with the credentials to sign in \
        there. -C and -e name the container and the environment there. A key reaches the public \
        database; an API token with a web auth token also reaches the private one.

        The file is $XDG_CONFIG_HOME/ckdb/remotes/NAME.json, which only its owner may read. The \
        store has no secrets, and no command prints them. Nothing is sent: 'ckdb remote check' \
        tries the credentials.
        """,
      examples: [
        .init(
          "Add the public database of production",
          "ckdb remote add prod -C iCloud.com.example.app -e production --key-id 12ab34cd "
            + "--key eckey.pem"),
        .init(
          "Add another ckdb serve",
          "ckdb remote add lab --url http://127.0.0.1:8321 -C iCloud.com.example.app "
            + "--api-token-file token.txt"),
        .init(
          "Sign in again when the web auth token has expired",
          "ckdb remote add lab --replace --web-auth-token-file web-token.txt"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let name = try RemoteName(arguments.required(name))
    let remotes = try context.remotes()
    guard arguments[replace] || !remotes.has(name) else {
      throw CommandError(
        "remote \(name.text) already exists", .cannotCreate,
        hint: "--replace changes it; 'ckdb remote remove \(name.text)' removes it")
    }
    let old = arguments[replace] ? try remotes.settings(of: name) : nil
    let url = try arguments[url].map(address) ?? old?.url ?? RemoteSettings.appleURL
    let kept = old?.url == url ? old?.credentials : nil
    let names = [keyID.name, key.name, token.name, webAuthToken.name]
    if old != nil, kept == nil, !names.contains(where: arguments.has) {
      throw CommandError(
        "another address does not get the credentials of this one", .usage,
        hint: "name them, too")
    }
    let settings = RemoteSettings(
      name, url: url, try container(old, context), try environment(old, context),
      try credentials(arguments, kept, context))
    try remotes.write(settings)
    context.report("\(old == nil ? "added" : "replaced") remote \(name.text)")
  }

  private static func container(
    _ old: RemoteSettings?, _ context: Context
  ) throws -> ContainerID {
    let named = try context.settings.find(GlobalOptions.container)
    if let named, old == nil || named.origin == .option { return named.value }
    if let old { return old.container }
    if try context.storeIfAny() != nil { return try context.containerID().id }
    throw CommandError("no container is chosen", .usage, hint: "name the remote's with -C ID")
  }

  private static func environment(
    _ old: RemoteSettings?, _ context: Context
  ) throws -> CloudModel.Environment {
    let named = try context.settings.find(GlobalOptions.environment)
    if let old, named?.origin != .option { return old.environment }
    return named?.value ?? .development
  }

  /// Checks an address: secrets need TLS, except to this machine.
  private static func address(_ text: String) throws -> String {
    var url = text
    while url.hasSuffix("/") { url.removeLast() }
    let isSecure = url.hasPrefix("https://")
    guard isSecure || url.hasPrefix("http://"), !url.contains("?"), !url.contains("@") else {
      throw CommandError(
        "--url must be https://HOST or http://HOST, without a query or a user", .usage)
    }
    let host = url.dropFirst(isSecure ? 8 : 7).prefix { $0 != "/" }
    let isHere = ["127.0.0.1", "localhost", "[::1]"].contains { here in
      host == here || host.hasPrefix(here + ":")
    }
    guard isSecure || isHere else {
      throw CommandError(
        "\(text.visible) would get the credentials in plain text: use https", .usage)
    }
    return url
  }

  /// The credentials from the options; missing parts come from `kept`.
  private static func credentials(
    _ arguments: Arguments, _ kept: RemoteCredentials?, _ context: Context
  ) throws -> RemoteCredentials {
    let hasKey = arguments[keyID] != nil || arguments[key] != nil
    let hasToken = arguments[token] != nil || arguments[webAuthToken] != nil
    switch (hasKey, hasToken) {
    case (false, false): if let kept { return kept }
    case (true, false):
      var (id, pem): (String?, String?) = (nil, nil)
      if case .key(let keptID, let keptPEM)? = kept { (id, pem) = (keptID, keptPEM) }
      id = try arguments[keyID].map(checkedID) ?? id
      pem = try arguments[key].map { try self.pem(of: $0, context) } ?? pem
      if let id, let pem { return .key(id: id, pem: pem) }
    case (false, true):
      guard arguments[token] != "-" || arguments[webAuthToken] != "-" else {
        throw CommandError("standard input can have only one of the tokens", .usage)
      }
      var (api, web): (String?, String?) = (nil, nil)
      if case .token(let keptAPI, let keptWeb)? = kept { (api, web) = (keptAPI, keptWeb) }
      api = try arguments[token].map { try tokenText(of: $0, context) } ?? api
      web = try arguments[webAuthToken].map { try tokenText(of: $0, context) } ?? web
      if let api { return .token(api, webAuthToken: web) }
    case (true, true): break
    }
    throw CommandError(
      "a remote needs --key-id and --key, or --api-token-file", .usage,
      hint: "--web-auth-token-file can be added to --api-token-file")
  }

  private static func checkedID(_ text: String) throws -> String {
    guard text.isToken else {
      throw CommandError("--key-id '\(text.visible)' is not the ID of a key", .usage)
    }
    return text
  }

  private static func pem(of path: String, _ context: Context) throws -> String {
    let pem = try text(of: path, context)
    guard pem.hasPrefix("-----BEGIN ") && pem.contains("PRIVATE KEY-----") else {
      throw CommandError("\(path.visible) is not a private key in PEM", .data)
    }
    return pem
  }

  private static func tokenText(of path: String, _ context: Context) throws -> String {
    let text = try text(of: path, context)
    guard text.isToken else {
      let place = path == "-" ? "standard input" : path
      throw CommandError("\(place.visible) does not contain a token", .data)
    }
    return text
  }

  private static func text(of path: String, _ context: Context) throws -> String {
    let file = path == "-" ? context.surroundings.input : try FileHandle(openRegular: path)
    var bytes: [UInt8] = []
    let reader = LineReader(file)
    while let line = try reader.next() {
      bytes += Array(line) + [UInt8(ascii: "\n")]
      guard bytes.count < 1 << 16 else {
        throw CommandError("\(path.visible) is too long for a key or a token", .data)
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}

extension String {
  /// Whether the text is not empty and has only visible ASCII characters.
  fileprivate var isToken: Bool { !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
}

/// `ckdb remote list`
enum RemoteList {
  static var command: Command<Context> {
    Command(examples: [.init("List the remotes", "ckdb remote list")]) { _, context in
      let output = try RowOutput(context, noun: "remote", columns: RemoteNoun.columns)
      let remotes = try context.remotes()
      var failure: (any Error)?
      for name in try remotes.names() {
        do { output.row(RemoteNoun.row(try remotes.settings(of: name))) } catch {
          failure = failure ?? error
        }
      }
      output.finish()
      if let failure { throw failure }
    }
  }
}

/// `ckdb remote show NAME`
enum RemoteShow {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(RemoteNoun.optionalName)],
      discussion: "Shows everything but the secrets.",
      examples: [.init("Show a remote", "ckdb remote show lab")]
    ) { arguments, context in
      let output = try RowOutput(context, noun: "remote", columns: RemoteNoun.columns)
      output.row(RemoteNoun.row(try context.remote(arguments[RemoteNoun.optionalName])))
      output.finish()
    }
  }
}

/// `ckdb remote remove NAME`
enum RemoteRemove {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(RemoteNoun.name)],
      discussion: """
        Forgets the credentials. Stores keep what was pulled, and how far, for a remote with the \
        same address, container and environment.
        """,
      examples: [.init("Remove a remote", "ckdb remote remove lab")]
    ) { arguments, context in
      let name = try RemoteName(arguments.required(RemoteNoun.name))
      try context.remotes().remove(name)
      context.report("removed remote \(name.text)")
    }
  }
}
