internal import CloudModel
@_exported public import Foundation

/// A database of a container.
public final class CKDatabase: NSObject, Sendable {
  /// The databases of a container (R1.3).
  public enum Scope: Int, Sendable {
    /// The database that all users see.
    case `public` = 1
    /// The database that only the account sees.
    case `private` = 2
    /// The account's view of what others share.
    case shared = 3
  }

  let client: Client
  let scope: DatabaseScope
  /// Which database of its container it is.
  public let databaseScope: Scope
  private let operations = OperationQueue()

  init(_ client: Client, _ scope: DatabaseScope) {
    (self.client, self.scope) = (client.apart, scope)
    databaseScope =
      switch scope {
      case .public: .public
      case .private: .private
      case .shared: .shared
      }
  }

  /// Starts an operation, once those that it depends on have ended.
  public func add(_ operation: CKDatabaseOperation) {
    operation.enqueue()
    operation.database = self
    operations.addOperation(operation)
  }

  /// `<CKDatabase: 0x7f…; databaseScope=Private>`.
  public override var description: String {
    "<CKDatabase: \(address(of: self)); databaseScope=\(scope.name.capitalized)>"
  }
}
