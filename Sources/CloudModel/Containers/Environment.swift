/// The two environments of a container; data and schema of each are its own (R1.2.1).
public enum Environment: String, Sendable, CaseIterable {
  /// Types and fields come into being as records are saved.
  case development
  /// The schema changes by deployment only.
  case production
}

/// The databases of a container (R1.1.7).
public enum DatabaseScope: Int, Sendable, CaseIterable {
  /// One for all users.
  case `public` = 1
  /// One for each user.
  case `private` = 2
  /// A user's window on what others share with him.
  case shared = 3

  /// The name as scripts write it.
  public var name: String {
    switch self {
    case .public: "public"
    case .private: "private"
    case .shared: "shared"
    }
  }
}
