internal import Basics
public import CloudModel
internal import FieldCodecs
internal import RecordStore
internal import StoreFiles

extension CloudDatabase {
  /// Imports the records that `body` adds, in one transaction; an atomic import with faults keeps
  /// nothing. Throws `CloudError` for errors that end the whole import.
  public func importing(
    _ options: ImportOptions, _ body: (RecordImporter) throws -> Void
  ) throws(CloudError) -> ImportSummary {
    try requireActor()
    var summary = ImportSummary()
    var isGivenUp = false
    let work: () throws -> Void = {
      try store.prepareForBulk()
      let transaction = try WriteTransaction(in: self)
      let importer = try RecordImporter(transaction, options)
      defer { summary = importer.summary }
      try body(importer)
      try importer.settleWaiting()
      try importer.checkSaved()
      try importer.renewParents()
      if store.pendingBytes > 0 { try requireRoom(for: importer.writer, in: importer.usedZones) }
      if !options.isRehearsal { importer.state.summary.notices = transaction.notices }
      summary = importer.summary
      if options.isAtomic, !summary.faults.isEmpty {
        isGivenUp = true
        throw CloudError(.batchRequestFailed, "nothing was imported")
      }
      try store.resumeIndexes()
    }
    do {
      if options.isRehearsal {
        try environment.rehearse(work)
      } else {
        try environment.write(work)
      }
    } catch {
      // The faults caused the rollback; the summary reports them.
      guard isGivenUp else { throw error }
    }
    return summary
  }
}

/// Adds records to a database within one transaction.
public final class RecordImporter {
  let transaction: WriteTransaction
  let database: CloudDatabase
  let options: ImportOptions
  let writer: StoredUser
  private var zones: [String: (zone: StoredZone, hasTombstones: Bool)] = [:]
  var tables: [String: TypeTable] = [:]
  /// Records that came before one of their targets.
  var waiting = WaitingRecords()
  /// The values of one record, in the order of its type's fields; reused.
  private var slots: [FieldValue?] = []
  /// What the records so far did.
  var state = ImportState()
  /// The source lines of the new records.
  var lines: RecordLines
  let startSequence: Int64
  /// The number of new records at which the indexes are checked next.
  var nextLook = 10_000
  /// The faulty records.
  private(set) var refused: Set<RecordTarget> = []
  /// Whether injected faults strike single records.
  let hasRecordFaults: Bool
  /// The numbers of the records that faults have met, by their positions.
  var ordinals: [String: Int] = [:]
  /// The layouts that another thread needs to prepare rows (`DraftPreparer`).
  public let layouts: ImportLayouts
  /// The results so far.
  public var summary: ImportSummary { state.summary }

  var store: EnvironmentStore { database.store }
  var fitting: SchemaFitting { SchemaFitting(database: database) }

  init(_ transaction: WriteTransaction, _ options: ImportOptions) throws {
    self.transaction = transaction
    self.options = options
    (database, writer) = (transaction.database, transaction.writer)
    hasRecordFaults =
      try !options.isFixture && database.environment.owner.faults().contains(where: \.isForItems)
    startSequence = database.store.lastSequence
    lines = RecordLines(after: startSequence)
    layouts = ImportLayouts(defaultType: options.type?.text)
  }

  /// Adds one record of a batch, by its prepared row if that is still valid, otherwise as the draft
  /// that `read` parses from its text again. Throws only errors that end the whole import.
  public func add(
    _ item: ImportBatch.Item, of batch: ImportBatch,
    _ read: (UnsafeRawBufferPointer, TextPosition) throws -> RecordDraft
  ) throws {
    try checkInterrupt()
    switch item {
    case .fault(let fault): note(fault)
    case .draft(let origin): try add(try batch.draft(origin, read))
    case .row(let draft):
      if try !insert(draft, of: batch) { try add(try batch.draft(draft.origin, read)) }
    }
    try suspendIndexes()
  }

