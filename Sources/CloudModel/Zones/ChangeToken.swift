/// A place in a change feed, opaque to whoever keeps it (rule 9.1).
///
/// As text: the family and the version of the form (`d1`, `z1`), sixteen hexadecimal digits that
/// stand for the feed, the sequence number in base 36.
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

  /// Names a place.
  public init(_ family: Family, origin: UInt64, sequence: Int64) {
    self.family = family
    self.origin = origin
    self.sequence = sequence
  }

  /// The token as text.
  public var text: String {
    let digits = String(origin, radix: 16)
    let origin = String(repeating: "0", count: 16 - digits.count) + digits
    return "\(family.rawValue).\(origin).\(String(sequence, radix: 36))"
  }

  /// Reads a token; nil for a text that is none.
  public init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let family = Family(rawValue: String(parts[0])),
      let origin = UInt64(parts[1], radix: 16),
      let sequence = Int64(parts[2], radix: 36), sequence >= 0
    else { return nil }
    self.init(family, origin: origin, sequence: sequence)
    guard self.text == text else { return nil }
  }
}

/// Why a zone is no more (rule 2.10).
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
