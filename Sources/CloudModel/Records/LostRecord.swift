/// A record that a repair could not keep, or not as it was.
public struct LostRecord: Sendable {
  /// What could be read of it; it may not be what was written.
  public let record: Record
  /// Why it is lost.
  public let reason: String

  /// Puts one together.
  public init(_ record: Record, _ reason: String) {
    self.record = record
    self.reason = reason
  }
}
