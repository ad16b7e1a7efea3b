internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb user permission [status|request|grant|deny|reset]`
enum UserPermission {
  enum Action: String, CaseIterable {
    case status
    case request
    case grant
    case deny
    case reset
  }

  enum Answer: String, CaseIterable {
    case grant
    case deny

    var state: Discoverability {
      switch self {
      case .grant: .granted
      case .deny: .denied
      }
    }
  }

  static let action = Operand(
    "ACTION", ValueKind<Action>.choice("ACTION"), .optional,
    "Action: status, request, grant, deny or reset")
  static let answer = Option(
    "answer", nil, ValueKind<Answer>.choice("ANSWER"), "Answer to request: grant or deny")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(action)], options: [AnyOption(answer)],
      discussion: """
        Prints the userDiscoverability permission of the current account in the container: \
        initialState, couldNotComplete, denied or granted. request asks the person as an app does: \
        once, and the answer applies on all devices. grant and deny set the answer; reset forgets \
        it.
        """,
      examples: [
        .init("Ask as an app does", "ckdb user permission request --answer grant"),
        .init("Print the state", "ckdb user permission"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let (store, environment) = (try context.store(), try context.environment())
    guard let account = try context.settings.account() else {
      throw CommandError(any: CloudError.notSignedIn)
    }
    let status = try store.status(of: account)
    let known = try environment.discoverability(of: account, status)
    let action = arguments[action] ?? .status
    guard arguments[answer] == nil || action == .request else {
      throw CommandError("--answer can only be used with request", .usage)
    }
    switch action {
    case .status: break
    case .request:
      if known == .initialState {
        try environment.set(ask(arguments, account, environment, context), of: account)
      }
    case .grant: try environment.set(.granted, of: account)
    case .deny: try environment.set(.denied, of: account)
    case .reset: try environment.set(nil, of: account)
    }
    let now = try environment.discoverability(of: account, status)
    guard context.settings.explicitFormat != nil else { return context.output.line(now.name) }
    let output = try RowOutput(context, noun: "permission", columns: ["account", "permission"])
    output.row([.string(account.name), .string(now.name)])
    output.finish()
  }

  private static func ask(
    _ arguments: Arguments, _ account: Account, _ environment: CloudEnvironment,
    _ context: Context
  ) throws -> Discoverability {
    if let answer = arguments[answer] { return answer.state }
    guard context.surroundings.inputIsTerminal, !context.settings.isSet(GlobalOptions.noInput)
    else { throw CommandError("cannot ask without a terminal", .usage, hint: "use --answer") }
    let question = "let users of \(environment.container.text) find \(account.name)"
    do {
      try context.confirm(question)
      return .granted
    } catch let error as CommandError where error.exitCode == .no { return .denied }
  }
}

/// `ckdb user contact add|remove|list [ADDRESS…]`
enum UserContact {
  enum Action: String, CaseIterable {
    case add
    case remove
    case list
  }

  static let action = Operand(
    "ACTION", ValueKind<Action>.choice("ACTION"), "Action: add, remove or list")
  static let addresses = Operand(
    "ADDRESS", .address, .any, "E-mail addresses and phone numbers")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(action), AnyOperand(addresses)],
      discussion: """
        Edits the address book of the current account. By address, 'user discover' finds only \
        people who are in it.
        """,
      examples: [
        .init("Add a contact", "ckdb user contact add anna@example.com"),
        .init("List the contacts", "ckdb user contact list"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let store = try context.store()
    guard let account = try context.settings.account() else {
      throw CommandError(any: CloudError.notSignedIn)
    }
    let (action, addresses) = (arguments.required(action), arguments.all(addresses))
    guard (action == .list) == addresses.isEmpty else {
      throw CommandError(
        action == .list ? "list takes no ADDRESS" : "\(action.rawValue) needs an ADDRESS", .usage)
    }
    switch action {
    case .add, .remove:
      let isAdded = action == .add
      let count = try store.setContacts(addresses, of: account, areThere: isAdded)
      context.report("\(isAdded ? "added" : "removed") \(count.counted("contact"))")
    case .list:
      let output = try RowOutput(context, noun: "contact", columns: ["address"])
      for address in try store.contacts(of: account) { output.row([.string(address.text)]) }
      output.finish()
    }
  }
}

/// `ckdb user discover`
enum UserDiscover {
  static let email = Option("email", nil, .email, repeats: true, "Find by an e-mail address")
  static let phone = Option("phone", nil, .phone, repeats: true, "Find by a phone number")
  static let id = Option(
    "id", nil, ValueKind<String>.text("NAME"), repeats: true, "Find by a user record name")
  static let all = Flag("all", "Find all contacts")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(email), AnyOption(phone), AnyOption(id), AnyOption(all)],
      discussion: """
        Finds users of the container who have run the app and granted discoverability: by an \
        address in the address book of the current account (rule R11.3.2), by a user record name \
        (R11.3.3), or all contacts (R11.3.4). Others are left out without an error; if no one is \
        found, the exit code is 1, or 0 with --all. An account has run the app when it has written \
        to the container, or answered 'user permission'.
        """,
      examples: [
        .init("Find a contact", "ckdb user discover --email anna@example.com"),
        .init("Find all contacts", "ckdb user discover --all --json"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let addresses = arguments.all(email) + arguments.all(phone)
    let lookups =
      addresses.map { UserLookup.address($0) }
      + arguments.all(id).map { .name(UserRecordName(stored: $0)) }
    guard arguments[all] != !lookups.isEmpty else {
      throw CommandError("specify --all, or an address or user record name", .usage)
    }
    let database = try context.database()
    let account = try database.requireAccount()
    let environment = database.environment
    let found =
      try arguments[all]
      ? environment.discoverAll(by: account) : environment.discover(lookups, by: account)
    let output = try RowOutput(
      context, noun: "user",
      columns: ["userRecordName", "nameComponents", "lookupInfo", "hasiCloudAccount"])
    for identity in found { output.row(identity.cells) }
    output.finish()
    if found.isEmpty, !arguments[all] { throw QuietExit(code: .no) }
  }
}

extension UserIdentity {
  /// The cells of `user discover`.
  fileprivate var cells: [JSONValue] {
    [
      userRecordName.map { .string($0.text) } ?? .null, names ?? .null, lookup ?? .null,
      .bool(hasAccount),
    ]
  }

  /// The identity as one object (`CKUserIdentity`).
  var json: JSONValue {
    let columns = zip(
      ["userRecordName", "nameComponents", "lookupInfo", "hasiCloudAccount"], cells)
    return .object(
      columns.compactMap { name, value in value == .null ? nil : JSONMember(name, value) })
  }

  private var names: JSONValue? {
    var names: [JSONMember] = []
    if let givenName { names.append(JSONMember("givenName", .string(givenName))) }
    if let familyName { names.append(JSONMember("familyName", .string(familyName))) }
    return names.isEmpty ? nil : .object(names)
  }

  private var lookup: JSONValue? {
    let member: JSONMember? =
      switch address {
      case .email(let text)?: JSONMember("emailAddress", .string(text))
      case .phone(let text)?: JSONMember("phoneNumber", .string(text))
      case nil: userRecordName.map { JSONMember("userRecordName", .string($0.text)) }
      }
    return member.map { .object([$0]) }
  }
}
