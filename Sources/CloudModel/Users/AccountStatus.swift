/// The status of the account signed in on a device (R11.1); the numbers are those of
/// `CKAccountStatus`.
public enum AccountStatus: Int, Sendable, CaseIterable {
  case couldNotDetermine = 0
  case available = 1
  /// Forbidden by parental controls or device management.
  case restricted = 2
  case noAccount = 3
  /// Signed in, but not ready yet.
  case temporarilyUnavailable = 4

  /// The status's name in CloudKit's API: `noAccount`.
  public var name: String {
    switch self {
    case .couldNotDetermine: "couldNotDetermine"
    case .available: "available"
    case .restricted: "restricted"
    case .noAccount: "noAccount"
    case .temporarilyUnavailable: "temporarilyUnavailable"
    }
  }

  /// The status with a name; nil for other names.
  public init?(name: String) {
    guard let status = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = status
  }
}
