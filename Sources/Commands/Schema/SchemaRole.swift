internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb schema role create|list|delete NAME…`
enum SchemaRole {
  static let action = Operand(
    "ACTION", ValueKind<Action>.action, "create, list or delete")
  static let names = Operand(
    "NAME", ValueKind<SecurityRole>.customRole, .any, "Name of a security role")

  /// What to do with roles.
  enum Action: String, CaseIterable {
    case create, list, delete
  }

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(action), AnyOperand(names)],
      discussion: """
        Creates and deletes the security roles of the app in development; 'schema deploy' adds \
        them to production. 'schema grant' gives a role permissions on a type, 'user role' gives \
        it to users. Deleting a role revokes what it grants.
        """,
      examples: [
        .init("Create a role", "ckdb schema role create moderator"),
        .init("List the roles", "ckdb schema role list"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let environment = try context.environment()
    let names = arguments.all(names)
    let action = arguments.required(action)
    guard (action == .list) == names.isEmpty else {
      throw CommandError(
        action == .list ? "'schema role list' takes no NAME" : "NAME is missing", .usage)
    }
    switch action {
    case .create:
      context.report(try environment.addRoles(names), orElse: "nothing to create")
    case .delete:
      context.report(try environment.removeRoles(names), orElse: "nothing to delete")
    case .list:
      let output = try RowOutput(context, noun: "role", columns: ["role"])
      for role in try environment.roles() { output.row([.string(role.name)]) }
      output.finish()
    }
  }
}

extension ValueKind where Value == SchemaRole.Action {
  fileprivate static let action = ValueKind<SchemaRole.Action>(
    "ACTION", candidates: .words(SchemaRole.Action.allCases.map(\.rawValue))
  ) { (word) throws(ValueError) in
    guard let action = SchemaRole.Action(rawValue: word) else {
      throw ValueError.unknown(word, among: SchemaRole.Action.allCases.map(\.rawValue))
    }
    return action
  }
}

extension ValueKind where Value == SecurityRole {
  /// A role of the app.
  fileprivate static let customRole = ValueKind<SecurityRole>("ROLE") {
    (word) throws(ValueError) in
    try checked { () throws(CloudError) in try SecurityRole(custom: word) }
  }
}
