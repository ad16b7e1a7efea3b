internal import CloudModel
@_exported public import Foundation

/// The identity of a record: a name and a zone (`CKRecord.ID`).
///
/// A class of its own rather than a nested one: Foundation on Linux cannot name nested classes in
/// archives.
public final class CKRecordID: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The name of the record, unique in its zone.
  public let recordName: String
  /// The zone of the record.
  public let zoneID: CKRecordZone.ID

  /// Creates the identity of a record in the default zone of the private or public database. The
  /// name must be 1 to 255 ASCII characters without a leading underscore (R3.1.6).
  public convenience init(recordName: String) {
    self.init(recordName: recordName, zoneID: .default)
  }

  /// Creates an identity; without a name, that of a new record.
  public init(
    recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = CKRecordZone.ID.default
  ) {
    precondition(!recordName.isEmpty, "CKRecordID.recordName must not be empty")
    precondition(
      recordName.utf8.count <= Limits.nameLength,
      "CKRecordID.recordName must not be longer than \(Limits.nameLength) characters")
    (self.recordName, self.zoneID) = (recordName, zoneID)
  }

  /// Creates the identity of a stored record.
  init(_ name: RecordName, in zoneID: CKRecordZone.ID) {
    (recordName, self.zoneID) = (name.text, zoneID)
  }

  // MARK: Copying and archiving

  /// Returns the identity itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Identities can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let recordName = "RecordName"
    static let zoneID = "ZoneID"
  }

  /// Writes the identity to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(recordName as NSString, forKey: Key.recordName)
    coder.encode(zoneID, forKey: Key.zoneID)
  }

  /// Reads an identity from a keyed archive; nil without a name.
  public convenience init?(coder: NSCoder) {
    guard let name = coder.string(forKey: Key.recordName), !name.isEmpty,
      name.utf8.count <= Limits.nameLength
    else { return nil }
    let zoneID = coder.object(of: CKRecordZone.ID.self, forKey: Key.zoneID)
    self.init(recordName: name, zoneID: zoneID ?? .default)
  }

  // MARK: Comparing

  /// Whether name and zone are the same.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordID else { return false }
    return self === other
      || recordName.utf8.elementsEqual(other.recordName.utf8) && zoneID == other.zoneID
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(recordName)
    hasher.combine(zoneID)
    return hasher.finalize()
  }

  /// `<CKRecordID: 0x7f…; recordName=a, zoneID=_defaultZone:__defaultOwner__>`.
  public override var description: String {
    "<CKRecordID: \(address(of: self)); recordName=\(recordName), zoneID=\(zoneID.text)>"
  }
}

/// The address of an object, as descriptions show it.
func address(of object: AnyObject) -> String {
  "0x" + String(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()), radix: 16)
}
