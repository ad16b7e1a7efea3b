internal import Basics
internal import CloudModel
@_exported public import Foundation

/// A zone of records.
public final class CKRecordZone: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The identity of a zone.
  public typealias ID = CKRecordZoneID

  /// What operations in a zone can do (R2.6).
  public struct Capabilities: OptionSet, Sendable {
    /// The capabilities as bits.
    public let rawValue: UInt
    /// The capabilities of a bit mask.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The zone has a feed of changes.
    public static let fetchChanges = Capabilities(rawValue: 1)
    /// An operation changes all of its records or none.
    public static let atomic = Capabilities(rawValue: 2)
    /// Hierarchies of records can be shared.
    public static let sharing = Capabilities(rawValue: 4)
    /// The whole zone can be shared.
    public static let zoneWideSharing = Capabilities(rawValue: 8)
  }

  /// What one key encrypts (R2.13).
  public enum EncryptionScope: Int, Sendable {
    case perRecord = 0
    case perZone = 1
  }

  /// The identity of the zone.
  public let zoneID: CKRecordZone.ID
  /// What operations in the zone can do: none until the zone is saved or fetched.
  public let capabilities: Capabilities
  /// The zone-wide share; nil for none (R2.12).
  public let share: CKRecord.Reference?
  private let scope: Locked<EncryptionScope>

  /// What one key encrypts; only a zone that was never saved can change it.
  public var encryptionScope: EncryptionScope {
    get { scope.withLock { $0 } }
    set { scope.withLock { $0 = newValue } }
  }

  /// The default zone.
  public class func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

  /// Creates a zone of the current user.
  public convenience init(zoneName: String) {
    self.init(zoneID: CKRecordZone.ID(zoneName: zoneName))
  }

  /// Creates a zone.
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(zoneID, [], share: nil, .perRecord)
  }

  private init(
    _ zoneID: CKRecordZone.ID, _ capabilities: Capabilities, share: CKRecord.Reference?,
    _ scope: EncryptionScope
  ) {
    (self.zoneID, self.capabilities, self.share) = (zoneID, capabilities, share)
    self.scope = Locked(scope)
  }

  /// A stored zone.
  convenience init(_ zone: Zone, _ encryptionScope: EncryptionScope = .perRecord) {
    let zoneID = CKRecordZone.ID.stored(zone.id)
    let capabilities: Capabilities =
      zone.id.isDefault ? [] : [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
    let share = zone.share.map {
      CKRecord.Reference(recordID: CKRecord.ID($0, in: zoneID), action: .none)
    }
    self.init(zoneID, capabilities, share: share, encryptionScope)
  }

  // MARK: Copying and archiving

  /// Returns an independent copy.
  public func copy(with zone: NSZone? = nil) -> Any {
    CKRecordZone(zoneID, capabilities, share: share, encryptionScope)
  }

  /// Zones can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let zoneID = "ZoneID"
    static let capabilities = "Capabilities"
    static let share = "ShareReference"
    static let scope = "EncryptionScope"
  }

  /// Writes the zone to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(zoneID, forKey: Key.zoneID)
    coder.encode(Int(bitPattern: capabilities.rawValue), forKey: Key.capabilities)
    coder.encode(share, forKey: Key.share)
    coder.encode(encryptionScope.rawValue, forKey: Key.scope)
  }

  /// Reads a zone from a keyed archive; nil without an identity.
  public convenience init?(coder: NSCoder) {
    guard let zoneID = coder.object(of: CKRecordZone.ID.self, forKey: Key.zoneID) else {
      return nil
    }
    let bits = UInt(bitPattern: coder.integer(forKey: Key.capabilities) ?? 0)
    self.init(
      zoneID, Capabilities(rawValue: bits),
      share: coder.object(of: CKRecord.Reference.self, forKey: Key.share),
      coder.integer(forKey: Key.scope).flatMap(EncryptionScope.init) ?? .perRecord)
  }

  // MARK: Comparing

  /// Whether the identities are the same.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKRecordZone)?.zoneID == zoneID
  }

  public override var hash: Int { zoneID.hash }

  /// `<CKRecordZone: 0x7f…; zoneID=a:__defaultOwner__, capabilities=(FetchChanges,Atomic)>`.
  public override var description: String {
    let names = [(1, "FetchChanges"), (2, "Atomic"), (4, "Sharing"), (8, "ZoneWideSharing")]
      .filter { capabilities.rawValue & UInt($0.0) != 0 }.map(\.1)
    return "<CKRecordZone: \(address(of: self)); zoneID=\(zoneID.text), "
      + "capabilities=(\(names.joined(separator: ",")))>"
  }
}
