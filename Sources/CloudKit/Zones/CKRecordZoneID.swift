internal import CloudModel
@_exported public import Foundation

/// The owner of a zone that belongs to the current user.
public let CKCurrentUserDefaultName = "__defaultOwner__"
/// The former name of `CKCurrentUserDefaultName`.
public let CKOwnerDefaultName = CKCurrentUserDefaultName

/// The identity of a zone: a name and an owner (`CKRecordZone.ID`).
public final class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The name of the zone, unique among the zones of its owner.
  public let zoneName: String
  /// The user record name of the owner; `CKCurrentUserDefaultName` for the current user.
  public let ownerName: String
  /// The database of the zone where it is known: archives keep it.
  let databaseScope: Int

  /// The name of the default zone.
  public static let defaultZoneName = ZoneName.defaultZone.text
  /// The identity of the default zone.
  public static let `default` = CKRecordZoneID(
    zoneName: defaultZoneName, ownerName: CKCurrentUserDefaultName)

  /// Creates an identity. The name must be 1 to 255 ASCII characters (R2.3).
  public convenience init(
    zoneName: String = CKRecordZone.ID.defaultZoneName,
    ownerName: String = CKCurrentUserDefaultName
  ) {
    self.init(zoneName, ownerName, scope: 0)
  }

  /// Creates an identity; without an owner, of a zone of the current user.
  @_disfavoredOverload
  public convenience init(
    zoneName: String = CKRecordZone.ID.defaultZoneName, ownerName: String?
  ) {
    self.init(zoneName, ownerName ?? CKCurrentUserDefaultName, scope: 0)
  }

  private init(_ zoneName: String, _ ownerName: String, scope: Int) {
    precondition(!zoneName.isEmpty, "CKRecordZoneID.zoneName must not be empty")
    precondition(!ownerName.isEmpty, "CKRecordZoneID.ownerName must not be empty")
    (self.zoneName, self.ownerName, databaseScope) = (zoneName, ownerName, scope)
  }

  /// The identity of a stored zone.
  static func stored(_ zone: ZoneID) -> CKRecordZoneID {
    zone == .defaultZone ? .default : CKRecordZoneID(zone.name.text, zone.owner.text, scope: 0)
  }

  /// The zone's name and owner, as the layers below know them. Throws `invalidArguments` if
  /// CloudKit could not have such a zone.
  func zone() throws(CloudError) -> ZoneID {
    if self === CKRecordZoneID.default { return .defaultZone }
    return try ZoneID(name: zoneName, owner: ownerName)
  }

  /// `_defaultZone:__defaultOwner__`.
  var text: String { "\(zoneName):\(ownerName)" }

  // MARK: Copying and archiving

  /// Returns the identity itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Identities can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let zoneName = "ZoneName"
    static let ownerName = "ownerName"
    static let databaseScope = "databaseScopeKey"
  }

  /// Writes the identity to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(zoneName as NSString, forKey: Key.zoneName)
    coder.encode(ownerName as NSString, forKey: Key.ownerName)
    coder.encode(databaseScope, forKey: Key.databaseScope)
  }

  /// Reads an identity from a keyed archive; nil without a name.
  public convenience init?(coder: NSCoder) {
    guard let name = coder.string(forKey: Key.zoneName), !name.isEmpty else { return nil }
    var owner = coder.string(forKey: Key.ownerName) ?? ""
    if owner.isEmpty { owner = CKCurrentUserDefaultName }
    let hasScope = coder.containsValue(forKey: Key.databaseScope)
    self.init(name, owner, scope: hasScope ? coder.decodeInteger(forKey: Key.databaseScope) : 0)
  }

  // MARK: Comparing

  /// Whether name and owner are the same.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordZoneID else { return false }
    return self === other
      || zoneName.utf8.elementsEqual(other.zoneName.utf8)
        && ownerName.utf8.elementsEqual(other.ownerName.utf8)
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(zoneName)
    hasher.combine(ownerName)
    return hasher.finalize()
  }

  /// `<CKRecordZoneID: 0x7f…; zoneName=a, ownerName=__defaultOwner__>`.
  public override var description: String {
    "<CKRecordZoneID: \(address(of: self)); zoneName=\(zoneName), ownerName=\(ownerName)>"
  }
}
