public import CloudModel
internal import RecordStore

extension RecordDraft {
  /// The first reference that names another zone than the record's own: both ends are in the
  /// same zone (rule 5.11).
  public func foreignReference(to zone: ZoneName) -> (error: CloudError, at: TextPosition)? {
    guard let foreign = referenceZones.first(where: { $0.zone != zone.text }) else { return nil }
    let error = CloudError(
      .invalidArguments,
      "'\(foreign.field)' refers to zone '\(foreign.zone)'; a reference and its target are in the "
        + "same zone", recordName: name)
    return (error, foreign.position)
  }
}

/// What references demand of saves and deletions in one zone (§5), within a write transaction.
struct ReferenceRules {
  let store: EnvironmentStore
  let zone: StoredZone
  /// The names of records that the same operation makes: they count as there.
  var promised: Set<String> = []

  init(store: EnvironmentStore, zone: StoredZone, promised: Set<String> = []) {
    self.store = store
    self.zone = zone
    self.promised = promised
  }

  /// Checks the targets of a record's new links. Throws `referenceViolation` for a parent
  /// (rule 5.8) or a validating reference (rule 5.1) that points nowhere, `limitExceeded` for a
  /// target that too many records would die with (rule 5.14).
  func checkTargets(of record: Record, over stored: StoredRecord?) throws {
    if let link = try missingTarget(of: record, over: stored) {
      throw CloudError.missingTarget(link.target, of: record.name, link.kind == .parent)
    }
    let old = stored?.record.links ?? []
    for link in record.links where link.kind == .deleteSelf && !old.contains(link) {
      guard try store.sourceCount(of: link.target, in: zone, .deleteSelf) < Limits.owners else {
        throw CloudError.tooManyOwners(of: link.target, record.name)
      }
    }
  }

  /// The first new link of a record that wants a target which is not there.
  func missingTarget(of record: Record, over stored: StoredRecord?) throws -> RecordLink? {
    let old = stored?.record.links ?? []
    return try record.links.first { link in
      try link.kind != .deleteSelf && link.target != record.name && !old.contains(link)
        && !promised.contains(link.target.text) && !store.hasRecord(link.target, in: zone)
    }
  }

  /// Deletes records and all that die with them (rules 5.4 to 5.6): those whose deleteSelf
  /// references lead to one of them.
  ///
  /// A record stays, and with it what would have died with it, when another that stays has one
  /// of these as its parent (rule 5.9) or validates it (rule 5.1). Returns the errors of those
  /// records, by their numbers; records of `type`, where one is given, all go.
  func delete(
    _ roots: [StoredRecord], withAllOf type: TypeTable? = nil
  ) throws -> [Int64: CloudError] {
    var errors: [Int64: CloudError] = [:]
    var groups = try roots.map { try withDependents($0) }
    while !groups.isEmpty {
      let going = Set(groups.joined().map(\.number))
      let left = try groups.filter { group in
        let root = group[0]
        errors[root.number] = try objection(to: group, going, type)
        return errors[root.number] == nil
      }
      if left.count == groups.count { break }
      groups = left
    }
    var deleted: Set<Int64> = []
    for stored in groups.joined() where deleted.insert(stored.number).inserted {
      try store.delete(stored)
    }
    return errors
  }

  /// Why a record and its dependents have to stay while others go; nil when they can go.
  private func objection(
    to group: [StoredRecord], _ going: Set<Int64>, _ type: TypeTable?
  ) throws -> CloudError? {
    for stored in group {
      for kind in [RecordLink.Kind.parent, .validate] {
        let sources = try store.sources(of: stored.record.name, in: zone, kind)
        let witness = try sources.first { source in
          if going.contains(source) { return false }
          return try type.map { try !store.isRecord(source, of: $0) } ?? true
        }
        guard let witness else { continue }
        let name = try store.name(ofRecord: witness)
        return .stillReferenced(
          stored.record.name, by: name, isParent: kind == .parent, root: group[0].record.name)
      }
    }
    return nil
  }

  /// A record and those that die with it, each once, targets first.
  private func withDependents(_ root: StoredRecord) throws -> [StoredRecord] {
    var doomed = [root]
    var met: Set = [root.number]
    var next = 0
    while next < doomed.count {
      let name = doomed[next].record.name
      next += 1
      for number in try store.sources(of: name, in: zone, .deleteSelf)
      where met.insert(number).inserted {
        guard let source = try store.name(ofRecord: number),
          let stored = try store.record(source, in: zone)
        else { continue }
        doomed.append(stored)
      }
    }
    return doomed
  }
}
