internal import Basics
internal import CloudModel
internal import RecordStore

/// Import records that came before one of their targets: their order does not matter (R4.4.15).
struct WaitingRecords {
  typealias Entry = (draft: RecordDraft, missing: MissingTarget)

  /// The records, by the target they are waiting for.
  var drafts: [RecordTarget: [Entry]] = [:]
  /// The names that count as existing, by zone, because they are created together.
  var promised: [String: Set<String>] = [:]

  mutating func add(_ draft: RecordDraft, _ missing: MissingTarget) {
    drafts[missing.target, default: []].append((draft, missing))
  }
}

extension RecordImporter {
  /// Gives up an attempt in which some records fail.
  private struct GivingUp: Error {}

  /// Reports the records whose targets never came as faults, and adds those that waited for one
  /// another.
  func settleWaiting() throws {
    var left = waiting.drafts.values.joined().sorted { $0.draft.position < $1.draft.position }
    waiting.drafts.removeAll()
    var faults: [ImportFault] = []
    while !left.isEmpty {
      let items = try left.map { try waitingItem($0.draft) }
      let hopeless = items.hopeless()
      faults += hopeless.flatMap { self.faults(left[$0].missing, left[$0].draft) ?? [] }
      left = left.indices.filter { !hopeless.contains($0) }.map { left[$0] }
      waiting.promised = [:]
      for case let (index, own?) in items.map(\.own).enumerated() where !hopeless.contains(index) {
        waiting.promised[own.zone, default: []].insert(own.name)
      }
      let failed = try addTogether(left.map(\.draft))
      faults += failed.values.joined()
      left = failed.isEmpty ? [] : left.indices.filter { failed[$0] == nil }.map { left[$0] }
    }
    waiting.promised = [:]
    state.summary.faults += faults.sorted { $0.position < $1.position }
  }

  /// Adds all records; if any fail, adds none and returns the faults by the records' places.
  private func addTogether(_ drafts: [RecordDraft]) throws -> [Int: [ImportFault]] {
    var faults: [Int: [ImportFault]] = [:]
    do {
      try attempting {
        for index in drafts.indices {
          try store.checkInterrupt()
          do {
            _ = try attempting { try importRecord(drafts[index]) }
          } catch {
            guard let found = self.faults(error, drafts[index]) else { throw error }
            faults[index] = found
          }
        }
        if !faults.isEmpty { throw GivingUp() }
      }
    } catch is GivingUp {}
    return faults
  }

  /// The name of a draft, and its missing targets.
  private func waitingItem(_ draft: RecordDraft) throws -> WaitingItem<RecordTarget> {
    let id = identity(ofZoneOf: draft)
    var record = Record(
      name: RecordName(stored: draft.name ?? ""), type: RecordType(stored: ""), zone: id,
      parent: draft.parent.map { RecordName(stored: $0) })
    for field in draft.fields { record.fields[field.name] = field.value }
    var wanted = record.links.filter { $0.kind != .deleteSelf }.map(\.target)
    if let zone = try? database.zoneToRead(id) {
      let rules = ReferenceRules(
        database: database, zone: zone, promised: try database.users(among: record))
      wanted = try rules.missingTargets(of: record)
    }
    return WaitingItem(
      own: draft.name.map { RecordTarget(id, RecordName(stored: $0)) },
      wanted: wanted.map { RecordTarget(id, $0) })
  }
}
