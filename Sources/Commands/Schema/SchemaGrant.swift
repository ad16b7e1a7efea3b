internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb schema grant TYPE ROLE PERMISSIONS` and `ckdb schema revoke …`
enum SchemaGrant {
  static let type = Operand("TYPE", .type, "Record type")
  static let role = Operand(
    "ROLE", .role, "_world, _icloud, _creator, or a role of the schema")
  static let permissions = Operand(
    "PERMISSIONS", .permissions, "read, create, write, separated by commas")

  static func command(isGiven: Bool) -> Command<Context> {
    let verb = isGiven ? "grant" : "revoke"
    return Command(
      operands: [AnyOperand(type), AnyOperand(role), AnyOperand(permissions)],
      discussion: """
        Changes in development who may do what with the records of a type in the public database: \
        everybody (_world), every signed-in user (_icloud), a record's creator (_creator), or the \
        users who have a role. What a user may do is all that his roles are granted. 'user role' \
        gives roles to users, a schema file makes them.
        """,
      examples: [
        isGiven
          ? .init("Let moderators change reviews", "ckdb schema grant Review moderator read,write")
          : .init("Hide drafts from everybody else", "ckdb schema revoke Draft _world read")
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
  /// A role of every container, or one of the schema's.
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
      throw ValueError("no permission is named", hint: "there are read, create and write")
    }
    return permissions
  }
}