  /// Suspends the indexes of fast-growing types until the end.
  private func suspendIndexes() throws {
    guard state.summary.created >= nextLook else { return }
    nextLook *= 2
    for table in tables.values.sorted(by: { utf8Precedes($0.schema.name.text, $1.schema.name.text) }
    ) {
      try store.suspendIndexes(of: table, insertedAfter: startSequence)
    }
  }

  private func insert(_ draft: PreparedDraft, of batch: ImportBatch) throws -> Bool {
    guard database.scope != .shared, !hasRecordFaults,
      let table = tables[draft.type ?? options.type?.text ?? ""],
      let known = zones[draft.zone ?? options.zone.text], !known.hasTombstones,
      try store.insert(
        draft.row, of: batch.rows, name: draft.name, table, in: known.zone,
        at: transaction.request.now, by: writer) == true
    else { return false }
    state.summary.created += 1
    lines.note(store.lastSequence, batch.position(of: draft.origin).line)
    if !waiting.drafts.isEmpty {
      try add(released(by: RecordTarget(known.zone.zone.id, draft.name)))
    }
    return true
  }

  /// Notes a record that could not be read.
  func note(_ fault: ImportFault) { state.summary.faults.append(fault) }

  /// Adds one record, and those that waited for it. Throws only errors that end the whole import.
  public func add(_ draft: RecordDraft) throws {
    try add([draft])
    try suspendIndexes()
  }

  private func add(_ drafts: [RecordDraft]) throws {
    var ready = drafts
    while let draft = ready.popLast() {
      if let made = try addAlone(draft) { ready += released(by: made) }
    }
  }

  private func released(by target: RecordTarget) -> [RecordDraft] {
    waiting.drafts.removeValue(forKey: target)?.map(\.draft) ?? []
  }

  /// Adds one record; returns its target if it was added.
  private func addAlone(_ draft: RecordDraft) throws -> RecordTarget? {
    // A share needs its participants, which no record contains.
    if draft.isShare {
      state.summary.shares += 1
      return nil
    }
    if try isGone(draft) {
      state.summary.gone += 1
      return nil
    }
    do {
      return try options.isAtomic ? importRecord(draft) : importAlone(draft)
    } catch let missing as MissingTarget {
      waiting.add(draft, missing)
    } catch {
      guard let faults = faults(error, draft) else { throw error }
      state.summary.faults += faults
    }
    return nil
  }

  /// Adds one record, or undoes all its changes, including those of the schema.
  private func importAlone(_ draft: RecordDraft) throws -> RecordTarget {
    try attempting { try importRecord(draft) }
  }

  func attempting<T>(_ work: () throws -> T) throws -> T {
    let before = state
    do {
      return try transaction.attempt(work)
    } catch {
      let brought = state.brought.elements.dropFirst(before.brought.count)
      state = before
      for asset in brought { try store.forgetIfUnused(asset) }
      tables.removeAll()
      zones.removeAll()
      layouts.forget()
      throw error
    }
  }

  /// The errors of a record's values.
  struct PlacedFaults: Error {
    var faults: [ImportFault]

    init(_ error: CloudError, at position: TextPosition) {
      faults = [ImportFault(error, at: position)]
    }
  }

  /// The faults of a draft that an error reports; nil for an error that ends the import.
  func faults(_ error: any Error, _ draft: RecordDraft) -> [ImportFault]? {
    if let name = draft.name {
      refused.insert(RecordTarget(identity(ofZoneOf: draft), RecordName(stored: name)))
    }
    return switch error {
    case let missing as MissingTarget: [ImportFault(missing, at: draft.position)]
    case let error as CloudError where error.storage == nil:
      [ImportFault(error, at: draft.position)]
    case let placed as PlacedFaults: placed.faults
    default: nil
    }
  }

