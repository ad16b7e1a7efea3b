@_exported public import Foundation

extension CKContainer {
  /// Passes the container to `body`, whose requests belong to a group and have a configuration,
  /// which have no effect here.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (CKContainer) throws -> R
  ) rethrows -> R { try body(self) }

  /// Passes the container to `body`, whose requests belong to a group and have a configuration,
  /// which have no effect here.
  @preconcurrency @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (CKContainer) async throws -> R
  ) async rethrows -> R { try await body(self) }

  // MARK: Long-lived operations

  /// The operations that go on after the app's end: none here.
  public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] { [] }

  /// Passes the operations that go on after the app's end: none here.
  @preconcurrency
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
  ) { client.callbacks.async { completionHandler([], nil) } }

  /// An operation that goes on after the app's end: none here.
  public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
    nil
  }

  /// Passes an operation that goes on after the app's end: none here.
  @preconcurrency
  public func fetchLongLivedOperation(
    withID operationID: CKOperation.ID,
    completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
  ) { client.callbacks.async { completionHandler(nil, nil) } }
}

extension CKDatabase {
  /// Passes the database to `body`, whose requests belong to a group and have a configuration,
  /// which have no effect here.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (CKDatabase) throws -> R
  ) rethrows -> R { try body(self) }

  /// Passes the database to `body`, whose requests belong to a group and have a configuration,
  /// which have no effect here.
  @preconcurrency @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (CKDatabase) async throws -> R
  ) async rethrows -> R { try await body(self) }
}
