internal import Basics
public import CloudModel
internal import RecordStore

extension CloudStore {
  /// Abandons the creation of a container.
  private struct Abandoned: Error {}

  /// Creates a container with a fixture in it. A rehearsal, or a fixture with faults, creates
  /// neither. Returns nil if the container already exists.
  ///
  /// Throws `CloudError` for errors other than the fixture's, and what its `resolve` throws.
  public func create(
    _ id: ContainerID, filling environment: Environment, with load: FixtureLoad,
    for request: Request
  ) throws -> FixtureSummary? {
    var summary = FixtureSummary()
    do {
      let isMade = try create(id, filling: environment, for: request) { environment in
        summary = try environment.fill(with: load)
        if load.isRehearsal || !summary.faults.isEmpty { throw Abandoned() }
      }
      if isMade { try take(summary, in: id, for: request) }
      return isMade ? summary : nil
    } catch is Abandoned {
      return summary
    }
  }
}

extension CloudStore {
  /// Loads the entries other than records, after the records.
  fileprivate func take(
    _ summary: FixtureSummary, in id: ContainerID, for request: Request
  ) throws(CloudError) {
    guard let people = summary.people else { return }
    try changePeople { $0 = people }
    try summary.entries.load(in: id, of: self, for: request)
  }
}

extension CloudEnvironment {
  /// Loads a fixture into this environment, in one transaction; a fixture with faults loads
  /// nothing. Accounts and devices, which belong to the store, follow the records.
  ///
  /// Throws `CloudError` for errors other than the fixture's, and what its `resolve` throws.
  public func load(_ load: FixtureLoad) throws -> FixtureSummary {
    let summary = try fill(with: load)
    if !load.isRehearsal, summary.faults.isEmpty {
      try owner.take(summary, in: container, for: request)
    }
    return summary
  }

  fileprivate func fill(with load: FixtureLoad) throws -> FixtureSummary {
    let resolution = try load.resolve(fullSchema().types + load.schemas.flatMap(\.value.types))
    let faults = load.faults + resolution.faults + load.missing(in: resolution)
    var load = load
    load.isRehearsal = load.isRehearsal || !faults.isEmpty
    var summary = try self.load(load, resolution)
    summary.faults = (faults + summary.faults).sorted { $0.position < $1.position }
    summary.usesNow = resolution.usesNow
    for case .file(let path) in resolution.assetSources.values { summary.assetFiles.insert(path) }
    summary.assetFiles.formUnion(resolution.entries.stored.flatMap(\.value.files))
    return summary
  }

  private func load(
    _ load: FixtureLoad, _ resolution: FixtureResolution
  ) throws(CloudError) -> FixtureSummary {
    let database = try database(.private)
    try database.requireAccount()
    let loading = FixtureLoading(self, load, resolution)
    let work = { try loading.run(WriteTransaction(in: database)) }
    do {
      if load.isRehearsal {
        try rehearse(work)
      } else {
        try write(work)
      }
    } catch {
      // The faults caused the rollback; the summary reports them.
      guard !loading.summary.faults.isEmpty, error.storage == nil else { throw error }
    }
    return loading.summary
  }
}

extension FixtureLoad {
  /// The faults of what the records use and the target schemas lack: the fixture's own, and usually
  /// production's.
  fileprivate func missing(in resolution: FixtureResolution) -> [FixtureFault] {
    var faults: [FixtureFault] = []
    for fault in targets.flatMap({ missing(in: $0, resolution) }) where !faults.contains(fault) {
      faults.append(fault)
    }
    return faults
  }

