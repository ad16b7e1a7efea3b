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
        && !store.hasRecord(link.target, in: zone)
    }
  }

  /// Deletes a record and all that die with it (rules 5.4 to 5.6): those whose deleteSelf
  /// references lead to it. Throws `referenceViolation`, before anything is deleted, when a
  /// record that stays has one of them as its parent (rule 5.9) or validates it (rule 5.1).
  func delete(_ root: StoredRecord) throws {
    let doomed = try withDependents(root)
    let numbers = Set(doomed.map(\.number))
    for stored in doomed {
      for kind in [RecordLink.Kind.parent, .validate] {
        let sources = try store.sources(of: stored.record.name, in: zone, kind)
        guard let witness = sources.first(where: { !numbers.contains($0) }) else { continue }
        let name = try store.name(ofRecord: witness)
        throw CloudError.stillReferenced(stored.record.name, by: name, isParent: kind == .parent)
      }
    }
    for stored in doomed { try store.delete(stored) }
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
