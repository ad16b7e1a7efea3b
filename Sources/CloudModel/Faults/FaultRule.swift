/// A CKError injected into operations, to test an app's reaction to it.
public struct FaultRule: Sendable, Equatable {
  /// The number that identifies it, from 1.
  public var id = 0
  /// The operations.
  public var operation: Operation
  /// The error; unused for pushes, which do not fail.
  public var code: CloudError.Code
  /// The effect on pushes; nil for other operations.
  public var effect: PushEffect?
  /// The record type; nil for all.
  public var type: RecordType?
  /// The zone; nil for all.
  public var zone: ZoneID?
  /// The retry delay in the error, in seconds.
  public var retryAfter: Double?
  /// How many more commands fail; nil until it is cleared.
  public var times: Int?
  /// The fraction of matching commands that fail, from 0 to 1; nil for all.
  public var probability: Double?
  /// The random seed.
  public var seed: UInt64 = 0
  /// How many commands it has matched so far.
  public var met = 0

  /// The kinds of operations (M7.2).
  public enum Operation: String, Sendable, CaseIterable {
    case save
    case delete
    case fetch
    case query
    case changes
    case zone
    case asset
    case share
    case accept
    case any
    case push
  }

  /// An effect on a push.
  public enum PushEffect: String, Sendable, CaseIterable {
    /// It never arrives.
    case lost
    /// It arrives just before the user's next push.
    case late
    /// It arrives twice.
    case duplicated
    /// It arrives after the user's next push.
    case reordered
  }

  /// A rule for all types and zones, until it is cleared.
  public init(_ code: CloudError.Code, of operation: Operation) {
    self.code = code
    self.operation = operation
  }

  /// A rule for the pushes of all types and zones, until it is cleared.
  public init(_ effect: PushEffect) {
    self.init(.networkFailure, of: .push)
    self.effect = effect
  }

  /// Whether the rule applies to an operation. An operation without a zone applies to all zones,
  /// including the rule's; `types` are the types of its records.
  public func matches(
    _ operation: Operation, types: [RecordType], zone: ZoneID?
  ) -> Bool {
    if self.operation != .any || operation == .push, self.operation != operation { return false }
    if let type, !types.contains(type) { return false }
    if let wanted = self.zone, let zone, wanted != zone { return false }
    return true
  }
}
