import CloudKit
import Combine
import os.log

/// The contacts of a person on a device, as an app for Apple's platforms would have them.
public final class ContactBook: ObservableObject, @unchecked Sendable {
  /// The contacts by the names of their records.
  @Published public private(set) var names: [String: String] = [:]
  private var records: [String: CKRecord] = [:]
  private let lock = OSAllocatedUnfairLock()
  private let logger = Logger(subsystem: "org.example.contacts", category: "sync")
  private let database: CKDatabase

  private static let zoneID = CKRecordZone.ID(zoneName: "Contacts")

  /// A book in a database.
  public init(_ database: CKDatabase) { self.database = database }

  /// The engine, which sends and fetches when it is asked to.
  public private(set) lazy var syncEngine: CKSyncEngine = {
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: nil, delegate: self)
    configuration.automaticallySync = false
    return CKSyncEngine(configuration)
  }()

  /// Adds or renames a contact.
  public func set(_ name: String, of id: String) {
    lock.withLock { names[id] = name }
    logger.info("renamed \(id, privacy: .public) to \(name, privacy: .private)")
    syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID(id))])
  }

  private func recordID(_ id: String) -> CKRecord.ID {
    CKRecord.ID(recordName: id, zoneID: Self.zoneID)
  }

  private func note(_ record: CKRecord) {
    lock.withLock {
      records[record.recordID.recordName] = record
      names[record.recordID.recordName] = record["name"] as? String
    }
  }
}

extension ContactBook: CKSyncEngineDelegate {
  /// Keeps what the engine fetched and sent.
  public func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    logger.debug("\(event)")
    switch event {
    case .accountChange(let change):
      guard case .signIn = change.changeType else { return }
      let zone = CKRecordZone(zoneID: Self.zoneID)
      syncEngine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
    case .fetchedRecordZoneChanges(let changes):
      for modification in changes.modifications { note(modification.record) }
      for deletion in changes.deletions {
        lock.withLock { names[deletion.recordID.recordName] = nil }
      }
    case .sentRecordZoneChanges(let sent):
      for record in sent.savedRecords { note(record) }
    default: break
    }
  }

  /// The contacts to send.
  public func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let changes = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
      self.lock.withLock {
        guard let name = self.names[recordID.recordName] else { return nil }
        let known = self.records[recordID.recordName]
        let record = known ?? CKRecord(recordType: "Contact", recordID: recordID)
        record["name"] = name
        return record
      }
    }
  }
}
