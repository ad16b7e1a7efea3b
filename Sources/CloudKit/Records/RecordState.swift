internal import CloudModel
internal import Foundation

/// What changes in a `CKRecord`.
struct RecordState: Sendable {
  /// The values that the service can read.
  var fields = FieldStore()
  /// The values that it cannot.
  var encrypted = FieldStore()
  private(set) var parent: CKRecord.Reference?
  /// The parent as it was saved or fetched.
  private(set) var savedParent: CKRecord.Reference?
  /// How often the app changed the parent since; 0 for an unchanged one.
  private(set) var parentChanges = 0
  var share: CKRecord.Reference?
  var changeTag: String?
  var created: Stamp?
  var modified: Stamp?

  /// A time and a user.
  struct Stamp: Sendable {
    var date: Date?
    var user: CKRecord.ID?
    var device: String?
  }

  init() {}

  /// Sets the parent, or removes it.
  mutating func setParent(_ reference: CKRecord.Reference?) {
    guard reference != parent else { return }
    parent = reference
    parentChanges += 1
  }

  /// The state as the app fetched or saved the record, without its changes.
  var withoutChanges: RecordState {
    var state = self
    state.fields = fields.withoutChanges
    state.encrypted = encrypted.withoutChanges
    (state.parent, state.parentChanges) = (savedParent, 0)
    return state
  }

  /// Notes that a record is saved as it was in an earlier state.
  mutating func note(
    _ record: Record, savedAs sent: RecordState, in zoneID: CKRecordZone.ID,
    by user: UserRecordName?
  ) {
    fields.commit(upTo: sent.fields.mark)
    encrypted.commit(upTo: sent.encrypted.mark)
    let later = parentChanges == sent.parentChanges ? nil : parent
    let isChangedLater = parentChanges != sent.parentChanges
    note(record, in: zoneID, as: user)
    if isChangedLater { setParent(later) }
  }

  /// Sets what the service decides about a record.
  mutating func note(_ record: Record, in zoneID: CKRecordZone.ID, as user: UserRecordName?) {
    func stamp(_ stamp: Record.Stamp) -> Stamp {
      let isOwn = stamp.by == user
      return Stamp(
        date: Date(stamp.at),
        user: CKRecord.ID(
          RecordName(stored: isOwn ? CKCurrentUserDefaultName : stamp.by.text), in: .default),
        device: stamp.device.name)
    }
    func reference(_ name: RecordName) -> CKRecord.Reference {
      CKRecord.Reference(recordID: CKRecord.ID(name, in: zoneID), action: .none)
    }
    changeTag = record.changeTag?.text
    created = record.created.map(stamp)
    modified = record.modified.map(stamp)
    share = record.share.map(reference)
    parent = record.parent.map(reference)
    (savedParent, parentChanges) = (parent, 0)
  }

  // MARK: Archives

  /// The keys of Apple's archives.
  enum Key {
    static let recordType = "RecordType"
    static let recordID = "RecordID"
    static let created = "RecordCtime"
    static let modified = "RecordMtime"
    static let creator = "CreatorUserRecordID"
    static let modifier = "LastModifiedUserRecordID"
    static let device = "ModifiedByDevice"
    static let changeTag = "ETag"
    static let isKnown = "KnownToServer"
    static let permission = "Permission"
    static let parent = "ParentReference"
    static let savedParent = "PreviousParentReference"
    static let share = "ShareReference"
    static let hasChangedParent = "HasUpdatedParentReference"
    static let hasChangedShare = "HasUpdatedShareReference"
    static let values = "ValueStore"
    static let encryptedValues = "EncryptedValueStore"
    /// What Apple's framework keeps for itself.
    static let unused = [
      "PreviousShareReference", "URL", "RoutingKey", "ShareEtag", "PluginFields",
    ]
  }

  func encodeSystemFields(with coder: NSCoder) {
    coder.encode(created?.date as NSDate?, forKey: Key.created)
    coder.encode(modified?.date as NSDate?, forKey: Key.modified)
    coder.encode(created?.user, forKey: Key.creator)
    coder.encode(modified?.user, forKey: Key.modifier)
    coder.encode(modified?.device.map { $0 as NSString }, forKey: Key.device)
    coder.encode(changeTag.map { $0 as NSString }, forKey: Key.changeTag)
    coder.encode(changeTag != nil, forKey: Key.isKnown)
    coder.encode(1, forKey: Key.permission)
    coder.encode(parent, forKey: Key.parent)
    coder.encode(savedParent, forKey: Key.savedParent)
    coder.encode(parentChanges > 0, forKey: Key.hasChangedParent)
    coder.encode(share, forKey: Key.share)
    coder.encode(false, forKey: Key.hasChangedShare)
    for key in Key.unused { coder.encode(nil as NSObject?, forKey: key) }
  }

  func encodeValues(with coder: NSCoder, in zoneID: CKRecordZone.ID) {
    coder.encode(CKRecordValueStore(fields, in: zoneID), forKey: Key.values)
    coder.encode(CKEncryptedRecordValueStore(encrypted, in: zoneID), forKey: Key.encryptedValues)
  }

  init(coder: NSCoder) {
    func stamp(_ date: String, _ user: String, _ device: String?) -> Stamp? {
      let stamp = Stamp(
        date: coder.date(forKey: date), user: coder.object(of: CKRecord.ID.self, forKey: user),
        device: device.flatMap { coder.string(forKey: $0) })
      return stamp.date == nil && stamp.user == nil ? nil : stamp
    }
    created = stamp(Key.created, Key.creator, nil)
    modified = stamp(Key.modified, Key.modifier, Key.device)
    changeTag = coder.string(forKey: Key.changeTag)
    parent = coder.object(of: CKRecord.Reference.self, forKey: Key.parent)
    let isChanged = coder.bool(forKey: Key.hasChangedParent)
    savedParent =
      isChanged ? coder.object(of: CKRecord.Reference.self, forKey: Key.savedParent) : parent
    parentChanges = isChanged ? 1 : 0
    share = coder.object(of: CKRecord.Reference.self, forKey: Key.share)
    fields = coder.object(of: CKRecordValueStore.self, forKey: Key.values)?.store ?? FieldStore()
    encrypted =
      coder.object(of: CKRecordValueStore.self, forKey: Key.encryptedValues)?.store ?? FieldStore()
  }
}
