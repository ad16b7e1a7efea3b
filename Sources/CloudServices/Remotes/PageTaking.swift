internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreFiles

/// Takes the records of a page over.
final class PageTaking {
  private let transaction: RemoteTransaction
  private let id: ZoneID
  private let zone: StoredZone
  private let row: StoredRemoteZone
  private let hasTombstones: Bool
  /// Whether the copy is read-only.
  private var isReadOnly: Bool { transaction.copy.database.scope == .shared }
  var round: Int64 = 0
  /// The versions here that are overwritten although they were changed; nil for no record.
  var overwriting: [RecordName: ChangeTag?] = [:]
  var assets: [RemoteFile: Asset] = [:]
  var result = PullResult()
  private var tables: [String: TypeTable] = [:]
  private var madeTypes: Set<String> = []
  private var store: EnvironmentStore { transaction.store }

  init(_ transaction: RemoteTransaction, _ id: ZoneID) throws {
    (self.transaction, self.id) = (transaction, id)
    if try transaction.copy.storedZone(id) == nil, id != .defaultZone { result.createdZones = 1 }
    zone = try transaction.zone(id)
    row = try transaction.copy.row(of: id, in: transaction.remote)
    hasTombstones = try transaction.store.hasTombstones(in: zone)
    round = row.round
  }

  /// Takes one record over, or notes why not.
  func take(_ record: RemoteRecord) throws {
    let draft = record.draft
    let name = RecordName(stored: draft.name ?? "")
    do {
      if draft.isDeletion { return try takeDeletion(of: name) }
      guard let type = draft.type else { throw CloudError.missingType }
      // Users exist with their accounts, and shares with their participants.
      if type == RecordType.users.text { return }
      if type == RecordType.share.text {
        // A copied shared zone has a single share of its own.
        if !isReadOnly { result.shares += 1 }
        return
      }
      try take(record, name, type)
    } catch let error as CloudError where error.storage == nil {
      var error = error
      error.recordName = name.text
      error.zone = zone.zone.id
      result.faults.append(error)
      try noteUntaken(name, newer: draft.changeTag ?? "")
    }
  }

  /// Notes a record whose answer cannot be read, to look it up at the next pull.
  func noteUnreadable(_ name: RecordName) throws { try noteUntaken(name, newer: Self.unknownTag) }

  /// The placeholder for an unknown tag; no server uses it.
  private static let unknownTag = "?"

  private func noteUntaken(_ name: RecordName, newer: String) throws {
    if var base = try store.base(of: name, in: row) {
      (base.newer, base.round) = (newer, round)
      return try store.set(base, in: row)
    }
    try store.noteUntaken(name, newer: newer, round: round, in: row)
  }

  private func conflict(
    _ name: RecordName, _ here: PullConflict.Change, _ there: PullConflict.Change, tag: String
  ) throws {
    result.conflicts.append(PullConflict(name, in: id, here: here, there: there))
    try noteUntaken(name, newer: tag)
  }

  // MARK: Deletions

  private func takeDeletion(of name: RecordName) throws {
    let base = try store.base(of: name, in: row)
    let found = try store.record(name, in: zone)
    let overwrites = mayOverwrite(name, found)
    guard let stored = found else {
      if base != nil { try store.removeBase(of: name, in: row) }
      return
    }
    // A record that was created here has nothing to do with one that was deleted there.
    guard let base, overwrites || !base.tag.isEmpty else { return }
    let table = try table(stored.record.type.text)
    guard overwrites || transaction.isUnchanged(stored, table, base) else {
      return try conflict(name, .changed, .deleted, tag: "")
    }
    var doomed = DoomedRecords(in: zone, of: store)
    doomed.add(stored)
    try doomed.delete()
    try store.removeBase(of: name, in: row)
    result.deleted += 1
  }

  /// Deletes all records of the zone that the server had.
  func deleteAll() throws {
    for base in try store.unmet(by: .max, of: nil, in: row) {
      try store.checkInterrupt()
      try takeDeletion(of: base.name)
    }
  }

  // MARK: Records

  private func take(_ remote: RemoteRecord, _ name: RecordName, _ type: String) throws {
    let tag = remote.draft.changeTag ?? ""
    let base = try store.base(of: name, in: row)
    let stored = overwriting.isEmpty && base?.tag == tag ? nil : try store.record(name, in: zone)
    let overwrites = mayOverwrite(name, stored)
    if let base, base.tag == tag, !tag.isEmpty, !overwrites || isReadOnly {
      result.unchanged += 1
      return base.round == round && base.newer == nil ? () : try clear(base)
    }
    if stored == nil, let base, !base.tag.isEmpty, !overwrites {
      return try conflict(name, .deleted, .changed, tag: tag)
    }
    let table = try self.table(type)
    var record = try self.record(remote, name, table)
    if let stored { keepEncrypted(of: stored.record, in: &record, table) }
    let sum = table.contents(of: record)
    guard let stored else { return try insert(record, remote, table, tag, sum) }
    if stored.record.type == record.type, table.contents(of: stored.record) == sum {
      result.unchanged += 1
      return try store.setBase(of: stored, tag: tag, sum, round: round, in: row)
    }
    let storedTable = try self.table(stored.record.type.text)
    let isUnchanged =
      transaction.isUnchanged(stored, storedTable, base)
      || isPushed(stored, storedTable, base) && agree(stored.record, record, storedTable)
    guard overwrites || isUnchanged else {
      let isNew = base.map(\.tag.isEmpty) ?? true
      return try conflict(
        name, isNew ? .created : .changed, isNew ? .created : .changed, tag: tag)
    }
    if stored.record.type != record.type {
      var doomed = DoomedRecords(in: zone, of: store)
      doomed.add(stored)
      try doomed.delete()
      try store.removeTombstone(name, in: zone)
      return try insert(record, remote, table, tag, sum)
    }
    var new = stored.record
    (new.fields, new.parent) = (record.fields, record.parent)
    _ = try store.update(stored, to: new, table, modified: stamp(remote.modified))
    result.changed += 1
    try store.setBase(
      of: name, table, sequence: store.lastSequence, tag: tag, sum, round: round, in: row)
  }

