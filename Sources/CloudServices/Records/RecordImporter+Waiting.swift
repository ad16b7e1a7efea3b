internal import CloudModel
internal import RecordStore

/// A record's place among the targets of others.
struct RecordTarget: Hashable {
  let zone: Int64
  let name: String

  init(_ zone: StoredZone, _ name: RecordName) {
    self.zone = zone.number
    self.name = name.text
  }
}

/// A target that a record needs and that is not there yet.
struct MissingTarget: Error {
  let target: RecordTarget
  let error: CloudError
}

/// Records of an import that came before a target of theirs: their order does not matter
/// (rule 4.4.15).
struct WaitingRecords {
  /// The records, by the target that they miss.
  var drafts: [RecordTarget: [(draft: RecordDraft, error: CloudError)]] = [:]
  /// Targets that count as there, since they are made together.
  var promised: Set<RecordTarget> = []

  mutating func add(_ draft: RecordDraft, _ missing: MissingTarget) {
    drafts[missing.target, default: []].append((draft, missing.error))
  }

  mutating func remove(_ draft: RecordDraft) {
    for target in drafts.keys {
      drafts[target]?.removeAll { $0.draft.position == draft.position }
      if drafts[target]?.isEmpty == true { drafts[target] = nil }
    }
  }
}

extension RecordImporter {
  /// Makes faults of the records whose targets never came, and adds those that waited for one
  /// another.
  func settleWaiting() throws {
    var faults: [ImportFault] = []
    while !waiting.drafts.isEmpty {
      try giveUp(&faults)
      let left = waiting.drafts.values.joined().sorted { $0.draft.position < $1.draft.position }
      waiting.promised = Set(try left.compactMap { try target($0.draft) })
      var current = 0
      do {
        try attempting {
          for index in left.indices {
            current = index
            _ = try importRecord(left[index].draft)
          }
        }
        waiting.drafts.removeAll()
      } catch {
        let draft = left[current].draft
        guard let fault = fault(error, draft) else { throw error }
        faults.append(fault)
        waiting.remove(draft)
      }
    }
    summary.faults += faults.sorted { $0.position < $1.position }
  }

  /// Gives up the records whose targets do not wait themselves, and those that wait for them.
  private func giveUp(_ faults: inout [ImportFault]) throws {
    let own = Set(try waiting.drafts.values.joined().compactMap { try target($0.draft) })
    var hopeless = waiting.drafts.keys.filter { !own.contains($0) }
    while let target = hopeless.popLast() {
      for (draft, error) in waiting.drafts.removeValue(forKey: target) ?? [] {
        faults.append(ImportFault(error, at: draft.position))
        if let next = try self.target(draft) { hopeless.append(next) }
      }
    }
  }

  /// A waiting record's place among the targets; nil for one that nobody can name.
  private func target(_ draft: RecordDraft) throws -> RecordTarget? {
    guard let name = draft.name else { return nil }
    return RecordTarget(try zone(draft.zone).zone, RecordName(stored: name))
  }

  func checkTargets(of record: Record, _ zone: StoredZone) throws {
    let promised = waiting.promised.filter { $0.zone == zone.number }.map(\.name)
    let rules = ReferenceRules(store: store, zone: zone, promised: Set(promised))
    let stored = try store.record(record.name, in: zone)
    if let link = try rules.missingTarget(of: record, over: stored) {
      throw MissingTarget(
        target: RecordTarget(zone, link.target),
        error: .missingTarget(link.target, of: record.name, link.kind == .parent))
    }
    try rules.checkTargets(of: record, over: stored)
  }
}
