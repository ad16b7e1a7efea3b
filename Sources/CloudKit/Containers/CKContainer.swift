internal import Basics
package import CloudModel
@_exported public import Foundation

/// A container of an app in iCloud, used by an account on a device.
public final class CKContainer: NSObject, Sendable {
  let client: Client
  /// The container's identifier: `iCloud.` and a reverse domain name.
  public let containerIdentifier: String?
  /// The database that only the account sees.
  public let privateCloudDatabase: CKDatabase
  /// The database that all users see.
  public let publicCloudDatabase: CKDatabase
  /// The account's view of what others share.
  public let sharedCloudDatabase: CKDatabase
  private let operations = OperationQueue()

  /// Opens a container by its identifier. A container that the cloud does not have fails each
  /// request with `badContainer`; a temporary cloud creates it.
  public convenience init(identifier containerIdentifier: String) {
    self.init(ActingClient.current.client(of: containerIdentifier), containerIdentifier)
  }

  /// The app's container: the one that `CKDB_CONTAINER` names, else the only one of the cloud, else
  /// `iCloud.` and the name of the program.
  public class func `default`() -> CKContainer { ActingClient.current.defaultContainer() }

  /// Opens a container of a cloud for an account, nil for none, on a device.
  package convenience init(
    _ identifier: String, in cloud: Cloud, as account: Account?, on device: Device
  ) {
    let container = Result { () throws(CloudError) in try ContainerID(identifier) }
    self.init(
      Client(known: cloud, container: container, account: account, device: device), identifier)
  }

  init(_ client: Client, _ identifier: String) {
    (self.client, containerIdentifier) = (client, identifier)
    privateCloudDatabase = CKDatabase(client, .private)
    publicCloudDatabase = CKDatabase(client, .public)
    sharedCloudDatabase = CKDatabase(client, .shared)
  }

  /// The database of a scope.
  public func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
    switch databaseScope {
    case .public: publicCloudDatabase
    case .private: privateCloudDatabase
    case .shared: sharedCloudDatabase
    }
  }

  /// Starts an operation, once those that it depends on have ended. One that names no database uses
  /// the private one.
  public func add(_ operation: CKOperation) {
    operation.use(self)
    operations.addOperation(operation)
  }

  /// `<CKContainer: 0x7f…; containerIdentifier=iCloud.org.example.app>`.
  public override var description: String {
    "<CKContainer: \(address(of: self)); containerIdentifier=\(containerIdentifier ?? "nil")>"
  }
}

extension NSNotification.Name {
  /// Posted when the account of a device changes: its status, or which one is signed in. The object
  /// is nil.
  public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}
