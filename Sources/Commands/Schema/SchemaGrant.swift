internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb schema grant TYPE ROLE PERMISSIONS` and `ckdb schema revoke …`
enum SchemaGrant {
  static let type = Operand("TYPE", .type, "Record type")
  static let role = Operand(
    "ROLE", .role, "_world, _icloud, _creator, or a role from the schema")
  static let permissions = Operand(
    "PERMISSIONS", .permissions, "read, create, write, separated by commas")

  static func command(isGiven: Bool) -> Command<Context> {
    let verb = isGiven ? "grant" : "revoke"
    return Command(
      operands: [AnyOperand(type), AnyOperand(role), AnyOperand(permissions)],
      discussion: """
        Changes, in development, who may use the records of a type in the public database: \
        everyone (_world), every signed-in user (_icloud), a record's creator (_creator), or the \
        users with a role. A user has the permissions of all their roles. 'user role' assigns \
        roles to users; 'schema role' or a schema file defines them.
        """,
      examples: [
        isGiven
          ? .init("Let moderators change reviews", "ckdb schema grant Review moderator read,write")
          : .init("Hide drafts from everyone else", "ckdb schema revoke Draft _world read")
      ]
    ) { arguments, context in
      let changes = try context.environment().setGrants(
        arguments.required(permissions), to: arguments.required(role),
        of: arguments.required(type), isGiven: isGiven)
      context.report(changes, orElse: "nothing to \(verb)")
    }
  }
}

extension ValueKind where Value == SecurityRole {
  /// A built-in role, or one of the schema's.
  fileprivate static let role = ValueKind<SecurityRole>(
    "ROLE", candidates: .words(implicit.map(\.name))
  ) { (word) throws(ValueError) in
    if let role = implicit.first(where: { $0.name == word }) { return role }
    return try checked { () throws(CloudError) in try SecurityRole(custom: word) }
  }

  private static let implicit: [SecurityRole] = [.world, .icloud, .creator]
}

extension ValueKind where Value == Permissions {
  /// `read,create,write`
  fileprivate static let permissions = ValueKind<Permissions>(
    "PERMISSIONS", candidates: .words(["read", "create", "write"])
  ) { (word) throws(ValueError) in
    var permissions: Permissions = []
    for part in word.split(separator: ",") {
      guard let permission = Permissions(word: part.uppercased()) else {
        throw ValueError.unknown(String(part), among: ["read", "create", "write"])
      }
      permissions.insert(permission)
    }
    guard !permissions.isEmpty else {
      throw ValueError("no permission is given", hint: "permissions are read, create and write")
    }
    return permissions
  }
}
