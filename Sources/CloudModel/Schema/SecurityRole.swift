internal import Basics

/// A role with permissions in the public database (R11.4): all users, signed-in users, the creator
/// of a record, or users to whom a container's developer has assigned a role.
public struct SecurityRole: Sendable, Hashable {
  /// The name in the schema language, without quotes.
  public let name: String

  /// Creates a name that was checked when it was stored.
  public init(stored name: String) { self.name = name }

  /// Checks the name of an app's role. Throws `invalidArguments` for an empty name, and for a
  /// leading underscore, which is reserved for the system.
  public init(custom name: String) throws(CloudError) {
    let isPlain = name.unicodeScalars.allSatisfy {
      (0x20..<0x7F).contains($0.value) && $0 != "\""
    }
    guard let first = name.utf8.first, first.isLetterByte, isPlain,
      name.utf8.count <= Limits.identifierLength
    else {
      throw CloudError(
        .invalidArguments, "role name (\(name.visible)) contains invalid characters",
        remedy: "a role name must begin with a letter and have at most 255 ASCII characters")
    }
    self.name = name
  }

  /// All users, signed in or not.
  public static let world = SecurityRole(stored: "_world")
  /// All signed-in users.
  public static let icloud = SecurityRole(stored: "_icloud")
  /// The user who created the record.
  public static let creator = SecurityRole(stored: "_creator")

  /// Whether every container has it.
  public var isImplicit: Bool { self == .world || self == .icloud || self == .creator }

  /// A grant to it in the schema language, as an item of a type.
  public func schemaGrant(of permissions: Permissions) -> String {
    "GRANT \(permissions.words.joined(separator: ", ")) TO \(name.schemaIdentifier)"
  }

  /// The number of the role in the field `roles` of a user's record: the same for every role of
  /// this name, so that imports and deployments do not change its members (C246).
  public var number: Int64 {
    var hash = Checksum64(seed: 3)
    hash.add(name)
    // JSON readers that support only doubles represent it exactly.
    return Int64(hash.finish() >> 11)
  }
}

/// The permissions of a role on records of a type (R11.4.2).
public struct Permissions: OptionSet, Sendable, Hashable {
  /// The permissions as bits.
  public let rawValue: Int

  /// The permissions of a bit mask.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Fetch and query.
  public static let read = Permissions(rawValue: 1)
  /// Create records.
  public static let create = Permissions(rawValue: 2)
  /// Update and delete.
  public static let write = Permissions(rawValue: 4)

  /// Everything.
  public static let all: Permissions = [.read, .create, .write]

  /// The words of the schema language, in Apple's order.
  public var words: [String] {
    var words: [String] = []
    if contains(.read) { words.append("READ") }
    if contains(.create) { words.append("CREATE") }
    if contains(.write) { words.append("WRITE") }
    return words
  }

  /// The permission with a word in capitals; nil for other words.
  public init?(word: String) {
    switch word {
    case "READ": self = .read
    case "CREATE": self = .create
    case "WRITE": self = .write
    default: return nil
    }
  }
}

/// The permissions of roles on records of a type in the public database. Grants add up (R11.4.1).
public struct Grants: Sendable, Equatable {
  private var permissions: SmallMap<SecurityRole, Permissions> = [:]

  /// No grants, which is useless in the public database (R11.4.3).
  public init() {}

  /// The grants of a type that was created without a schema text (R3.6.1).
  public static let ofNewType = Grants([.creator: .write, .icloud: .create, .world: .read])
  /// The grants of `Users`, whose records users cannot create themselves.
  public static let ofUsers = Grants([.creator: .write, .world: .read])

  private init(_ permissions: SmallMap<SecurityRole, Permissions>) {
    self.permissions = permissions
  }

  /// The permissions granted to a role by name, without those its members have from other roles.
  public subscript(role: SecurityRole) -> Permissions {
    get { permissions[role] ?? [] }
    set { permissions[role] = newValue.isEmpty ? nil : newValue }
  }

  /// The grants as stored: a JSON object of roles and their permissions.
  public var text: String {
    JSONValue.object(
      entries.map {
        JSONMember($0.role.name, .string($0.permissions.words.joined(separator: ", ")))
      }
    ).text
  }

  /// Parses that text; nil for other text.
  public init?(text: String) {
    if text == Self.textOfNewType {
      self = .ofNewType
      return
    }
    guard case .object(let members)? = try? JSONParser.parse(text) else { return nil }
    for member in members {
      guard let words = member.value.string else { return nil }
      for word in words.split(separator: ", ") {
        guard let permission = Permissions(word: String(word)) else { return nil }
        permissions[SecurityRole(stored: member.name), default: []].insert(permission)
      }
    }
  }

  /// The text of `ofNewType`, which nearly all types have; a constant, as every start reads it.
  public static let textOfNewType = #"{"_creator":"WRITE","_icloud":"CREATE","_world":"READ"}"#

  /// Whether there are no grants.
  public var isEmpty: Bool { permissions.isEmpty }

  /// The roles and their permissions, in byte order of their names.
  public var entries: [(role: SecurityRole, permissions: Permissions)] {
    permissions.entries.map { ($0.key, $0.value) }.sorted {
      utf8Precedes($0.role.name, $1.role.name)
    }
  }
}