  /// Whether the version here is one that may be overwritten.
  private func mayOverwrite(_ name: RecordName, _ stored: StoredRecord?) -> Bool {
    isReadOnly || overwriting[name].map { $0 == stored?.record.changeTag } ?? false
  }

  /// Whether all of a record but its encrypted values was pushed.
  private func isPushed(
    _ stored: StoredRecord, _ table: TypeTable, _ base: RemoteBase?
  ) -> Bool {
    guard let base, !base.tag.isEmpty else { return false }
    return table.plainContents(of: stored.record) == base.sum
  }

  /// Whether two versions have the same encrypted values.
  private func agree(_ one: Record, _ other: Record, _ table: TypeTable) -> Bool {
    table.schema.fields.allSatisfy {
      !$0.type.isEncrypted || one.fields[$0.name] == other.fields[$0.name]
    }
  }

  /// Encrypted values cannot be pushed: those that the server does not have are only here.
  private func keepEncrypted(of stored: Record, in record: inout Record, _ table: TypeTable) {
    for field in table.schema.fields where field.type.isEncrypted {
      record.fields[field.name] = record.fields[field.name] ?? stored.fields[field.name]
    }
  }

  private func clear(_ base: RemoteBase) throws {
    var base = base
    (base.newer, base.round) = (nil, round)
    try store.set(base, in: row)
  }

  private func insert(
    _ record: Record, _ remote: RemoteRecord, _ table: TypeTable, _ tag: String, _ sum: ContentSum
  ) throws {
    let sequence = try store.insert(
      record, table, in: zone, created: stamp(remote.created), modified: stamp(remote.modified))
    guard let sequence else { return }
    if hasTombstones { try store.removeTombstone(record.name, in: zone) }
    result.created += 1
    try store.setBase(
      of: record.name, table, sequence: sequence, tag: tag, sum, round: round, in: row)
  }

  /// The caller of the server is the account here.
  private func stamp(_ stamp: Record.Stamp?) throws -> StoredStamp {
    let own = transaction.base.writer.name
    guard let stamp else {
      return try transaction.copy.authors.stamp(transaction.base.request.now, by: own)
    }
    let isOwn = stamp.by == transaction.copy.caller
    return try transaction.copy.authors.stamp(stamp.at, by: isOwn ? own : stamp.by)
  }

  // MARK: Values

  private func record(
    _ remote: RemoteRecord, _ name: RecordName, _ table: TypeTable
  ) throws -> Record {
    var record = Record(
      name: name, type: table.schema.name, zone: zone.zone.id,
      parent: remote.draft.parent.map { RecordName(stored: $0) })
    for field in remote.draft.fields {
      guard let value = field.value else { continue }
      try set(field.name, value, field.type, &record, table)
    }
    for field in remote.assets {
      let values = try field.files.map { file -> FieldValue in
        guard let asset = assets[file] else {
          throw CloudError(.assetNotAvailable, "the contents of \(field.name.text) are missing")
        }
        return .asset(asset)
      }
      let value = field.isList ? FieldValue.list(values) : values[0]
      try set(field.name, value, FieldType(.asset, isList: field.isList), &record, table)
    }
    return record
  }

  private func set(
    _ name: FieldName, _ value: FieldValue, _ written: FieldType?, _ record: inout Record,
    _ table: TypeTable
  ) throws {
    if table.field(name) == nil {
      // An empty list without a type creates no field.
      guard let type = written.map({ $0.base == .number ? value.type ?? $0 : $0 }) ?? value.type
      else { return }
      let field = FieldSchema(
        name: try FieldName(name.text), type: type, indexes: type.newFieldIndexes)
      if !madeTypes.contains(table.schema.name.text) {
        result.inferred.append(.field(table.schema.name, field))
      }
      try store.addField(field, to: table)
    }
    guard let field = table.field(name) else { return }
    guard let held = value.held(by: field.type, as: written) else {
      throw value.mismatch(name, in: table.schema.name, expected: field.type, written: written)
    }
    record.fields[name] = held
  }

  private func table(_ name: String) throws -> TypeTable {
    if let table = tables[name] { return table }
    let type = try RecordType(name)
    let table: TypeTable
    if let known = try store.table(type) {
      table = known
    } else {
      result.inferred.append(.type(type))
      madeTypes.insert(name)
      table = try store.addType(type)
    }
    tables[name] = table
    return table
  }
}
