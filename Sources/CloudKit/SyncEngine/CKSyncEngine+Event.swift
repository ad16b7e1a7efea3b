@_exported public import Foundation

extension CKSyncEngine {
  /// What an engine did. Events come one by one: the next one when the delegate has handled this
  /// one.
  public enum Event: Sendable, CustomStringConvertible {
    /// The state changed: keep it.
    case stateUpdate(StateUpdate)
    /// Another account is signed in, or none.
    case accountChange(AccountChange)
    /// Zones changed in iCloud.
    case fetchedDatabaseChanges(FetchedDatabaseChanges)
    /// Records changed in iCloud.
    case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
    /// Zones were sent.
    case sentDatabaseChanges(SentDatabaseChanges)
    /// A batch of records was sent.
    case sentRecordZoneChanges(SentRecordZoneChanges)
    case willFetchChanges(WillFetchChanges)
    case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
    case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
    case didFetchChanges(DidFetchChanges)
    case willSendChanges(WillSendChanges)
    case didSendChanges(DidSendChanges)

    /// The name of the event, and what it says.
    public var description: String {
      switch self {
      case .stateUpdate(let event): "stateUpdate \(event)"
      case .accountChange(let event): "accountChange \(event)"
      case .fetchedDatabaseChanges(let event): "fetchedDatabaseChanges \(event)"
      case .fetchedRecordZoneChanges(let event): "fetchedRecordZoneChanges \(event)"
      case .sentDatabaseChanges(let event): "sentDatabaseChanges \(event)"
      case .sentRecordZoneChanges(let event): "sentRecordZoneChanges \(event)"
      case .willFetchChanges(let event): "willFetchChanges \(event)"
      case .willFetchRecordZoneChanges(let event): "willFetchRecordZoneChanges \(event)"
      case .didFetchRecordZoneChanges(let event): "didFetchRecordZoneChanges \(event)"
      case .didFetchChanges(let event): "didFetchChanges \(event)"
      case .willSendChanges(let event): "willSendChanges \(event)"
      case .didSendChanges(let event): "didSendChanges \(event)"
      }
    }

    // MARK: State and account

    /// The state changed.
    public struct StateUpdate: Sendable, CustomStringConvertible {
      /// The state to keep, for the next engine after a restart.
      public let stateSerialization: State.Serialization

      /// How much waits to be sent.
      public var description: String {
        "(\(stateSerialization.state.records.changes.count) pending records)"
      }
    }

    /// Another account is signed in, or none.
    public struct AccountChange: Sendable, CustomStringConvertible {
      /// What happened. An engine that loses its user forgets its state, also what waits to be
      /// sent.
      public let changeType: ChangeType

      /// The kinds of changes.
      public enum ChangeType: Equatable, Sendable {
        /// A user signed in, or the engine starts for the first time.
        case signIn(currentUser: CKRecord.ID)
        /// The user signed out.
        case signOut(previousUser: CKRecord.ID)
        /// Another user signed in.
        case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
      }

      /// The kind and the users.
      public var description: String {
        switch changeType {
        case .signIn(let user): "(signIn \(user.recordName))"
        case .signOut(let user): "(signOut \(user.recordName))"
        case .switchAccounts(let old, let new):
          "(switchAccounts \(old.recordName) -> \(new.recordName))"
        }
      }
    }

    // MARK: Fetching

    /// Zones changed in iCloud.
    public struct FetchedDatabaseChanges: Sendable, CustomStringConvertible {
      /// The zones that are new or contain changes.
      public let modifications: [CKDatabase.DatabaseChange.Modification]
      /// The zones that are gone.
      public let deletions: [CKDatabase.DatabaseChange.Deletion]

      /// How many zones changed.
      public var description: String {
        "(\(modifications.count) modified, \(deletions.count) deleted)"
      }
    }

    /// Records changed in iCloud.
    public struct FetchedRecordZoneChanges: Sendable, CustomStringConvertible {
      /// The records that are new or changed.
      public let modifications: [CKDatabase.RecordZoneChange.Modification]
      /// The records that are gone.
      public let deletions: [CKDatabase.RecordZoneChange.Deletion]

