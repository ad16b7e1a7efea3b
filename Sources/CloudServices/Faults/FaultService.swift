internal import Basics
public import CloudModel
internal import RecordStore

extension CloudStore {
  /// The faults that were requested, oldest first.
  public func faults() throws(CloudError) -> [FaultRule] { try currentSettings().faults }

  /// Makes operations fail; returns the rule with its number.
  public func add(
    _ fault: FaultRule, for request: Request
  ) throws(CloudError) -> FaultRule {
    var fault = fault
    try change { settings in
      fault.id = (settings.faults.map(\.id).max() ?? 0) + 1
      fault.seed =
        request.randomness.number(purpose: ["fault", String(fault.id)])
        ?? .random(in: 0...(.max))
      settings.faults.append(fault)
    }
    return fault
  }

  /// Takes faults away, by their numbers, or all; returns how many. Throws `unknownItem`.
  public func clearFaults(_ ids: [Int]) throws(CloudError) -> Int {
    let known = try faults().map(\.id)
    if let missing = ids.first(where: { !known.contains($0) }) {
      throw CloudError(
        .unknownItem, "no fault \(missing)", remedy: .listFaults)
    }
    try change { settings in
      settings.faults.removeAll { ids.isEmpty || ids.contains($0.id) }
    }
    return ids.isEmpty ? known.count : ids.count
  }

  /// Fails when a fault of an operation was requested. Throws that `CloudError`.
  func strike(
    _ operation: FaultRule.Operation, types: [RecordType], zone: ZoneID?, _ request: Request
  ) throws(CloudError) {
    for fault in try faults() where fault.matches(operation, types: types, zone: zone) {
      let strikes = try request.faults.decision(on: fault.id) { () throws(CloudError) in
        try decide(fault)
      }
      guard strikes else { continue }
      var error = CloudError(
        fault.code, fault.code.usualMessage, zone: zone,
        remedy: .requestedFault(fault.id))
      error.retryAfter = fault.retryAfter ?? fault.code.facts.retryAfter
      throw error
    }
  }

  /// What faults do to a push about a record type and a zone, both nil where it is about several;
  /// nil for nothing.
  func pushEffect(
    type: RecordType?, zone: ZoneID?, _ request: Request
  ) throws(CloudError) -> FaultRule.PushEffect? {
    for fault in try faults()
    where fault.matches(.push, types: type.map { [$0] } ?? [], zone: zone) {
      let strikes = try request.faults.decision(on: fault.id) { () throws(CloudError) in
        try decide(fault)
      }
      if strikes { return fault.effect }
    }
    return nil
  }

  /// Whether a fault strikes a request; it is counted.
  private func decide(_ fault: FaultRule) throws(CloudError) -> Bool {
    if fault.times == nil, fault.probability == nil { return true }
    var strikes = false
    try change { settings in
      guard let place = settings.faults.firstIndex(where: { $0.id == fault.id }) else { return }
      strikes = settings.faults[place].draw()
      if settings.faults[place].times == 0 { settings.faults.remove(at: place) }
    }
    return strikes
  }
}

/// Which faults strike a request, by their numbers: each is decided and counted once in it.
final class FaultDecisions: Sendable {
  private let decided = Locked<[Int: Bool]>([:])

  /// The decision on a fault, made by `decide` when it is met first. Throws what that throws.
  func decision(
    on fault: Int, _ decide: () throws(CloudError) -> Bool
  ) throws(CloudError) -> Bool {
    if let known = decided.withLock({ $0[fault] }) { return known }
    let strikes = try decide()
    decided.withLock { $0[fault] = strikes }
    return strikes
  }
}

/// A fault that was requested, where it ends more than the record that met it.
struct Struck: Error {
  let error: CloudError
}

extension FaultRule {
  /// Counts a command, and says whether it fails.
  fileprivate mutating func draw() -> Bool {
    met += 1
    if let probability {
      var chance = SplitMix64(state: seed &+ UInt64(met))
      if Double.random(in: 0..<1, using: &chance) >= probability { return false }
    }
    if let left = times { times = left - 1 }
    return true
  }
}

extension CloudDatabase {
  /// Fails when a fault of an operation was requested. Throws that `CloudError`.
  func strike(
    _ operation: FaultRule.Operation, _ types: [RecordType] = [], in zone: ZoneID? = nil
  ) throws(CloudError) {
    try environment.strike(operation, types, in: zone.map(identity))
  }
}

extension CloudEnvironment {
  /// Fails when a fault of an operation was requested. Throws that `CloudError`.
  func strike(
    _ operation: FaultRule.Operation, _ types: [RecordType] = [], in zone: ZoneID? = nil
  ) throws(CloudError) {
    try owner.strike(operation, types: types, zone: zone, request)
  }
}

extension RecordImporter {
  /// Ends the import when a fault of saves was requested; loading fixtures is none.
  func strike(
    _ operation: FaultRule.Operation, _ types: [RecordType], in zone: ZoneID
  ) throws {
    if options.isFixture { return }
    do { try database.strike(operation, types, in: zone) } catch { throw Struck(error: error) }
  }
}