  private func missing(
    in target: (schema: Schema, name: String), _ resolution: FixtureResolution
  ) -> [FixtureFault] {
    var checker = SchemaChecker(target.schema, named: target.name)
    for zone in resolution.zones {
      for record in zone.records {
        checker.check(
          record.draft, defaultType: nil, in: sources[record.draft.position.source])
      }
    }
    for entry in resolution.entries.stored {
      guard let draft = entry.value.draft(at: entry.position) else { continue }
      checker.check(draft, defaultType: nil, in: sources[entry.position.source])
    }
    return checker.faults().compactMap { fault in
      fault.position.map { position in
        FixtureFault(
          fault.message + fault.repetition, at: position,
          remedy: fault.remedy ?? fault.missing.map { "add: \($0)" })
      }
    }
  }
}

/// Loads a fixture, within a write transaction.
private final class FixtureLoading {
  private let environment: CloudEnvironment
  private let load: FixtureLoad
  private let resolution: FixtureResolution
  private(set) var summary = FixtureSummary()
  private var store: EnvironmentStore { environment.store }

  init(
    _ environment: CloudEnvironment, _ load: FixtureLoad, _ resolution: FixtureResolution
  ) {
    self.environment = environment
    self.load = load
    self.resolution = resolution
  }

  func run(_ transaction: WriteTransaction) throws {
    summary = FixtureSummary()
    for schema in load.schemas { try bring(schema) }
    load.meter?.begin(
      "add records", total: resolution.zones.reduce(0) { $0 + Int64($1.records.expectedCount) })
    try store.prepareForBulk()
    var others = try FixtureEntryLoading(resolution.entries, into: environment, load.mode)
    try others.beforeRecords()
    for scope in DatabaseScope.allCases
    where !resolution.zones(in: scope, of: nil).isEmpty {
      try loadRecords(transaction.part(in: scope), of: nil)
    }
    for account in Set(resolution.zones.compactMap(\.account)).sorted(by: {
      utf8Precedes($0.name, $1.name)
    }) {
      try loadRecords(transaction.part(inPrivateOf: account), of: account)
    }
    if summary.faults.isEmpty, others.faults.isEmpty {
      try others.afterRecords(transaction)
    }
    summary.faults += others.faults
    summary.created += others.summary.created
    summary.changed += others.summary.changed
    summary.unchanged += others.summary.unchanged
    if !resolution.entries.isEmpty { summary.people = others.people }
    summary.entries = resolution.entries
    if !load.isRehearsal { summary.notices = transaction.notices }
    summary.faults.sort { $0.position < $1.position }
    guard summary.faults.isEmpty else {
      throw CloudError(.batchRequestFailed, "nothing was loaded")
    }
    try store.resumeIndexes()
  }

  /// Adds what the environment lacks of a schema.
  private func bring(_ schema: Placed<Schema>) throws {
    let changes = try environment.storedSchema().changes(to: schema.value)
    for case .changeField(let type, let old, let new) in changes {
      note(.cannotBecome(old, new.type, in: type), at: schema.position)
    }
    let steps = changes.filter(\.isDeployable)
    summary.schemaChanges += steps.count
    try SchemaSteps(store: store).take(steps)
  }

  private func note(_ error: CloudError, at position: TextPosition) {
    summary.faults.append(FixtureFault(error, at: position))
  }

  // MARK: The records of a database

  private func loadRecords(_ transaction: WriteTransaction, of account: Account?) throws {
    let (database, writer) = (transaction.database, transaction.writer)
    let zones = resolution.zones(in: database.scope, of: account)
    for zone in zones { try prepare(zone, database, writer) }
    let importer = try RecordImporter(transaction, options)
    for zone in zones { try add(zone.records, to: importer) }
    try importer.settleWaiting()
    let found = importer.summary
    summary.created += found.created
    summary.changed += found.changed
    summary.unchanged += found.unchanged
    let lost = try zones.flatMap { try missingTargets(in: $0, database) }
    let places = Set(lost.map(\.record))
    summary.faults += lost.map(\.fault)
    // A record whose target is itself faulty is not at fault.
    let labels = Set(
      zones.flatMap { zone in
        zone.labels.map { RecordTarget(zone.id, RecordName(stored: $0)) }
      })
    for fault in found.faults {
      if let target = fault.target, labels.contains(target) || places.contains(fault.position) {
        continue
      }
      note(fault.error, at: fault.position)
    }
    if summary.faults.isEmpty, !load.isRehearsal { try importer.bringAssets() }
    if store.pendingBytes > 0 { try database.requireRoom(for: writer, in: []) }
  }

