/// A CKError or a delay injected into operations, to test an app's reaction to it.
public struct FaultRule: Sendable, Equatable {
  /// The number that identifies it, from 1.
  public var id = 0
  /// The operations.
  public var operation: Operation
  /// The error; nil for pushes, and for operations that are slow but succeed.
  public var code: CloudError.Code?
  /// How much later the answer comes, in seconds; nil for no delay.
  public var latency: Double?
  /// The longest delay, in seconds.
  public static let mostLatency = 3600.0
  /// The effect on pushes; nil for other operations.
  public var effect: PushEffect?
  /// The record type; nil for all.
  public var type: RecordType?
  /// The zone; nil for all.
  public var zone: ZoneID?
  /// The name of the records that fail, each alone; nil for all.
  public var name: RecordName?
  /// Which records of an operation fail, each alone: every third, for instance; nil for all.
  public var every: Int?
  /// Whether the change is made before the operation fails, as if the answer were lost.
  public var isAfter = false
  /// Commands above this rate fail; nil for all.
  public var rate: Rate?
  /// The state of the rate (`Rate.next(after:at:)`).
  public var free: Int64 = 0
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
    case kvs
    case document
    case any
    case push

    /// Whether its items are records that may fail alone.
    public var hasItems: Bool { self == .save || self == .delete || self == .fetch || self == .any }
    /// Whether it only reads, so that a lost answer is the same as none.
    public var isReading: Bool { self == .fetch || self == .query || self == .changes }
    /// Whether it concerns a zone of records.
    fileprivate var hasZone: Bool { self != .kvs && self != .document }
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
  public init(_ code: CloudError.Code?, of operation: Operation) {
    self.code = code
    self.operation = operation
  }

  /// A rule for the pushes of all types and zones, until it is cleared.
  public init(_ effect: PushEffect) {
    self.init(nil, of: .push)
    self.effect = effect
  }

  /// Whether single records fail instead of the whole operation.
  public var isForItems: Bool { name != nil || every != nil }

  /// Whether a record is among those that fail; `ordinal` is its place in the operation, from 1.
  public func concerns(_ record: RecordName?, ordinal: Int) -> Bool {
    if let name, record != name { return false }
    return ordinal % (every ?? 1) == 0
  }

  /// Whether the rule applies to an operation. An operation without a zone applies to all zones,
  /// including the rule's; `types` are the types of its records.
  public func matches(
    _ operation: Operation, types: [RecordType], zone: ZoneID?
  ) -> Bool {
    if self.operation != .any || operation == .push, self.operation != operation { return false }
    if let type, !types.contains(type) { return false }
    if let wanted = self.zone, !operation.hasZone || zone.map({ $0 != wanted }) == true {
      return false
    }
    return true
  }
}
