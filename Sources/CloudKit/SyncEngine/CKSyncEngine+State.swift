internal import Basics
@_exported public import Foundation

extension CKSyncEngine {
  /// What an engine knows: the changes to send, and the places in the feeds of changes.
  public final class State: Sendable {
    private let content: Locked<Content>

    private struct Content: Sendable {
      var state: SyncState
      /// Whether the delegate has not seen the state yet.
      var isUnseen = false
      weak var engine: CKSyncEngine?
    }

    init(_ serialization: Serialization?) {
      content = Locked(Content(state: serialization?.state ?? SyncState()))
    }

    /// The state to keep: pass it to the next engine after a restart. It can be encoded at any
    /// point between two events.
    public struct Serialization: Codable, Equatable, Sendable {
      let state: SyncState

      init(_ state: SyncState) { self.state = state }

      /// Reads a state. Throws `DecodingError` for another value.
      public init(from decoder: any Decoder) throws { state = try SyncState(from: decoder) }

      /// Writes the state.
      public func encode(to encoder: any Encoder) throws { try state.encode(to: encoder) }
    }

    // MARK: For the app

    /// The records that wait to be sent, in the order in which they were added.
    public var pendingRecordZoneChanges: [PendingRecordZoneChange] {
      let (changes, hidden) = (current.records.changes, TriedChanges.hidden)
      return hidden.isEmpty ? changes : changes.filter { !hidden.contains($0.recordID) }
    }

    /// The zones that wait to be sent, in the order in which they were added.
    public var pendingDatabaseChanges: [PendingDatabaseChange] { current.zones.changes }

    /// Whether the app has changes to send that it did not add here: then the engine asks for
    /// batches until there are none.
    public var hasPendingUntrackedChanges: Bool {
      get { current.hasPendingUntrackedChanges }
      set { changeByApp { $0.hasPendingUntrackedChanges = newValue } }
    }

    /// The zones that changed in iCloud since their records were fetched.
    public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] { current.unfetched }

    /// Adds zones to send. The last change of a zone counts.
    public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
      changeByApp { state in pendingDatabaseChanges.forEach { state.zones.add($0) } }
    }

    /// Removes zones that need not be sent any more.
    public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
      changeByApp { state in pendingDatabaseChanges.forEach { state.zones.remove($0) } }
    }

    /// Adds records to send. The last change of a record counts.
    public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      changeByApp { state in pendingRecordZoneChanges.forEach { state.records.add($0) } }
    }

    /// Removes records that need not be sent any more.
    public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      changeByApp { state in pendingRecordZoneChanges.forEach { state.records.remove($0) } }
    }

    // MARK: For the engine

    /// The state now.
    var value: SyncState { content.withLock { $0.state } }

    /// The engine that sends what the app adds.
    func serve(_ engine: CKSyncEngine) { content.withLock { $0.engine = engine } }

    /// Changes the state; the delegate sees it with the next `stateUpdate`.
    @discardableResult
    func change<T>(_ work: (inout SyncState) -> T) -> T {
      content.withLock { content in
        content.isUnseen = true
        return work(&content.state)
      }
    }

    /// The state of the engine that replaced this one's, or this one.
    private var current: SyncState { replacement?.current ?? value }

    private var replacement: State? { content.withLock { $0.engine }?.replacement?.state }

    private func changeByApp(_ work: (inout SyncState) -> Void) {
      // An app that still holds a replaced engine adds to the new one.
      if let replacement { return replacement.changeByApp(work) }
      change(work)
      content.withLock { $0.engine }?.noteChangeByApp()
    }

    /// The state if the delegate has not seen it yet, which it does then.
    func takeUnseen() -> Serialization? {
      content.withLock { content in
        guard content.isUnseen else { return nil }
        content.isUnseen = false
        return Serialization(content.state)
      }
    }
  }
}
