extension CKRecord {
  /// The keys of what the service sets, for predicates and sort descriptors.
  public enum SystemFieldKey {
    /// The record's parent.
    public static let parent: CKRecord.FieldKey = "parent"
    /// The share that covers the record.
    public static let share: CKRecord.FieldKey = "share"
    /// The record's identity.
    public static let recordID: CKRecord.FieldKey = "recordID"
    /// When the record was saved first.
    public static let creationDate: CKRecord.FieldKey = "creationDate"
    /// The user who saved the record first.
    public static let creatorUserRecordID: CKRecord.FieldKey = "creatorUserRecordID"
    /// When the record was saved last.
    public static let modificationDate: CKRecord.FieldKey = "modificationDate"
    /// The user who saved the record last.
    public static let lastModifiedUserRecordID: CKRecord.FieldKey = "lastModifiedUserRecordID"
  }
}

/// The key of a record's parent.
public let CKRecordParentKey = CKRecord.SystemFieldKey.parent
/// The key of the share that covers a record.
public let CKRecordShareKey = CKRecord.SystemFieldKey.share
/// The record name of a zone-wide share.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"
