internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome

extension CloudStore {
  /// The injected faults, oldest first.
  public func faults() throws(CloudError) -> [FaultRule] { try currentSettings().faults }

  /// Injects a fault; returns the rule with its number.
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

  /// Removes faults by their numbers, or all. Returns how many. Throws `unknownItem`.
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

  /// Throws the error of an injected fault that strikes an operation.
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

  /// The effect of faults on a push about a record type and a zone, both nil if it is about
  /// several; nil for no effect.
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

  /// Whether a fault strikes a request, which is counted.
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

/// Which faults strike a request, by number: each is decided and counted once per request.
final class FaultDecisions: Sendable {
  private let decided = Locked<[Int: Bool]>([:])

  /// Returns the decision on a fault, made by `decide` the first time. Throws what `decide` throws.
  func decision(
    on fault: Int, _ decide: () throws(CloudError) -> Bool
  ) throws(CloudError) -> Bool {
    if let known = decided.withLock({ $0[fault] }) { return known }
    let strikes = try decide()
    decided.withLock { $0[fault] = strikes }
    return strikes
  }
}

/// An injected fault that ends more than the record that met it.
struct Struck: Error {
  let error: CloudError
}

extension FaultRule {
  /// Counts a command, and returns whether it fails.
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
  /// Throws the error of an injected fault that strikes an operation.
  func strike(
    _ operation: FaultRule.Operation, _ types: [RecordType] = [], in zone: ZoneID? = nil
  ) throws(CloudError) {
    try environment.strike(operation, types, in: zone.map(identity))
  }
}

extension CloudEnvironment {
  /// Throws the error of an injected fault that strikes an operation.
  func strike(
    _ operation: FaultRule.Operation, _ types: [RecordType] = [], in zone: ZoneID? = nil
  ) throws(CloudError) {
    try owner.strike(operation, types: types, zone: zone, request)
  }
}

extension RecordImporter {
  /// Ends the import if an injected fault strikes saves; does not apply to fixtures.
  func strike(
    _ operation: FaultRule.Operation, _ types: [RecordType], in zone: ZoneID
  ) throws {
    if options.isFixture { return }
    do { try database.strike(operation, types, in: zone) } catch { throw Struck(error: error) }
  }
}
