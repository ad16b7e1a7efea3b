internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreFiles

/// Finds what a push would do in a zone.
struct PushPlanning {
  private let copy: RemoteCopy
  private let id: ZoneID
  private let zone: StoredZone?
  private let row: StoredRemoteZone?
  private let type: RecordType?
  private var store: EnvironmentStore { copy.store }

  init(
    _ copy: RemoteCopy, _ id: ZoneID, _ zone: StoredZone?, _ row: StoredRemoteZone?,
    _ type: RecordType?
  ) {
    (self.copy, self.id, self.zone, self.row, self.type) = (copy, id, zone, row, type)
  }

  func plan() throws -> PushPlan {
    var plan = PushPlan(id)
    plan.isNewZone = row == nil && id != .defaultZone
    if zone == nil, type == nil, id != .defaultZone, let row {
      // A zone that was never pulled is not here either.
      plan.isDeletedZone = try row.token != nil || !store.deletedHere(in: row, nil).isEmpty
      plan.zoneToken = row.token
    }
    var untaken: [RecordName: String] = [:]
    if let row {
      for base in try store.outrun(in: row) { untaken[base.name] = base.newer }
      for (type, count) in try store.baseCounts(in: row) {
        if let type { plan.known[type] = count }
      }
    }
    if let zone { try addSaves(in: zone, untaken, &plan) }
    if let row { try addDeletions(in: row, untaken, &plan) }
    return plan
  }

  private func addSaves(
    in zone: StoredZone, _ untaken: [RecordName: String], _ plan: inout PushPlan
  ) throws {
    var order = SendingOrder()
    for type in try store.types() {
      guard self.type == nil || self.type == type, type != .users,
        let table = try store.table(type)
      else { continue }
      let encrypted = table.schema.fields.filter(\.type.isEncrypted).map(\.name)
      for number in try store.changedSinceBase(table, in: zone, row) {
        try store.checkInterrupt()
        let stored = try store.stored(numbered: number, table, in: zone)
        let (name, record) = (stored.record.name, stored.record)
        let base = try row.flatMap { try store.base(of: name, in: $0) }
        if let base, !base.tag.isEmpty, table.isPushed(record, base) { continue }
        if type == .share {
          if base == nil { plan.shares += 1 }
          continue
        }
        // A type never changes: this is another record.
        let isReplaced = try base.map { try !$0.tag.isEmpty && store.type(of: $0) != type } ?? false
        let isCreated = isReplaced || base.map(\.tag.isEmpty) ?? true
        if let newer = untaken[name] {
          plan.conflicts.append(
            PullConflict(
              name, in: id, here: isCreated ? .created : .changed,
              there: newer.isEmpty ? .deleted : isCreated ? .created : .changed))
          continue
        }
        if isReplaced, let base {
          plan.replacements.append(
            PlannedDeletion(
              name: name, type: try store.type(of: base), tag: base.tag, isReplaced: true))
        }
        for field in encrypted where record.fields[field] != nil {
          plan.encrypted[EncryptedField(type: type, field: field), default: 0] += 1
        }
        order.add(
          PlannedSave(
            name: name, type: type, tag: isCreated ? nil : base?.tag),
          links: record.links.map(\.target))
      }
    }
    plan.saves = order.sorted()
  }

  private func addDeletions(
    in row: StoredRemoteZone, _ untaken: [RecordName: String], _ plan: inout PushPlan
  ) throws {
    for base in try store.deletedHere(in: row, zone) {
      let type = try store.type(of: base)
      guard self.type == nil || self.type == type else { continue }
      if let newer = untaken[base.name] {
        // A record that was deleted on both sides is not a conflict.
        if !newer.isEmpty {
          plan.conflicts.append(
            PullConflict(base.name, in: id, here: .deleted, there: .changed))
        }
        continue
      }
      plan.deletions.append(PlannedDeletion(name: base.name, type: type, tag: base.tag))
    }
  }
}
