internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome

extension CloudStore {
  /// The injected faults, oldest first.
  public func faults() throws(CloudError) -> [FaultRule] { try setting { $0.faults } }

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

  /// The injected faults that may strike a request, delays before errors: only the first error
  /// strikes, but it is late, too.
  private func faultsInTurn(for request: Request) throws(CloudError) -> [FaultRule] {
    guard request.meetsFaults else { return [] }
    let all = try faults()
    return all.allSatisfy { $0.code != nil }
      ? all : all.filter { $0.code == nil } + all.filter { $0.code != nil }
  }

  /// Throws the error of an injected fault that strikes an operation. If the fault comes after the
  /// change, the operation throws it in the end (`FaultDecisions.loseAnswer`).
  func strike(
    _ operation: FaultRule.Operation, types: [RecordType] = [], zone: ZoneID? = nil,
    isReading: Bool = false, _ request: Request
  ) throws(CloudError) {
    for fault in try faultsInTurn(for: request)
    where !fault.isForItems && fault.matches(operation, types: types, zone: zone) {
      guard let error = try error(of: fault, in: zone, request) else { continue }
      guard fault.isAfter, !isReading, !operation.isReading else { throw error }
      request.faults.postpone(error)
    }
  }

  /// The failure of a single record by an injected fault; nil for none.
  func failure(
    of record: RecordName?, _ ordinal: Int, in operation: FaultRule.Operation, types: [RecordType],
    zone: ZoneID, _ request: Request
  ) throws(CloudError) -> RecordFailure? {
    for fault in try faultsInTurn(for: request)
    where fault.isForItems && fault.matches(operation, types: types, zone: zone)
      && fault.concerns(record, ordinal: ordinal)
    {
      guard var error = try error(of: fault, in: zone, request) else { continue }
      error.recordName = record?.text
      return RecordFailure(error: error, isAfter: fault.isAfter)
    }
    return nil
  }

  /// The error of a fault that strikes a request; nil if it spares the request.
  private func error(
    of fault: FaultRule, in zone: ZoneID?, _ request: Request
  ) throws(CloudError) -> CloudError? {
    let decision = try request.faults.decision(on: fault) { () throws(CloudError) in
      try decide(fault, at: request.now)
    }
    guard case .strikes(let wait) = decision, let code = fault.code else { return nil }
    var error = CloudError(
      code, code.usualMessage, zone: zone, remedy: .requestedFault(fault.id))
    error.retryAfter = fault.retryAfter ?? wait ?? code.facts.retryAfter
    return error
  }

  /// The effect of faults on a push about a record type and a zone, both nil if it is about
  /// several; nil for no effect.
  func pushEffect(
    type: RecordType?, zone: ZoneID?, _ request: Request
  ) throws(CloudError) -> FaultRule.PushEffect? {
    for fault in try faults()
    where fault.matches(.push, types: type.map { [$0] } ?? [], zone: zone) {
      let decision = try request.faults.decision(on: fault) { () throws(CloudError) in
        try decide(fault, at: request.now)
      }
      if case .strikes = decision { return fault.effect }
    }
    return nil
  }

  /// Whether a fault strikes a request, which is counted.
  private func decide(
    _ fault: FaultRule, at now: Timestamp
  ) throws(CloudError) -> FaultDecision {
    if fault.times == nil, fault.probability == nil, fault.rate == nil { return .strikes() }
    var decision = FaultDecision.spares
    try change { settings in
      guard let place = settings.faults.firstIndex(where: { $0.id == fault.id }) else { return }
      decision = settings.faults[place].draw(at: now)
      if settings.faults[place].times == 0 { settings.faults.remove(at: place) }
    }
    return decision
  }
}

/// The failure of one record of an operation.
struct RecordFailure {
  let error: CloudError
  /// Whether the record is changed nevertheless.
  let isAfter: Bool
}

/// Whether a fault strikes a request.
enum FaultDecision {
  case spares
  /// After this many seconds it would not; nil if that is unknown.
  case strikes(wait: Double? = nil)
}

/// Which faults strike a request, by number: each is decided and counted once per request.
final class FaultDecisions: Sendable {
  private let decided = Locked<[Int: FaultDecision]>([:])
  private let postponed = Locked<CloudError?>(nil)
  private let delay = Locked<Double>(0)

