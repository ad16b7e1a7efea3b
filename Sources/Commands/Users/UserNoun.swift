internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb user …`
enum UserNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("role", "List, add and remove the roles of users", verb: { UserRole.command }),
    CommandRow(
      "permission", "Print or set whether other users can find the account",
      verb: { UserPermission.command }),
    CommandRow("contact", "Edit the address book of the account", verb: { UserContact.command }),
    CommandRow("discover", "Find users by their addresses", verb: { UserDiscover.command }),
  ]
}

/// `ckdb user role list|add|remove [USER] [ROLE]`
enum UserRole {
  enum Action: String, CaseIterable {
    case list
    case add
    case remove
  }

  static let action = Operand(
    "ACTION", ValueKind<Action>.choice("ACTION"), "Action: list, add or remove")
  static let names = Operand(
    "USER ROLE", ValueKind<String>.text("NAME"), .any,
    "Name of an account (default: the one in use), and of a role")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(action), AnyOperand(names)],
      discussion: """
        The schema defines roles: CREATE ROLE creates one, GRANT gives its users permissions on \
        the records of a type in the public database. The roles of a user are data of the \
        environment, in the field roles of the user's record, and do not change when a schema is \
        imported or deployed. An account that has not written yet becomes a user of the container.
        """,
      examples: [
        .init("Make ann a moderator", "ckdb user role add ann moderator"),
        .init("List who has which role", "ckdb user role list"),
        .init("Remove the role", "ckdb user role remove ann moderator"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let names = arguments.all(names)
    switch arguments.required(action) {
    case .list:
      guard names.count <= 1 else { throw CommandError("list takes at most one USER", .usage) }
      try list(try names.first.map { try Account($0) }, context)
    case .add: try set(names, isGiven: true, context)
    case .remove: try set(names, isGiven: false, context)
    }
  }

  private static func list(_ account: Account?, _ context: Context) throws {
    let environment = try context.environment()
    let accounts =
      try account.map { [$0] } ?? context.store().accounts(for: context.request())
    let output = try RowOutput(context, noun: "role", columns: ["account", "role"])
    for account in accounts {
      for role in try environment.roles(of: account) {
        output.row([.string(account.name), .string(role.name)])
      }
    }
    output.finish()
  }

  private static func set(_ names: [String], isGiven: Bool, _ context: Context) throws {
    guard let last = names.last, names.count <= 2 else {
      throw CommandError("specify a USER and a ROLE", .usage)
    }
    let named = try names.count == 2 ? Account(names[0]) : context.settings.account()
    guard let account = named else {
      throw CommandError("no account is signed in", .usage, hint: "name the user before the role")
    }
    let role = try SecurityRole(custom: last)
    let environment = try context.environment()
    let result = try environment.set(role, of: account, isGiven: isGiven)
    context.report(result.notices)
    switch (isGiven, result.isChanged) {
    case (true, true): context.report("\(account.name) has role \(role.name)")
    case (true, false): context.report("\(account.name) already has role \(role.name)")
    case (false, true): context.report("\(account.name) no longer has role \(role.name)")
    case (false, false): context.report("\(account.name) does not have role \(role.name)")
    }
  }
}
