/// A place in a change feed, opaque to its holder (R9.1).
///
/// As text: the family and format version (`d1`, `z1`), sixteen hexadecimal digits for the feed,
/// the sequence number in base 36; within the pages of a first fetch also the sequence number up to
/// which deletions do not matter.
public struct ChangeToken: Sendable, Equatable {
  /// The feed of a token; the families are not interchangeable.
  public enum Family: String, Sendable {
    /// The feed of changed zones.
    case database = "d1"
    /// The feed of changed records.
    case zone = "z1"
  }

  /// The family.
  public let family: Family
  /// The identity of the feed: database, owner, zone.
  public let origin: UInt64
  /// The sequence number of the last change seen.
  public let sequence: Int64

  /// The sequence number up to which deletions do not matter to the token: for a token from the
  /// middle of a first fetch, in a database where that began, in a zone that of the last forgotten
  /// deletion (R9.12); otherwise that of the last change.
  public let horizon: Int64

  /// Creates a token.
  public init(_ family: Family, origin: UInt64, sequence: Int64, horizon: Int64 = 0) {
    self.family = family
    self.origin = origin
    self.sequence = sequence
    self.horizon = max(sequence, horizon)
  }

  /// The token as text.
  public var text: String {
    let digits = String(origin, radix: 16)
    let origin = String(repeating: "0", count: 16 - digits.count) + digits
    let place = "\(family.rawValue).\(origin).\(String(sequence, radix: 36))"
    return horizon > sequence ? "\(place).\(String(horizon, radix: 36))" : place
  }

  /// Parses a token; nil for other text.
  public init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (3...4).contains(parts.count), let family = Family(rawValue: String(parts[0])),
      let origin = UInt64(parts[1], radix: 16),
      let sequence = Int64(parts[2], radix: 36), sequence >= 0,
      let horizon = Int64(parts[parts.count - 1], radix: 36)
    else { return nil }
    self.init(family, origin: origin, sequence: sequence, horizon: horizon)
    guard self.text == text else { return nil }
  }
}

/// Why a zone was deleted (R2.10).
public enum ZoneDeletionReason: Int64, Sendable, CaseIterable {
  /// A program deleted it.
  case deleted = 0
  /// The user purged the app's data.
  case purged = 1
  /// The keys of encrypted data were lost.
  case encryptedDataReset = 2

  /// The reason's name: `purged`.
  public var name: String {
    switch self {
    case .deleted: "deleted"
    case .purged: "purged"
    case .encryptedDataReset: "encryptedDataReset"
    }
  }
}