  func importRecord(_ draft: RecordDraft) throws -> RecordTarget {
    let (zone, hasTombstones) = try zone(of: draft)
    if let parentZone = draft.parentZone {
      try database.requireLocal([parentZone], "parent", in: zone.zone.id, of: draft.name)
    }
    if draft.isDeletion {
      throw CloudError(
        .invalidArguments, "an import cannot delete records", recordName: draft.name,
        remedy: .saveBatch)
    }
    let type = try type(draft.type)
    var table = try table(type, in: zone.zone.id)
    let fields = try fit(draft, type, &table, in: zone.zone.id)
    let name = try draft.name.map { try RecordName($0) } ?? self.makeName()
    try strike(name, type, in: zone.zone.id, at: draft.position)
    let place = database.usersZone(holding: name, in: zone.zone.id) ?? zone
    let saving = RecordSaving(
      transaction, zone: place, promised: waiting.promised[zone.zone.id.text] ?? [])
    try saving.admit(name, type, draft.fields.lazy.map(\.name))
    let record = Record(
      name: name, type: type, zone: zone.zone.id, fields: fields,
      parent: try draft.parent.map { try RecordName($0) })
    try saving.checkSize(record)
    try saving.checkLinks(of: record, over: store.record(name, in: place))
    try checkAssets(record.fields)
    try checkSharing(of: record, saving)
    let isNew = try database.scope != .public || !store.hasRecord(name, in: place)
    if isNew { try database.permissions.requireCreate(table?.schema, name) }
    let grown: TypeTable
    if let table { grown = table } else { grown = try grow(type) }
    let now = transaction.request.now
    if try store.insert(record, grown, in: place, at: now, by: writer) != nil {
      lines.note(store.lastSequence, draft.position.line)
      if hasTombstones { try store.removeTombstone(name, in: place) }
      state.summary.created += 1
    } else if try !merge(record, draft, place, grown, at: now) {
      return RecordTarget(zone.zone.id, name)
    }
    if let parent = record.parent { state.parents.append((zone.zone.id, parent)) }
    return RecordTarget(zone.zone.id, name)
  }

  func makeName() -> RecordName {
    state.madeNames += 1
    return database.makeName(index: state.madeNames)
  }

  // MARK: Zones

  /// The zones that records were added to.
  var usedZones: [StoredZone] { zones.values.map(\.zone) }

  /// The ID of the zone that a draft goes to, with its owner in the shared database, where a draft
  /// may name the zone alone.
  func identity(ofZoneOf draft: RecordDraft) -> ZoneID {
    let named = (try? draft.zoneID(in: database.scope)) ?? options.zone
    guard database.scope == .shared else { return named }
    return (try? database.zoneToRead(named))?.zone.id ?? database.identity(named)
  }

  func zone(of draft: RecordDraft) throws -> (zone: StoredZone, hasTombstones: Bool) {
    var key = draft.zone ?? options.zone.text
    // A name never contains a zero.
    if database.scope == .shared, let owner = draft.zoneOwner { key += "\u{0}\(owner)" }
    if let zone = zones[key] { return zone }
    let id = try draft.zoneID(in: database.scope) ?? options.zone
    try strike(.save, [], in: id)
    let zone =
      if options.createsZones, database.scope == .private, database.identity(id).owner == .current {
        try database.zoneIfMade(id, writer) ?? makeZone(database.identity(id))
      } else {
        try database.zoneToWrite(id, writer)
      }
    let found = (zone, try store.hasTombstones(in: zone))
    zones[key] = found
    return found
  }

  private func makeZone(_ id: ZoneID) throws -> StoredZone {
    try strike(.zone, [], in: id)
    state.summary.createdZones += 1
    return try store.addZone(id, database.scope, of: writer)
  }

  private func type(_ name: String?) throws -> RecordType {
    guard let name else {
      guard let type = options.type else { throw CloudError.missingType }
      return type
    }
    if tables[name] != nil { return RecordType(stored: name) }
    return try RecordType(name)
  }

  private func table(_ type: RecordType, in zone: ZoneID) throws -> TypeTable? {
    if let table = tables[type.text] { return table }
    try strike(.save, [type], in: zone)
    guard let table = try fitting.table(type) else { return nil }
    tables[type.text] = table
    try publish(table)
    return table
  }

  // MARK: Values

