/// A CKError that operations are to fail with, so that an app's answer to it can be tested.
public struct FaultRule: Sendable, Equatable {
  /// The number by which it is named, from 1.
  public var id = 0
  /// Which operations.
  public var operation: Operation
  /// The error; of pushes, which do not fail, it says nothing.
  public var code: CloudError.Code
  /// What happens to pushes; nil for other operations.
  public var effect: PushEffect?
  /// The record type; nil for all.
  public var type: RecordType?
  /// The zone; nil for all.
  public var zone: ZoneID?
  /// What the error says about the next try, in seconds.
  public var retryAfter: Double?
  /// How many commands still fail; nil until it is cleared.
  public var times: Int?
  /// How many of the matching commands fail, from 0 to 1; nil for all.
  public var probability: Double?
  /// What chance is taken from.
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

  /// What may happen to a push on its way.
  public enum PushEffect: String, Sendable, CaseIterable {
    /// It never comes.
    case lost
    /// It comes with the next push of the user, before that one.
    case late
    /// It comes twice.
    case duplicated
    /// It comes after the next push of the user.
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

  /// Whether an operation is meant. One that no zone is named for works on all of them, and so on
  /// the rule's, too; `types` are those of its records.
  public func matches(
    _ operation: Operation, types: [RecordType], zone: ZoneID?
  ) -> Bool {
    if self.operation != .any || operation == .push, self.operation != operation { return false }
    if let type, !types.contains(type) { return false }
    if let wanted = self.zone, let zone, wanted != zone { return false }
    return true
  }
}
