internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb token …`
enum TokenNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("create", "Create an API token", verb: { TokenCreate.command }),
    CommandRow("list", "List the API tokens", verb: { TokenList.command }),
    CommandRow("delete", "Delete API tokens", verb: { TokenDelete.command }),
    CommandRow(
      "sign-in", "Print a web auth token of an account", verb: { TokenSignIn.command }),
  ]

  static let columns = ["token", "name", "container", "environment", "origins", "callback"]

  static func cells(_ token: APIToken) -> [JSONValue] {
    [
      .string(token.text), token.name.map { .string($0) } ?? .null,
      .string(token.container.text), .string(token.environment.rawValue),
      .string(token.origins.joined(separator: " ")),
      token.callback.map { .string($0) } ?? .null,
    ]
  }
}

/// `ckdb token create`
enum TokenCreate {
  static let name = Option("name", nil, ValueKind<String>.text("NAME"), "Name of the token")
  static let origins = Option(
    "origin", nil, ValueKind<String>.text("URL"), repeats: true,
    "Origin whose pages may use it (default: those of this machine)")
  static let callback = Option(
    "callback", nil, ValueKind<String>.text("URL"),
    "URL that the sign-in page leads to, with ckWebAuthToken")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(name), AnyOption(origins), AnyOption(callback)],
      discussion: """
        Creates an API token, which lets pages and apps use an environment of a container over \
        HTTP ('ckdb serve'), and prints it. Send it as the query parameter ckAPIToken. It is \
        stored in access.json next to store.json; no snapshot or backup has it.
        """,
      examples: [
        .init("Create a token", "ckdb token create"),
        .init(
          "Let the pages of one site use it",
          "ckdb token create --name site --origin https://app.example.org"),
      ]
    ) { arguments, context in
      let store = try context.store()
      for origin in arguments.all(origins) {
        guard isOrigin(origin) else {
          throw CommandError(
            "'\(origin.visible)' is not an origin", .usage,
            hint: "write a scheme and a host, such as https://app.example.org")
        }
      }
      let token = try store.createAPIToken(
        named: arguments[name], for: context.containerID().id, context.settings.environment(),
        origins: arguments.all(origins), callback: arguments[callback], context.request())
      guard context.settings.explicitFormat != nil else { return context.output.line(token.text) }
      let output = try RowOutput(context, noun: "token", columns: TokenNoun.columns)
      output.row(TokenNoun.cells(token))
      output.finish()
    }
  }

  /// Whether a text is an origin: a scheme, a host and perhaps a port.
  private static func isOrigin(_ text: String) -> Bool {
    for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
      let rest = text.dropFirst(scheme.count)
      return !rest.isEmpty && !rest.utf8.contains(UInt8(ascii: "/"))
        && rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
    return false
  }
}

/// `ckdb token list`
enum TokenList {
  static var command: Command<Context> {
    Command(
      discussion: "Lists the API tokens of all containers.",
      examples: [.init("List the tokens", "ckdb token list")]
    ) { _, context in
      let output = try RowOutput(context, noun: "token", columns: TokenNoun.columns)
      for token in try context.store().apiTokens() { output.row(TokenNoun.cells(token)) }
      output.finish()
    }
  }
}

/// `ckdb token delete TOKEN…`
enum TokenDelete {
  static let tokens = Operand(
    "TOKEN", ValueKind<String>.text("TOKEN"), .oneOrMore, "Token, or its name")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(tokens)],
      discussion: "Deletes API tokens. The web auth tokens that they gave end with them.",
      examples: [.init("Delete a token by its name", "ckdb token delete old-site")]
    ) { arguments, context in
      let store = try context.store()
      for token in arguments.all(tokens) {
        try store.deleteAPIToken(token)
        context.report("deleted token \(token)")
      }
    }
  }
}

/// `ckdb token sign-in USER`
enum TokenSignIn {
  static let user = Operand("USER", ValueKind<String>.text("USER"), "Account to sign in")
  static let token = Option(
    "token", nil, ValueKind<String>.text("TOKEN"),
    "API token, or its name (default: the only one of the container and environment)")
  static let keep = Flag("keep", "Stay signed in for two weeks instead of 30 minutes")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(user)], options: [AnyOption(token), AnyOption(keep)],
      discussion: """
        Prints a web auth token, as the sign-in page gives one. Send it, percent-encoded, as the \
        query parameter ckWebAuthToken next to ckAPIToken.
        """,
      examples: [.init("Sign ann in", "ckdb token sign-in ann --token site")]
    ) { arguments, context in
      let store = try context.store()
      let text = try store.webAuthToken(
        for: Account(arguments.required(user)), by: chosen(arguments[token], store, context),
        isLasting: arguments[keep],
        // Servers read the machine's clock, whatever --clock says.
        at: Timestamp(milliseconds: Platform.wallClockMilliseconds))
      context.output.line(text)
    }
  }

  private static func chosen(
    _ named: String?, _ store: CloudStore, _ context: Context
  ) throws -> APIToken {
    let (container, environment) =
      (try context.containerID().id, try context.settings.environment())
    let fitting = try store.apiTokens().filter {
      $0.container == container && $0.environment == environment
        && (named == nil || $0.text == named || $0.name == named)
    }
    if fitting.count == 1 { return fitting[0] }
    throw CommandError(
      fitting.isEmpty
        ? "no API token of \(container.text) \(environment.rawValue)"
        : "\(fitting.count) API tokens fit", fitting.isEmpty ? .no : .usage,
      hint: fitting.isEmpty ? "'ckdb token create' creates one" : "choose one with --token")
  }
}
