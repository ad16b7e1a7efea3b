public import CloudKit
internal import CloudModel
internal import CloudServices

extension LocalCloud {
  /// The requests that a fault can strike.
  public enum Operation: String, Sendable, CaseIterable {
    case save
    case delete
    case fetch
    case query
    /// Fetching changes of a database or of a zone.
    case changes
    /// Saving, deleting and fetching zones.
    case zone
    /// Uploading and downloading the contents of assets.
    case asset
    /// Saving shares and changing them.
    case share
    /// Accepting shares.
    case accept
    /// Synchronizing a key-value store.
    case keyValueStore = "kvs"
    /// All of them.
    case any
  }

  /// An injected fault.
  public struct Fault: Sendable, Hashable {
    let id: Int
  }

  /// Makes requests fail with an error, from now on.
  ///
  /// - Parameters:
  ///   - operation: The requests that fail.
  ///   - code: Their error.
  ///   - retryAfter: The seconds after which the error says to try again; nil for those that its
  ///     code usually has.
  ///   - times: How many requests fail; nil for all until `clearFaults`.
  ///   - recordType: The type of the records; nil for all.
  ///   - zoneID: The zone; nil for all.
  ///   - recordName: The record that fails, alone in its operation; nil for whole operations.
  ///   - every: Which records of an operation fail, each alone: 3 for every third.
  ///   - afterChange: Whether the change is made, as if only the answer were lost.
  ///   - probability: The fraction of requests that fail, from 0 to 1.
  @discardableResult
  public func fail(
    _ operation: Operation, with code: CKError.Code, retryAfter: Double? = nil,
    times: Int? = nil, recordType: String? = nil, zoneID: CKRecordZone.ID? = nil,
    recordName: String? = nil, every: Int? = nil, afterChange: Bool = false,
    probability: Double? = nil
  ) throws -> Fault {
    try ckErrors {
      guard let known = CloudError.Code(rawValue: code.rawValue),
        let kind = FaultRule.Operation(rawValue: operation.rawValue)
      else { throw CloudError(.invalidArguments, "no such fault") }
      var rule = FaultRule(known, of: kind)
      (rule.retryAfter, rule.times, rule.every) = (retryAfter, times, every)
      (rule.isAfter, rule.probability) = (afterChange, probability)
      rule.name = try recordName.map { try RecordName($0) }
      return try add(rule, recordType, zoneID)
    }
  }

  /// Makes requests slow from now on: they do their work at once, and answer later. A
  /// saved record has its new change tag before the answer.
  ///
  /// - Parameters:
  ///   - operation: The requests that are slow.
  ///   - seconds: How much later they answer; at most an hour.
  ///   - times: How many requests are slow; nil for all until `clearFaults`.
  ///   - recordType: The type of the records; nil for all.
  ///   - zoneID: The zone; nil for all.
  ///   - probability: The fraction of requests that are slow, from 0 to 1.
  @discardableResult
  public func delay(
    _ operation: Operation, by seconds: Double, times: Int? = nil, recordType: String? = nil,
    zoneID: CKRecordZone.ID? = nil, probability: Double? = nil
  ) throws -> Fault {
    try ckErrors {
      guard let kind = FaultRule.Operation(rawValue: operation.rawValue),
        (0...FaultRule.mostLatency).contains(seconds)
      else { throw CloudError(.invalidArguments, "no such delay") }
      var rule = FaultRule(nil, of: kind)
      (rule.latency, rule.times, rule.probability) = (seconds, times, probability)
      return try add(rule, recordType, zoneID)
    }
  }

  private func add(
    _ rule: FaultRule, _ recordType: String?, _ zoneID: CKRecordZone.ID?
  ) throws -> Fault {
    var rule = rule
    rule.type = try recordType.map { try RecordType($0) }
    rule.zone = try zoneID.map { try ZoneID(name: $0.zoneName, owner: $0.ownerName) }
    return Fault(id: try cloud.store.add(rule, for: request).id)
  }

  /// What can happen to a push.
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

  /// Makes pushes go wrong from now on.
  ///
  /// - Parameters:
  ///   - effect: What happens to them.
  ///   - times: To how many; nil for all until `clearFaults`.
  ///   - recordType: The type of the records; nil for all.
  ///   - zoneID: The zone; nil for all.
  @discardableResult
  public func disturbPushes(
    _ effect: PushEffect, times: Int? = nil, recordType: String? = nil,
    zoneID: CKRecordZone.ID? = nil
  ) throws -> Fault {
    try ckErrors {
      guard let known = FaultRule.PushEffect(rawValue: effect.rawValue) else {
        throw CloudError(.invalidArguments, "no such effect")
      }
      var rule = FaultRule(known)
      rule.times = times
      return try add(rule, recordType, zoneID)
    }
  }

  /// Removes faults.
  public func clear(_ faults: Fault...) throws {
    if faults.isEmpty { return }
    try ckErrors { _ = try cloud.store.clearFaults(faults.map(\.id)) }
  }

  /// Removes all faults.
  public func clearFaults() throws { try ckErrors { _ = try cloud.store.clearFaults([]) } }
}