  /// The values of a draft, converted to its type's fields.
  private func fit(
    _ draft: RecordDraft, _ type: RecordType, _ table: inout TypeTable?, in zone: ZoneID
  ) throws -> RecordFields {
    var faults: PlacedFaults?
    var places = table.map { self.places(of: draft, $0) } ?? []
    if table == nil || places.contains(-1) {
      for field in draft.fields { try gather(&faults) { try meet(field, type, &table) } }
      places = table.map { self.places(of: draft, $0) } ?? []
    }
    guard let table else {
      if let faults { throw faults }
      return RecordFields()
    }
    slots.removeAll(keepingCapacity: true)
    for _ in table.schema.fields { slots.append(nil) }
    var count = 0
    for index in draft.fields.indices where places[index] >= 0 {
      try gather(&faults) {
        slots[places[index]] = try value(
          localized(draft.fields[index], in: zone, of: draft.name), places[index], table)
      }
      count += 1
    }
    if let faults { throw faults }
    var entries: [RecordFields.Entry] = []
    entries.reserveCapacity(count)
    for place in slots.indices {
      guard let value = slots[place] else { continue }
      entries.append(RecordFields.Entry(table.schema.fields[place].name, value))
    }
    return RecordFields(sorted: entries)
  }

  /// Continues after a faulty value, to report the faults of all values.
  private func gather(_ faults: inout PlacedFaults?, _ work: () throws -> Void) throws {
    do { try work() } catch let placed as PlacedFaults {
      if faults == nil { faults = placed } else { faults?.faults += placed.faults }
    }
  }

  /// The places of a draft's fields in its type; -1 for a field that the type does not have.
  private func places(of draft: RecordDraft, _ table: TypeTable) -> [Int] {
    var places: [Int] = []
    places.reserveCapacity(draft.fields.count)
    for index in draft.fields.indices {
      places.append(table.place(of: draft.fields[index].name) ?? -1)
    }
    return places
  }

  /// A field without the zones of its references, which must not lead into another zone (R5.11).
  private func localized(
    _ field: RecordDraft.Field, in zone: ZoneID, of record: String?
  ) throws -> RecordDraft.Field {
    guard let value = field.value, value.refers else { return field }
    var field = field
    do throws(CloudError) {
      field.value = try database.localized(value, field.name, in: zone, of: record)
    } catch { throw PlacedFaults(error, at: field.position) }
    return field
  }

  /// One value converted to its field's type; nil if it is dropped.
  private func value(
    _ field: RecordDraft.Field, _ place: Int, _ table: TypeTable
  ) throws -> FieldValue? {
    guard let given = field.value else { return nil }
    let type = table.schema.fields[place].type
    do throws(CloudError) { try fitting.checkEncryption(of: type, field.name) } catch {
      throw PlacedFaults(error, at: field.position)
    }
    if try widen(given, field, type, table) { return given }
    if let value = given.held(by: type, as: field.type) { return value }
    if options.dropsMismatches {
      state.summary.droppedValues += 1
      return nil
    }
    throw PlacedFaults(mismatch(given, field, type, table), at: field.position)
  }

  /// Widens an INT64 field that this import created to DOUBLE.
  private func widen(
    _ given: FieldValue, _ field: RecordDraft.Field, _ type: FieldType, _ table: TypeTable
  ) throws -> Bool {
    guard case .double = given, type == FieldType(.int64), field.type == nil,
      let decision = state.decisions[table.schema.name.text]?[field.name], decision.type == type
    else { return false }
    try store.widen(field.name, of: table)
    try publish(table)
    state.decisions[table.schema.name.text]?[field.name]?.type = FieldType(.double)
    return true
  }

  private func mismatch(
    _ given: FieldValue, _ field: RecordDraft.Field, _ type: FieldType, _ table: TypeTable
  ) -> CloudError {
    let name = field.name
    var error = given.mismatch(name, in: table.schema.name, expected: type, written: field.type)
    if let decision = state.decisions[table.schema.name.text]?[name] {
      let found = (field.type ?? given.type)?.schemaName ?? "a list"
      error.message +=
        " (\(name.text): \(decision.type.schemaName) at \(decision.position.text), "
        + "\(found) at \(field.position.text))"
      if !options.isFixture {
        error.remedy = .convertField(name)
      }
    }
    return error
  }

}
