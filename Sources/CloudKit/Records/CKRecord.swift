internal import Basics
internal import CloudModel
@_exported public import Foundation

/// The type of users' records.
public let CKRecordTypeUserRecord = CKRecord.SystemType.userRecord
/// The type of shares.
public let CKRecordTypeShare = CKRecord.SystemType.share

/// A record: fields with values, in a zone.
///
/// Threads may share a record: a lock protects everything that changes, which is why the compiler
/// need not check it.
open class CKRecord: NSObject, NSSecureCoding, NSCopying, CKRecordKeyValueSetting,
  @unchecked Sendable
{
  /// The identity of a record.
  public typealias ID = CKRecordID
  /// The name of a record type.
  public typealias RecordType = String
  /// The name of a field.
  public typealias FieldKey = String

  /// The names of the types that every container has.
  public enum SystemType {
    /// The type of users' records.
    public static let userRecord: CKRecord.RecordType = "Users"
    /// The type of shares.
    public static let share: CKRecord.RecordType = "cloudkit.share"
  }

  /// The identity of the record.
  public let recordID: CKRecord.ID
  /// The type of the record.
  public let recordType: CKRecord.RecordType
  let state: Locked<RecordState>

  /// Creates a record that is not saved yet. The type must be a letter, then letters, digits and
  /// underscores (R3.1.1).
  public init(recordType: CKRecord.RecordType, recordID: CKRecord.ID = CKRecord.ID()) {
    if (try? CloudModel.RecordType(schemaName: recordType)) == nil {
      preconditionFailure("recordType (\(recordType)) contains invalid characters")
    }
    (self.recordType, self.recordID) = (recordType, recordID)
    state = Locked(RecordState())
    super.init()
  }

  /// Creates a record in a zone; its name is a new UUID.
  public convenience init(recordType: CKRecord.RecordType, zoneID: CKRecordZone.ID) {
    self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zoneID))
  }

  /// A record with a state of its own.
  init(_ recordType: String, _ recordID: CKRecord.ID, _ state: RecordState) {
    (self.recordType, self.recordID) = (recordType, recordID)
    self.state = Locked(state)
    super.init()
  }

  // MARK: Values

  /// The value of a field; nil for none.
  open func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)? {
    state.withLock { $0.fields.object(key, in: recordID.zoneID)?.value }
  }

  /// Sets the value of a field; nil removes it.
  open func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey) {
    let value = FieldObject(checking: object, key)
    state.withLock { $0.fields.set(value, key) }
  }

  /// The value of a field; nil for none.
  open subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? {
    get { object(forKey: key) }
    set { setObject(newValue, forKey: key) }
  }

  /// The value of a field; nil for none.
  open func value(forKey key: String) -> Any? { object(forKey: key) }

  /// Sets the value of a field; nil removes it.
  open func setValue(_ value: Any?, forKey key: String) {
    let value = FieldObject(checking: value, key)
    state.withLock { $0.fields.set(value, key) }
  }

  /// The values of fields; a field without one has `NSNull`.
  public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { $1 })
  }

  /// Sets the values of fields; `NSNull` removes one.
  public func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
  }

  /// The fields that have a value, in the order of their names.
  open func allKeys() -> [CKRecord.FieldKey] { state.withLock { $0.fields.keys } }

  /// The fields that changed since the record was saved or fetched, in the order of their names.
  open func changedKeys() -> [CKRecord.FieldKey] { state.withLock { $0.fields.changedKeys } }

  /// The words of all texts in the record.
  open func allTokens() -> [String] {
    state.withLock { state in
      state.fields.keys.compactMap { key in
        state.fields.object(key, in: recordID.zoneID)?.value as? String
      }
    }.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() } }
  }

  /// The values that the service cannot read (R13). A field holds such values always or never.
  open var encryptedValues: any CKRecordKeyValueSetting & Sendable { EncryptedValues(of: self) }

  // MARK: What the service sets

  /// When the record was saved first; nil before that.
  open var creationDate: Date? { state.withLock { $0.created?.date } }
  /// The user who saved the record first; nil before that.
  open var creatorUserRecordID: CKRecord.ID? { state.withLock { $0.created?.user } }
  /// When the record was saved last; nil before that.
  open var modificationDate: Date? { state.withLock { $0.modified?.date } }
  /// The user who saved the record last; nil before that.
  open var lastModifiedUserRecordID: CKRecord.ID? { state.withLock { $0.modified?.user } }
  /// The version of the record; nil before the first save.
  open var recordChangeTag: String? { state.withLock { $0.changeTag } }
  /// The share that covers the record; nil for none.
  open var share: CKRecord.Reference? { state.withLock { $0.share } }

  // MARK: The parent

  /// The record that this one belongs to when it is shared; nil for none (R5.8).
  open var parent: CKRecord.Reference? {
    get { state.withLock { $0.parent } }
    set { state.withLock { $0.setParent(newValue) } }
  }

  /// Sets the parent, or removes it.
  open func setParent(_ parentRecord: CKRecord?) { setParent(parentRecord?.recordID) }

  /// Sets the parent by its identity, or removes it.
  open func setParent(_ parentRecordID: CKRecord.ID?) {
    parent = parentRecordID.map { CKRecord.Reference(recordID: $0, action: .none) }
  }

  // MARK: Copying and archiving

  /// Returns an independent copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    CKRecord(recordType, recordID, state.withLock { $0 })
  }

  /// Records can be read from archives that name their classes.
  open class var supportsSecureCoding: Bool { true }

  /// Writes the record to a keyed archive, with its changes.
  open func encode(with coder: NSCoder) {
    encodeSystemFields(with: coder)
    state.withLock { $0.encodeValues(with: coder, in: recordID.zoneID) }
  }

  /// Writes the record to a keyed archive without its values: what an app keeps to save the record
  /// again.
  open func encodeSystemFields(with coder: NSCoder) {
    let state = state.withLock { $0 }
    coder.encode(recordType as NSString, forKey: RecordState.Key.recordType)
    coder.encode(recordID, forKey: RecordState.Key.recordID)
    state.encodeSystemFields(with: coder)
  }

  /// Reads a record from a keyed archive; nil without a type and an identity.
  public required init?(coder: NSCoder) {
    guard let type = coder.string(forKey: RecordState.Key.recordType),
      let recordID = coder.object(of: CKRecord.ID.self, forKey: RecordState.Key.recordID)
    else { return nil }
    (recordType, self.recordID) = (type, recordID)
    state = Locked(RecordState(coder: coder))
    super.init()
  }

  // MARK: Comparing

  /// Whether identity, type, version and values are the same.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecord else { return false }
    if self === other { return true }
    guard recordID == other.recordID, recordType == other.recordType,
      recordChangeTag == other.recordChangeTag, parent == other.parent,
      allKeys() == other.allKeys(), encryptedValues.allKeys() == other.encryptedValues.allKeys()
    else { return false }
    return hasValues(of: other, allKeys(), encrypted: encryptedValues.allKeys())
  }

  /// Whether both records have the same values of some fields.
  func hasValues(of other: CKRecord, _ keys: [FieldKey], encrypted: [FieldKey]) -> Bool {
    func areSame(_ one: Any?, _ other: Any?) -> Bool {
      guard let one = one as? NSObject else { return one == nil && other == nil }
      return one.isEqual(other)
    }
    let (hidden, others) = (encryptedValues, other.encryptedValues)
    return keys.allSatisfy { areSame(object(forKey: $0), other.object(forKey: $0)) }
      && encrypted.allSatisfy { areSame(hidden.object(forKey: $0), others.object(forKey: $0)) }
  }

  open override var hash: Int { recordID.hash }

  /// The type, the identity, the version and the values.
  open override var description: String {
    var text = "<CKRecord: \(address(of: self)); recordType=\(recordType), recordID=\(recordID)"
    if let tag = recordChangeTag { text += ", recordChangeTag=\(tag)" }
    let values = allKeys().map { "  \($0) = \(object(forKey: $0).map { "\($0)" } ?? "nil")" }
    return text + ", values={\n\(values.joined(separator: "\n"))\n}>"
  }
}

extension FieldObject {
  /// The object of a value as an app gives it; nil for nil. Stops the process for a type that no
  /// field can hold, as Apple's framework does.
  init?(checking given: Any?, _ key: String) {
    guard let given else { return nil }
    guard let object = FieldObject(given) else {
      preconditionFailure("Invalid class for value of key \"\(key)\": \(type(of: given))")
    }
    self = object
  }
}
