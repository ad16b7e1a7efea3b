internal import CloudModel
internal import CloudServices
@_exported public import Foundation

/// The status of the account on a device (R11.1).
public enum CKAccountStatus: Int, Sendable {
  case couldNotDetermine = 0
  /// The app can use the account.
  case available = 1
  /// Forbidden by parental controls or device management.
  case restricted = 2
  /// No account is signed in.
  case noAccount = 3
  /// Signed in, but not ready yet.
  case temporarilyUnavailable = 4
}

extension CKContainer {
  /// The status of the account.
  public func accountStatus() async throws -> CKAccountStatus {
    try await client.perform(.reading, Self.status)
  }

  /// Passes the status of the account, or an error.
  @preconcurrency
  public func accountStatus(
    completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void
  ) {
    client.perform(.reading, Self.status) {
      completionHandler($0.value ?? .couldNotDetermine, $0.error)
    }
  }

  private static func status(_ client: Client, _ request: Request) throws -> CKAccountStatus {
    let store = try client.cloud().store
    guard let account = request.account else { return .noAccount }
    return CKAccountStatus(rawValue: try store.status(of: account).rawValue) ?? .couldNotDetermine
  }

  /// The identity of the account's record in the container. Throws `notAuthenticated` without an
  /// account.
  public func userRecordID() async throws -> CKRecord.ID {
    try await client.perform(.reading, UserRecordID().run)
  }

  /// Passes the identity of the account's record in the container, or an error.
  @preconcurrency
  public func fetchUserRecordID(
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    client.perform(.reading, UserRecordID().run) { completionHandler($0.value, $0.error) }
  }
}

/// Asks for the identity of the account's record.
struct UserRecordID: Sendable {
  func run(_ client: Client, _ request: Request) throws -> CKRecord.ID {
    let database = try client.database(.private, for: request)
    let name = database.environment.userRecordName(try database.requireAccount())
    return CKRecord.ID(RecordName(name), in: .default)
  }
}

// MARK: Permissions

extension CKContainer {
  /// What an app may ask a user for.
  public struct ApplicationPermissions: OptionSet, Sendable {
    /// The permissions as bits.
    public let rawValue: UInt
    /// The permissions of a bit mask.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// That others find the user by address (R11.3.1).
    public static let userDiscoverability = ApplicationPermissions(rawValue: 1)
  }

  /// A user's answer.
  public enum ApplicationPermissionStatus: Int, Sendable {
    /// The user has not been asked yet.
    case initialState = 0
    /// The account cannot be used.
    case couldNotComplete = 1
    case denied = 2
    case granted = 3
  }

  /// Receives a user's answer, or an error.
  public typealias ApplicationPermissionBlock =
    @Sendable (CKContainer.ApplicationPermissionStatus, (any Error)?) -> Void

  /// The same names in a namespace.
  public enum Application {
    /// What an app may ask a user for.
    public typealias Permissions = CKContainer.ApplicationPermissions
    /// A user's answer.
    public typealias PermissionStatus = CKContainer.ApplicationPermissionStatus
    /// Receives a user's answer, or an error.
    public typealias PermissionBlock = CKContainer.ApplicationPermissionBlock
  }

  /// The user's answer.
  public func applicationPermissionStatus(
    for applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus {
    try await client.perform(.reading, PermissionRequest(asks: false).run)
  }

  /// Passes the user's answer, or an error.
  @preconcurrency
  public func status(
    forApplicationPermission applicationPermission: ApplicationPermissions,
    completionHandler block: @escaping ApplicationPermissionBlock
  ) {
    client.perform(.reading, PermissionRequest(asks: false).run) {
      block($0.value ?? .couldNotComplete, $0.error)
    }
  }

  /// Asks the user, who agrees unless the cloud has another answer.
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions
  ) async throws -> ApplicationPermissionStatus {
    try await client.perform(.writing, PermissionRequest(asks: true).run)
  }

  /// Asks the user, who agrees unless the cloud has another answer, and passes the answer.
  @preconcurrency
  public func requestApplicationPermission(
    _ applicationPermission: ApplicationPermissions,
    completionHandler block: @escaping ApplicationPermissionBlock
  ) {
    client.perform(.writing, PermissionRequest(asks: true).run) {
      block($0.value ?? .couldNotComplete, $0.error)
    }
  }
}

/// Reads a user's answer; if the user was never asked and `asks` is true, the answer becomes yes.
private struct PermissionRequest: Sendable {
  let asks: Bool

  func run(
    _ client: Client, _ request: Request
  ) throws -> CKContainer.ApplicationPermissionStatus {
    let database = try client.database(.private, for: request)
    let (environment, account) = (database.environment, try database.requireAccount())
    var answer = try environment.discoverability(of: account, database.status)
    if asks, answer == .initialState {
      try environment.set(.granted, of: account)
      answer = .granted
    }
    return CKContainer.ApplicationPermissionStatus(rawValue: answer.rawValue) ?? .couldNotComplete
  }
}
