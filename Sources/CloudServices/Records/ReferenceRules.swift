internal import CloudModel
internal import RecordStore

extension CloudDatabase {
  /// A value as a record of a zone stores it. Throws `invalidArguments` for a reference into
  /// another zone (R5.11).
  func localized(
    _ value: FieldValue, _ field: FieldName, in zone: ZoneID, of record: String?
  ) throws(CloudError) -> FieldValue {
    let named = value.namedZones
    if named.isEmpty { return value }
    try requireLocal(named, field.text, in: zone, of: record)
    return value.withoutZones
  }

  /// Throws `invalidArguments` if references of a field, or the parent, name another zone than
  /// their record's (R5.11). As in `RecordDraft.zoneID(in:)`, owners count only in the shared
  /// database.
  func requireLocal(
    _ named: [ZoneID], _ field: String, in zone: ZoneID, of record: String?
  ) throws(CloudError) {
    let own = identity(zone)
    let foreign = named.first {
      scope == .shared ? identity($0) != own : $0.name != own.name
    }
    if let foreign { throw .foreignReference(field, to: foreign, of: record) }
  }
}

/// A record as the target of others. Identifies zones by name: a zone that an attempt created is
/// gone after its rollback.
struct RecordTarget: Hashable {
  let zone: String
  let name: String

  init(_ zone: ZoneID, _ name: RecordName) {
    self.zone = zone.text
    self.name = name.text
  }
}

/// A missing target that a record needs.
struct MissingTarget: Error {
  let target: RecordTarget
  let error: CloudError
}

/// The rules of references for saves and deletions in one zone (R5), within a write transaction.
struct ReferenceRules {
  let store: EnvironmentStore
  let zone: StoredZone
  /// The names of records that the same operation creates; they count as existing.
  var promised: Set<String> = []
  /// The shared database whose user sees only a part of the zone; nil for all of it.
  private let window: CloudDatabase?

  init(database: CloudDatabase, zone: StoredZone, promised: Set<String> = []) {
    self.store = database.store
    self.zone = zone
    self.promised = promised
    window = database.scope == .shared ? database : nil
  }

  /// The rules for a user who sees the whole zone.
  init(store: EnvironmentStore, zone: StoredZone) {
    self.store = store
    self.zone = zone
    window = nil
  }

  /// Checks the targets of a record's new links. Throws `MissingTarget` for a parent (R5.8) or a
  /// validating reference (R5.1) without a target, `limitExceeded` for a target of too many
  /// deleteSelf references (R5.14).
  func checkTargets(of record: Record, over stored: StoredRecord?) throws {
    if let link = try missingTarget(of: record, over: stored) {
      throw MissingTarget(
        target: RecordTarget(zone.zone.id, link.target),
        error: .missingTarget(link.target, of: record.name, link.kind == .parent))
    }
    try checkCycle(record, over: stored)
    let old = stored?.record.links ?? []
    for link in record.links where link.kind == .deleteSelf && !old.contains(link) {
      guard try store.sourceCount(of: link.target, in: zone, .deleteSelf) < Limits.owners else {
        throw CloudError.tooManyOwners(of: link.target, record.name)
      }
    }
  }

  /// Throws `invalidArguments` if a record would be its own ancestor. Only a record that exists, or
  /// that others of the operation name as their parent, has descendants.
  private func checkCycle(_ record: Record, over stored: StoredRecord?) throws {
    guard let parent = record.parent, parent != stored?.record.parent,
      stored != nil || !promised.isEmpty || parent == record.name
    else { return }
    // A record without children cannot be an ancestor.
    guard try parent == record.name || store.hasSources(of: record.name, in: zone, .parent) else {
      return
    }
    var ancestor: RecordName? = parent
    var met: Set<String> = []
    while let name = ancestor, met.insert(name.text).inserted {
      if name == record.name { throw CloudError.ownAncestor(record.name) }
      ancestor = try store.record(name, in: zone, keys: [])?.record.parent
    }
  }

  /// The missing targets that a new record needs.
  func missingTargets(of record: Record) throws -> [RecordName] {
    try record.links.filter { link in
      try link.kind != .deleteSelf && link.target != record.name
        && !promised.contains(link.target.text) && !isThere(link.target)
    }.map(\.target)
  }

  /// The first new link of a record that needs a missing target.
  private func missingTarget(of record: Record, over stored: StoredRecord?) throws -> RecordLink? {
    let old = stored?.record.links ?? []
    return try record.links.first { link in
      try link.kind != .deleteSelf && link.target != record.name && !old.contains(link)
        && !promised.contains(link.target.text) && !isThere(link.target)
    }
  }

  /// Deletes records and their cascades (R5.4–R5.6): records whose deleteSelf references lead to
  /// one of them.
  ///
  /// A record stays, and with it its cascades, if a remaining record has one of these as its parent
  /// (R5.9) or validates it (R5.1). Returns the errors of the records that stay, by their numbers;
  /// if `type` is given, its records are all deleted. In the shared database nothing is deleted
  /// whose cascades include the root of a share (R10.3.7).
  func delete(
    _ roots: [StoredRecord], withAllOf type: TypeTable? = nil
  ) throws -> [Int64: CloudError] {
    var errors: [Int64: CloudError] = [:]
    var left = roots
    while !left.isEmpty {
      let doomed = try DoomedRecords(left, in: zone, of: store)
      if window != nil, try doomed.haveRoots() {
        for root in left { errors[root.number] = .notPermitted("WRITE", root.record.name) }
        break
      }
      let objections = doomed.objections(exceptBy: type)
      if objections.isEmpty {
        try doomed.delete()
        break
      }
      let held = Self.held(by: objections, killers: try doomed.killers())
      try left.removeAll { root in
        guard let objection = held[root.number] else { return false }
        errors[root.number] = try .stillReferenced(
          isThere(objection.target) ? objection.target : root.record.name,
          by: isThere(objection.source) ? objection.source : nil,
          isParent: objection.isParent, root: root.record.name)
        return true
      }
    }
    return errors
  }

  /// Whether the request's account sees a record of a name.
  private func isThere(_ name: RecordName) throws -> Bool {
    try window?.hasRecord(name, in: zone) ?? store.hasRecord(name, in: zone)
  }

  /// The records whose deletion would cascade to one that must stay, each with the reason.
  private static func held(
    by objections: [DoomedRecords.Objection], killers: [Int64: [Int64]]
  ) -> [Int64: DoomedRecords.Objection] {
    var held: [Int64: DoomedRecords.Objection] = [:]
    var open: [Int64] = []
    for objection in objections.sorted(by: { $0.number < $1.number }) {
      held[objection.number] = objection
      open.append(objection.number)
    }
    while let number = open.popLast() {
      for killer in killers[number] ?? [] where held[killer] == nil {
        held[killer] = held[number]
        open.append(killer)
      }
    }
    return held
  }
}