  /// Returns the decision on a fault, made by `decide` the first time. Throws what `decide` throws.
  func decision(
    on fault: FaultRule, _ decide: () throws(CloudError) -> FaultDecision
  ) throws(CloudError) -> FaultDecision {
    if let known = decided.withLock({ $0[fault.id] }) { return known }
    let decision = try decide()
    decided.withLock { $0[fault.id] = decision }
    if case .strikes = decision, let latency = fault.latency { delay.withLock { $0 += latency } }
    return decision
  }

  /// The numbers of the faults that struck the request, in order.
  var struck: [Int] {
    decided.withLock { decided in
      decided.filter { if case .strikes = $0.value { true } else { false } }.keys.sorted()
    }
  }

  /// How much later the answer comes, in seconds.
  var latency: Double { delay.withLock { $0 } }

  /// Makes the request fail after its change.
  func postpone(_ error: CloudError) { postponed.withLock { $0 = $0 ?? error } }

  /// Throws a postponed error: the change is made, but the client does not learn it.
  func loseAnswer() throws(CloudError) {
    let error = postponed.withLock { error in
      defer { error = nil }
      return error
    }
    if let error { throw error }
  }
}

/// An injected fault that ends more than the record that met it.
struct Struck: Error {
  let error: CloudError
}

extension FaultRule {
  /// Counts a command, and returns whether it fails.
  fileprivate mutating func draw(at now: Timestamp) -> FaultDecision {
    met += 1
    if let probability {
      var chance = SplitMix64(state: seed &+ UInt64(met))
      if Double.random(in: 0..<1, using: &chance) >= probability { return .spares }
    }
    var wait: Double?
    if let rate {
      if let next = rate.next(after: free, at: now.milliseconds) {
        free = next
        return .spares
      }
      wait = Double(rate.wait(after: free, at: now.milliseconds)) / 1000
    }
    if let left = times { times = left - 1 }
    return .strikes(wait: wait)
  }
}

extension CloudDatabase {
  /// Throws the error of an injected fault that strikes an operation.
  func strike(
    _ operation: FaultRule.Operation, _ types: [RecordType] = [], in zone: ZoneID? = nil,
    isReading: Bool = false
  ) throws(CloudError) {
    try environment.strike(operation, types, in: zone.map(identity), isReading: isReading)
  }

  /// The failure of a record by an injected fault; `ordinal` is its place in the operation, from 1.
  func failure(
    of record: RecordName?, _ ordinal: Int, in operation: FaultRule.Operation,
    _ types: [RecordType], in zone: ZoneID
  ) throws(CloudError) -> RecordFailure? {
    try environment.owner.failure(
      of: record, ordinal, in: operation, types: types, zone: identity(zone), environment.request)
  }

  /// Fails an operation on a single record.
  func strike(
    record: RecordName?, in operation: FaultRule.Operation, _ types: [RecordType], in zone: ZoneID
  ) throws(CloudError) {
    guard let failure = try failure(of: record, 1, in: operation, types, in: zone) else { return }
    guard failure.isAfter else { throw failure.error }
    environment.request.faults.postpone(failure.error)
  }
}

extension CloudEnvironment {
  /// Throws the error of an injected fault that strikes an operation.
  func strike(
    _ operation: FaultRule.Operation, _ types: [RecordType] = [], in zone: ZoneID? = nil,
    isReading: Bool = false
  ) throws(CloudError) {
    try owner.strike(operation, types: types, zone: zone, isReading: isReading, request)
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

  /// Throws the failure of a single record by an injected fault. A record that waits for another is
  /// tried again and keeps its number.
  func strike(
    _ name: RecordName, _ type: RecordType, in zone: ZoneID, at position: TextPosition
  ) throws {
    guard hasRecordFaults else { return }
    let place = "\(position.line):\(position.column)"
    let ordinal = ordinals[place] ?? ordinals.count + 1
    ordinals[place] = ordinal
    guard let failure = try database.failure(of: name, ordinal, in: .save, [type], in: zone) else {
      return
    }
    guard failure.isAfter else { throw failure.error }
    database.environment.request.faults.postpone(failure.error)
  }
}
