/// A record that a repair could not preserve intact.
public struct LostRecord: Sendable {
  /// The readable part; it may be wrong.
  public let record: Record
  /// The reason.
  public let reason: String

  /// Creates a lost record.
  public init(_ record: Record, _ reason: String) {
    self.record = record
    self.reason = reason
  }
}
