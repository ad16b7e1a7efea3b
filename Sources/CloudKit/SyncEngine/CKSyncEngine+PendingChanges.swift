internal import Basics
internal import CloudModel
internal import FieldCodecs
@_exported public import Foundation

extension CKSyncEngine {
  /// A record that waits to be sent.
  public enum PendingRecordZoneChange: Hashable, Sendable, CustomStringConvertible {
    /// The record is new or changed.
    case saveRecord(CKRecord.ID)
    /// The record is deleted.
    case deleteRecord(CKRecord.ID)

    /// The record.
    var recordID: CKRecord.ID {
      switch self {
      case .saveRecord(let id), .deleteRecord(let id): id
      }
    }

    /// `saveRecord(a)`.
    public var description: String {
      switch self {
      case .saveRecord(let id): "saveRecord(\(id.recordName))"
      case .deleteRecord(let id): "deleteRecord(\(id.recordName))"
      }
    }
  }

  /// A zone that waits to be sent.
  public enum PendingDatabaseChange: Hashable, Sendable, CustomStringConvertible {
    /// The zone is new.
    case saveZone(CKRecordZone)
    /// The zone is deleted with its records.
    case deleteZone(CKRecordZone.ID)

    /// The zone.
    var zoneID: CKRecordZone.ID {
      switch self {
      case .saveZone(let zone): zone.zoneID
      case .deleteZone(let id): id
      }
    }

    /// `saveZone(Notes)`.
    public var description: String {
      switch self {
      case .saveZone(let zone): "saveZone(\(zone.zoneID.zoneName))"
      case .deleteZone(let id): "deleteZone(\(id.zoneName))"
      }
    }
  }

  /// The records of one request: at most 400, and about 1 MB.
  public struct RecordZoneChangeBatch: Sendable, CustomStringConvertible {
    /// The records to save.
    public var recordsToSave: [CKRecord]
    /// The records to delete.
    public var recordIDsToDelete: [CKRecord.ID]
    /// Whether all records of a zone change or none does.
    public var atomicByZone: Bool

    /// A batch of records.
    public init(
      recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [],
      atomicByZone: Bool = false
    ) {
      (self.recordsToSave, self.recordIDsToDelete) = (recordsToSave, recordIDsToDelete)
      self.atomicByZone = atomicByZone
    }

    /// Collects as many pending changes as one request can have; nil for none. `recordProvider`
    /// returns a record to save, or nil to leave it out.
    public init?(
      pendingChanges: [PendingRecordZoneChange],
      recordProvider: (CKRecord.ID) async -> CKRecord?
    ) async {
      self.init()
      var size = 0
      for change in pendingChanges {
        if recordsToSave.count + recordIDsToDelete.count == Self.mostChanges { return }
        switch change {
        case .deleteRecord(let id): recordIDsToDelete.append(id)
        case .saveRecord(let id):
          guard let record = await recordProvider(id) else { continue }
          size += record.sentSize
          if size > Self.mostBytes, !recordsToSave.isEmpty { return }
          recordsToSave.append(record)
        }
      }
      if recordsToSave.isEmpty && recordIDsToDelete.isEmpty { return nil }
    }

    private static let mostChanges = Limits.operationItems
    private static let mostBytes = 1_000_000

    /// How many records it saves and deletes.
    public var description: String {
      "\(recordsToSave.count) to save, \(recordIDsToDelete.count) to delete"
    }
  }
}

extension CKRecord {
  /// The bytes of names and values that a save sends, without the contents of assets.
  fileprivate var sentSize: Int {
    let state = state.withLock { $0 }
    let sent =
      state.fields.sent(all: false, in: recordID.zoneID)
      + state.encrypted.sent(all: false, in: recordID.zoneID)
    return sent.reduce(0) { size, field in
      let value = try? field.object?.fieldValue { (_) throws(CloudError) in
        throw CloudError(.assetFileNotFound, "not counted")
      }
      return size + field.key.utf8.count + (value?.size ?? 0)
    }
  }
}
