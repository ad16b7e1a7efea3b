/// A place in a change feed, opaque to whoever keeps it (R9.1).
///
/// As text: the family and the version of the form (`d1`, `z1`), sixteen hexadecimal digits that
/// stand for the feed, the sequence number in base 36; within the pages of a first fetch also the
/// sequence number that it began at.
public struct ChangeToken: Sendable, Equatable {
  /// Which feed a token is of; the families are not interchangeable.
  public enum Family: String, Sendable {
    /// Which zones changed.
    case database = "d1"
    /// Which records changed.
    case zone = "z1"
  }

  /// The family.
  public let family: Family
  /// Tells one feed from others: database, owner, zone.
  public let origin: UInt64
  /// The sequence number of the last change that it has seen.
  public let sequence: Int64

  /// The sequence number up to which deletions do not matter to it, since it was given out in the
  /// middle of a first fetch that began there (R9.12); otherwise that of the last change.
  public let horizon: Int64

  /// Names a place.
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

  /// Reads a token; nil for a text that is none.
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

/// Why a zone is no more (R2.10).
public enum ZoneDeletionReason: Int64, Sendable, CaseIterable {
  /// A program deleted it.
  case deleted = 0
  /// The user threw the data of the app away.
  case purged = 1
  /// The keys to encrypted data were lost.
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
