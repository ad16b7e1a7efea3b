/// What an app does for its sync engine.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
  /// Handles an event; the next one comes when this one is handled. `sendChanges` and
  /// `fetchChanges` cannot be called here: they throw `invalidArguments`, as they would wait for
  /// this event themselves.
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

  /// Returns the next records to send; nil for no more. The engine asks until there are no more.
  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch?

  /// Decides what to fetch; without an implementation, what the context says.
  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
  /// Fetches what the context says.
  public func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions { context.options }
}
