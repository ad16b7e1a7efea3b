internal import Basics
internal import CloudModel
internal import RecordStore

/// Imports records whose names exist already.
extension RecordImporter {
  /// Whether a draft deletes a record that does not exist, as the feed of a zone may do.
  func isGone(_ draft: RecordDraft) throws -> Bool {
    guard draft.isDeletion, let name = draft.name.flatMap({ try? RecordName($0) }) else {
      return false
    }
    guard let zone = try storedZone(of: draft) else { return true }
    return try !store.hasRecord(name, in: zone)
  }

  /// Merges a record into the existing one of the same name, by the policy; returns whether that
  /// changed it.
  func merge(
    _ record: Record, _ draft: RecordDraft, _ zone: StoredZone, _ table: TypeTable,
    at now: Timestamp
  ) throws -> Bool {
    guard let stored = try store.record(record.name, in: zone) else { return false }
    try database.permissions.requireRead(stored)
    if stored.record.type != record.type {
      throw CloudError.recordExists(server: stored.record, client: record)
    }
    var merged = stored.record
    if options.policy == .unchanged || options.isFixture {
      merged.fields = record.fields
      merged.parent = record.parent
    } else {
      for field in draft.fields {
        merged.fields[field.name] = record.fields[field.name]
      }
      if record.parent != nil || draft.removesParent { merged.parent = record.parent }
    }
    let isRepeated = stored.sequence > startSequence || state.met[stored.number] != nil
    if isRepeated, options.refusesDuplicates { throw repetition(of: stored, by: draft) }
    if merged.fields == stored.record.fields, merged.parent == stored.record.parent {
      state.summary.unchanged += 1
      note(stored, draft)
      return false
    }
    if isRepeated {
      try skip(draft, repeating: stored)
      return false
    }
    guard options.policy != .unchanged else {
      throw CloudError.recordExists(server: stored.record, client: record)
    }
    try database.permissions.requireWrite(stored)
    try RecordSaving(transaction, zone: zone).checkSize(merged)
    try SharingRules(database: database, zone: zone).checkSave(of: merged, over: stored)
    _ = try store.update(stored, to: merged, table, at: now, by: writer)
    state.summary.changed += 1
    note(stored, draft)
    return true
  }

  /// Notes that the import has met an existing record.
  private func note(_ stored: StoredRecord, _ draft: RecordDraft) {
    if stored.sequence > startSequence || state.met[stored.number] != nil { return }
    state.met.add(stored.number, UInt32(clamping: draft.position.line))
  }

  /// Gives the parents of saved records new versions, unless the import has them, too (R4.1.6).
  func renewParents() throws {
    var zones: [ZoneID: StoredZone] = [:]
    var done: Set<RecordTarget> = []
    for (id, name) in state.parents.elements where done.insert(RecordTarget(id, name)).inserted {
      try store.checkInterrupt()
      let zone = try zones[id] ?? database.zoneToWrite(id, writer)
      zones[id] = zone
      guard !refused.contains(RecordTarget(id, name)),
        let stored = try store.record(name, in: zone), stored.sequence <= startSequence,
        state.met[stored.number] == nil
      else { continue }
      try store.renewTag(of: stored)
    }
  }

  /// Skips a record with the name of an earlier one of the import, whatever the policy: an import
  /// is a set of records, and an equal duplicate changes nothing. CloudKit refuses it (R4.2).
  private func skip(_ draft: RecordDraft, repeating stored: StoredRecord) throws {
    let name = stored.record.name.text
    guard !options.isStrict else {
      throw CloudError(
        .invalidArguments, "You can't save the same record twice: \(name)", recordName: name)
    }
    state.summary.skipped += 1
    state.summary.firstSkipped =
      state.summary.firstSkipped
      ?? SkippedRecord(
        name: stored.record.name, position: draft.position, earlier: line(of: stored.number))
  }

  /// The line of a record that occurred before in the import.
  private func line(of number: Int64) -> Int? {
    lines.line(of: number) ?? state.met[number].map { Int($0) }
  }

  private func repetition(of stored: StoredRecord, by draft: RecordDraft) -> CloudError {
    let name = stored.record.name.text
    let place = line(of: stored.number).map { "line \($0)" } ?? "an earlier record"
    return CloudError(
      .serverRecordChanged, "the record name repeats \(place)", recordName: name,
      remedy: .skipDuplicates)
  }
}
