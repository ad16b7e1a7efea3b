internal import Basics

/// A record zone's identity: a name and an owner. Two owners may have zones with the same name
/// (R2.2, R2.3).
public struct ZoneID: Sendable, Hashable {
  /// The name, unique among the zones of its owner.
  public let name: ZoneName
  /// The owner.
  public let owner: ZoneOwner

  /// The account's own default zone, or that of the public database (R2.1).
  public static let defaultZone = ZoneID(.defaultZone)

  /// Creates an identity.
  public init(_ name: ZoneName, owner: ZoneOwner = .current) {
    self.name = name
    self.owner = owner
  }

  /// Creates the identity of an own zone whose name was checked when it was stored.
  public init(stored name: String) { self.init(ZoneName(stored: name)) }

  /// Parses an own zone as users write it: `NAME`, or `NAME:__defaultOwner__`. Any other colon is
  /// part of the name (M9). Throws `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    let own = ":\(ZoneOwner.current.text)"
    let name = text.hasSuffix(own) ? String(text.dropLast(own.count)) : text
    self.init(try ZoneName(name))
  }

  /// Checks a name and an owner from a record in JSON; without an owner it is an own zone. Throws
  /// `invalidArguments`.
  public init(name: String, owner: String?) throws(CloudError) {
    self.init(try ZoneName(name), owner: try owner.map(ZoneOwner.init) ?? .current)
  }

  /// Whether this is a `_defaultZone`.
  public var isDefault: Bool { name.isDefault }

  /// The zone in output: `NAME`, or `NAME:OWNER` for another user's zone (M9).
  public var text: String {
    switch owner {
    case .current: name.text
    case .user(let owner): "\(name.text):\(owner.text)"
    }
  }
}

/// The owner of a zone.
public enum ZoneOwner: Sendable, Hashable {
  /// The current user; in the public database, no particular user.
  case current
  /// The user with this record name, who shares the zone with the current user.
  case user(UserRecordName)

  /// The owner's name in CloudKit: `__defaultOwner__` for the current user (R2.2).
  public var text: String {
    switch self {
    case .current: "__defaultOwner__"
    case .user(let name): name.text
    }
  }

  /// Parses `__defaultOwner__` or a user record name: 1 to 255 ASCII characters (R2.3). Throws
  /// `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    if text == ZoneOwner.current.text {
      self = .current
      return
    }
    guard (1...Limits.nameLength).contains(text.utf8.count),
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
    else {
      throw CloudError(.invalidArguments, "not a zone owner's name: '\(text.visible)'")
    }
    self = .user(UserRecordName(stored: text))
  }
}
