/// The two environments of a container, each with its own data and schema (R1.2.1).
public enum Environment: String, Sendable, CaseIterable {
  /// Saving records creates types and fields.
  case development
  /// Only deployment changes the schema.
  case production
}

/// The databases of a container (R1.1.7).
public enum DatabaseScope: Int, Sendable, CaseIterable {
  /// One for all users.
  case `public` = 1
  /// One for each user.
  case `private` = 2
  /// A user's view of what other users share.
  case shared = 3

  /// The name used in scripts.
  public var name: String {
    switch self {
    case .public: "public"
    case .private: "private"
    case .shared: "shared"
    }
  }
}