  private func add(_ records: FixtureRecords, to importer: RecordImporter) throws {
    try FixtureRecordSource(records, importer.layouts).read { item, batch in
      // A batch keeps drafts that have no text.
      try importer.add(item, of: batch) { _, _ in RecordDraft() }
      load.meter?.advance()
    }
  }

  private var options: ImportOptions {
    var options = ImportOptions()
    options.policy = load.mode == .insert ? .unchanged : .changed
    options.isFixture = true
    options.assetSources = resolution.assetSources
    return options
  }

  /// Creates a zone, or deletes the records in it that the fixture does not have.
  private func prepare(
    _ zone: FixtureZone, _ database: CloudDatabase, _ writer: StoredUser
  ) throws {
    let owner = zone.scope == .private ? writer : nil
    guard let stored = try store.zone(zone.id, zone.scope, of: owner) else {
      _ = try store.addZone(zone.id, zone.scope, of: owner)
      if !zone.id.isDefault { summary.createdZones += 1 }
      return
    }
    guard load.mode == .clean else { return }
    var types: [String: String?] = [:]
    for record in zone.records { types[record.draft.name ?? ""] = .some(record.draft.type) }
    var doomed: [StoredRecord] = []
    try store.list(stored, type: nil, visible: { _ in .all }) { record in
      // A record of another type cannot be changed into the fixture's.
      if types[record.name.text] != .some(record.type.text),
        let found = try store.record(record.name, in: stored)
      {
        doomed.append(found)
      }
      return true
    }
    for record in doomed {
      do { try database.permissions.requireWrite(record) } catch let error as CloudError
        where error.storage == nil
      { note(error, at: zone.position) }
    }
    guard summary.faults.isEmpty else { return }
    let errors = try ReferenceRules(database: database, zone: stored).delete(doomed)
    for error in errors.values { note(error, at: zone.position) }
    summary.deleted += doomed.count
  }

  // MARK: References

  /// References and parents without a target record in the fixture or the store. CloudKit allows
  /// plain references like that; in a fixture it is probably a misspelled label, unless the text
  /// marks it as intended (`"dangling": true`).
  private func missingTargets(
    in zone: FixtureZone, _ database: CloudDatabase
  ) throws -> [(record: TextPosition, fault: FixtureFault)] {
    guard zone.hasTargets, let stored = try database.zoneToRead(zone.id) else { return [] }
    let labels = zone.labels
    func isMissing(_ name: RecordName) throws -> Bool {
      try !labels.contains(name.text) && !name.isOfUser && !store.hasRecord(name, in: stored)
    }
    var missing: [(record: TextPosition, fault: FixtureFault)] = []
    for record in zone.records {
      func note(_ name: RecordName, _ subject: String, at position: TextPosition) {
        let error = CloudError(
          .referenceViolation,
          "\(subject) refers to '\(name.text)', which is in neither the fixture nor the store",
          recordName: record.draft.name)
        missing.append((record.draft.position, FixtureFault(error, at: position)))
      }
      if let parent = record.draft.parent.map({ RecordName(stored: $0) }), try isMissing(parent) {
        note(parent, "the parent", at: record.parentPosition ?? record.draft.position)
      }
      for field in record.draft.fields where !record.dangling.contains(field.name) {
        guard let value = field.value, value.refers else { continue }
        for name in value.targets where try isMissing(name) {
          note(name, "the reference '\(field.name.text)'", at: field.position)
        }
      }
    }
    return missing
  }
}