      /// How many records changed.
      public var description: String {
        "(\(modifications.count) modified, \(deletions.count) deleted)"
      }
    }

    /// The engine begins to fetch.
    public struct WillFetchChanges: Sendable, CustomStringConvertible {
      /// Why and what it fetches.
      public let context: FetchChangesContext
      /// The context.
      public var description: String { "(\(context))" }
    }

    /// The engine begins to fetch the records of a zone.
    public struct WillFetchRecordZoneChanges: Sendable, CustomStringConvertible {
      /// The zone.
      public let zoneID: CKRecordZone.ID
      /// The zone.
      public var description: String { "(\(zoneID.text))" }
    }

    /// The engine has fetched the records of a zone.
    public struct DidFetchRecordZoneChanges: Sendable, CustomStringConvertible {
      /// The zone.
      public let zoneID: CKRecordZone.ID
      /// Why not all could be fetched; nil if all were.
      public let error: CKError?
      /// The zone and the error.
      public var description: String { "(\(zoneID.text)\(error.map { ", \($0)" } ?? ""))" }
    }

    /// The engine has fetched what it was to fetch.
    public struct DidFetchChanges: Sendable, CustomStringConvertible {
      /// Why and what it fetched.
      public let context: FetchChangesContext
      /// The context.
      public var description: String { "(\(context))" }
    }

    // MARK: Sending

    /// Zones were sent.
    public struct SentDatabaseChanges: Sendable, CustomStringConvertible {
      /// The zones that were saved.
      public let savedZones: [CKRecordZone]
      /// The zones that were not saved.
      public let failedZoneSaves: [FailedZoneSave]
      /// The zones that were deleted.
      public let deletedZoneIDs: [CKRecordZone.ID]
      /// The zones that were not deleted, with their errors.
      public let failedZoneDeletes: [CKRecordZone.ID: CKError]

      /// A zone that was not saved.
      public struct FailedZoneSave: Sendable, CustomStringConvertible {
        /// The zone.
        public let zone: CKRecordZone
        /// The reason.
        public let error: CKError
        /// The zone and the reason.
        public var description: String { "\(zone.zoneID.text): \(error)" }
      }

      /// How many zones were sent.
      public var description: String {
        "(\(savedZones.count) saved, \(deletedZoneIDs.count) deleted, "
          + "\(failedZoneSaves.count + failedZoneDeletes.count) failed)"
      }
    }

    /// A batch of records was sent.
    ///
    /// A change that fails with a transient error, such as a network failure, stays pending, and
    /// the engine tries again. After any other error the change is no longer pending: the app
    /// decides whether to add it again.
    public struct SentRecordZoneChanges: Sendable, CustomStringConvertible {
      /// The records that were saved, with their new versions.
      public let savedRecords: [CKRecord]
      /// The records that were not saved.
      public let failedRecordSaves: [FailedRecordSave]
      /// The records that were deleted.
      public let deletedRecordIDs: [CKRecord.ID]
      /// The records that were not deleted, with their errors.
      public let failedRecordDeletes: [CKRecord.ID: CKError]

      /// A record that was not saved.
      public struct FailedRecordSave: Sendable, CustomStringConvertible {
        /// The record, as it was to be saved.
        public let record: CKRecord
        /// The reason.
        public let error: CKError
        /// The record and the reason.
        public var description: String { "\(record.recordID.recordName): \(error)" }
      }

      /// How many records were sent.
      public var description: String {
        "(\(savedRecords.count) saved, \(deletedRecordIDs.count) deleted, "
          + "\(failedRecordSaves.count + failedRecordDeletes.count) failed)"
      }
    }

    /// The engine begins to send.
    public struct WillSendChanges: Sendable, CustomStringConvertible {
      /// Why and what it sends.
      public let context: SendChangesContext
      /// The context.
      public var description: String { "(\(context))" }
    }

    /// The engine has sent what it was to send.
    public struct DidSendChanges: Sendable, CustomStringConvertible {
      /// Why and what it sent.
      public let context: SendChangesContext
      /// The context.
      public var description: String { "(\(context))" }
    }
  }
}
