internal import CoreLocation
internal import Foundation

/// Gives the classes in archives the names that Apple's frameworks give them. `CCloudKit` calls
/// this when the program starts.
///
/// Foundation on Linux reads these names, but cannot write them: its `setClassName` stores a name
/// under another key than that by which it looks for one (tried with Swift 6.3.1). So it writes
/// `CloudKit.CKRecord`, which an app on Apple's platforms reads after
/// `NSKeyedUnarchiver.setClass(CKRecord.self, forClassName: "CloudKit.CKRecord")`.
@_cdecl("ckdb_register_archived_classes")
func registerArchivedClasses() {
  let classes: [(String, AnyClass)] = [
    ("CKRecord", CKRecord.self), ("CKRecordID", CKRecordID.self),
    ("CKRecordZone", CKRecordZone.self), ("CKRecordZoneID", CKRecordZoneID.self),
    ("CKReference", CKReference.self), ("CKAsset", CKAsset.self),
    ("CKServerChangeToken", CKServerChangeToken.self), ("CKQuery", CKQuery.self),
    ("CKQueryCursor", CKQueryCursor.self), ("CKOperationGroup", CKOperationGroup.self),
    ("CKRecordValueStore", CKRecordValueStore.self),
    ("CKEncryptedRecordValueStore", CKEncryptedRecordValueStore.self),
    ("CKShare", CKShare.self), ("CKShareParticipant", CKShareParticipant.self),
    ("CKShareMetadata", CKShareMetadata.self),
    ("CKShareAccessRequester", CKShareAccessRequester.self),
    ("CKShareBlockedIdentity", CKShareBlockedIdentity.self),
    ("CKQuerySubscription", CKQuerySubscription.self),
    ("CKRecordZoneSubscription", CKRecordZoneSubscription.self),
    ("CKDatabaseSubscription", CKDatabaseSubscription.self),
    ("CKNotificationInfo", CKNotificationInfo.self),
    ("CKNotificationID", CKNotificationID.self),
    ("CKUserIdentity", CKUserIdentity.self),
    ("CKUserIdentityLookupInfo", CKUserIdentityLookupInfo.self),
    ("CLLocation", CLLocation.self),
  ]
  for entry in classes {
    NSKeyedArchiver.setClassName(entry.0, for: entry.1)
    NSKeyedUnarchiver.setClass(entry.1, forClassName: entry.0)
  }
}
