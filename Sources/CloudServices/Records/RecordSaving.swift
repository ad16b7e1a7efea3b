internal import Basics
public import CloudModel
internal import FieldCodecs
internal import RecordStore
internal import StoreFiles

extension CloudDatabase {
  /// Saves one record and returns it as stored. Throws the bare `CloudError` (R4.4.10); then
  /// nothing is changed.
  public func save(
    _ request: SaveRequest, in zone: ZoneID, clientToken: String? = nil
  ) throws(CloudError) -> SaveResult {
    try requireActor()
    try strike(saving: request, in: zone)
    return try write { transaction in
      let place =
        try usersZone(holding: request.name, in: zone) ?? zoneToWrite(zone, transaction.writer)
      var result = try RecordSaving(transaction, zone: place).save(request)
      if let clientToken { try store.setClientToken(clientToken, of: place) }
      result.notices = transaction.notices
      return result
    }
  }

  /// Saves the request that `read` creates from a type's schema, nil for an unknown type. Calls
  /// `read` again if another process changes the schema in between. Throws as `save`, and what
  /// `read` throws.
  public func save(
    _ type: RecordType, in zone: ZoneID, clientToken: String? = nil,
    _ read: (RecordTypeSchema?) throws -> SaveRequest
  ) throws -> SaveResult {
    let known = try environment.knownSchema(of: type)
    do {
      return try save(read(known), in: zone, clientToken: clientToken)
    } catch let error as CloudError where error.code == .invalidArguments {
      let now = try environment.schema(of: type)
      guard now != known else { throw error }
      return try save(read(now), in: zone, clientToken: clientToken)
    }
  }

  /// Throws the error of an injected fault that strikes a save, or the upload of its assets.
  func strike(_ request: SaveRequest, in zone: ZoneID) throws(CloudError) {
    try strike(.save, [request.type], in: zone)
    if request.share != nil { try strike(.share, [request.type], in: zone) }
    guard request.assignments.contains(where: { !$0.staged.isEmpty }) else { return }
    try strike(.asset, [request.type], in: zone)
  }

  /// Does the same for a single save, and adds both records to a conflict.
  private func strike(
    saving request: SaveRequest, in zone: ZoneID
  ) throws(CloudError) {
    do {
      try strike(request, in: zone)
      try strike(record: request.name, in: .save, [request.type], in: zone)
    } catch {
      guard error.code == .serverRecordChanged, let name = request.name,
        case .record(let server)? = try? fetch([name], in: zone).first
      else { throw error }
      var (error, client) = (error, server)
      for assignment in request.assignments { client.fields[assignment.name] = assignment.value }
      error.conflict = CloudError.Conflict(server: server, client: client)
      throw error
    }
  }

  /// The next random record name, in the stream of this database (M1.13).
  func makeName(index: Int) -> RecordName {
    let text = environment.request.randomness.uuid(purpose: [
      environment.container.text, environment.environment.rawValue, scope.name,
      String(store.nextSequence), String(index),
    ])
    return RecordName(stored: text)
  }
}

/// Saves records into one zone, within a write transaction.
struct RecordSaving {
  let transaction: WriteTransaction
  let zone: StoredZone
  /// The names that the same operation saves in the zone.
  let companions: Set<String>
  /// The names that the operation creates, which count as existing (R5.8).
  let promised: Set<String>
  private var database: CloudDatabase { transaction.database }
  private var writer: StoredUser { transaction.writer }
  private var store: EnvironmentStore { database.store }
  private var schema: SchemaFitting { SchemaFitting(database: database) }
  var sharing: SharingRules { SharingRules(database: database, zone: zone) }

  init(
    _ transaction: WriteTransaction, zone: StoredZone, companions: Set<String> = [],
    promised: Set<String> = []
  ) {
    self.transaction = transaction
    self.zone = zone
    self.companions = companions
    self.promised = promised
  }

  func save(_ request: SaveRequest) throws -> SaveResult {
    let name = request.name ?? database.makeName(index: 0)
    if let share = request.share { return try save(request, sharing: share, named: name) }
    try admit(name, request.type, request.assignments.lazy.map(\.name))
    return try save(request, named: name)
  }

  /// Saves an admitted record.
  func save(_ request: SaveRequest, named name: RecordName) throws -> SaveResult {
    let stored = try store.record(name, in: zone)
    if let stored {
      let isUpdate = request.policy == .unchanged && request.tag != nil
      try requireWritable(stored, parent: request.parent, isUpdate: isUpdate)
    }
    let fitted = try schema.fit(request.type, localAssignments(request))
    try check(request, name, against: stored, fitted)
    var record = base(request, name, stored)
    for (name, value) in fitted.values { record.fields[name] = value }
    if request.parent != nil || request.removesParent { record.parent = request.parent }
    try sharing.checkSave(of: record, over: stored, promised: promised)
    try checkSize(record)
    do { try checkLinks(of: record, over: stored) } catch let missing as MissingTarget {
      throw missing.error
    }
    try keepAssets(request)
    let table = try schema.grow(fitted, request.type, transaction)
    var result = try write(record, table, over: stored)
    if let stored, try !database.permissions.mayRead(stored) {
      let given = fitted.values.map(\.name)
      result.record.fields = RecordFields(
        sorted: result.record.fields.entries.filter { given.contains($0.name) })
    }
    if database.quota != nil || database.scope == .shared { try checkQuota(record, over: stored) }
    if let parent = record.parent { try renewTag(of: parent) }
    return result
  }

  /// Checks that a record of a name and type may have values for some fields. Throws as
  /// `UserRules`.
  func admit(_ name: RecordName, _ type: RecordType, _ fields: some Sequence<FieldName>) throws {
    try UserRules(database: database).checkSave(name, type, in: zone.zone.id)
    try sharing.checkType(type, name)
    try UserRules.checkFields(type, fields)
  }

  /// In the shared database, refuses a write to an invisible record as if it were outside the
  /// share, or missing for an update, to hide its existence. Read-only participants are refused
  /// before any conflict (R10.3.7). Throws `permissionFailure`, `unknownItem`.
  func requireWritable(_ stored: StoredRecord, parent: RecordName?, isUpdate: Bool) throws {
    guard database.scope == .shared else { return }
    let name = stored.record.name
    guard let membership = try database.membership(covering: stored, in: zone) else {
      throw isUpdate
        ? CloudError.recordNotFound(name)
        : CloudError.outsideOfShare(name, parent: parent, "CREATE")
    }
    guard membership.permission == .readWrite else { throw CloudError.notPermitted("WRITE", name) }
  }

  /// The values to save; none may lead into another zone (R5.11).
  private func localAssignments(_ request: SaveRequest) throws -> [FieldAssignment] {
    let (zone, name) = (zone.zone.id, request.name?.text)
    if let parentZone = request.parentZone {
      try database.requireLocal([parentZone], "parent", in: zone, of: name)
    }
    var assignments = request.assignments
    for index in assignments.indices {
      guard let value = assignments[index].value, value.refers else { continue }
      assignments[index].value = try database.localized(
        value, assignments[index].name, in: zone, of: name)
    }
    return assignments
  }

  /// Checks a record's references. Throws as `ReferenceRules.checkTargets`.
  func checkLinks(of record: Record, over stored: @autoclosure () throws -> StoredRecord?) throws {
    if record.links.isEmpty { return }
    try sharing.checkParent(of: record)
    try UserRules(database: database).checkLinks(record)
    let there = promised.union(try database.users(among: record))
    try ReferenceRules(database: database, zone: zone, promised: there)
      .checkTargets(of: record, over: stored())
  }

  private func checkQuota(_ record: Record, over stored: StoredRecord?) throws {
    let growth = record.fields.quotaSize - (stored?.record.fields.quotaSize ?? 0)
    if growth > 0 { try database.requireRoom(for: writer, in: [zone]) }
  }

  /// Gives the parent of a saved record a new version, unless it is saved itself (R4.1.6).
  private func renewTag(of parent: RecordName) throws {
    guard !companions.contains(parent.text), let stored = try store.record(parent, in: zone)
    else { return }
    try store.renewTag(of: stored)
  }

  /// The record that the new values are merged into.
  private func base(
    _ request: SaveRequest, _ name: RecordName, _ stored: StoredRecord?
  ) -> Record {
    guard var record = stored?.record else {
      return Record(name: name, type: request.type, zone: zone.zone.id)
    }
    if request.replacesFields {
      // A save cannot remove a user's roles.
      let roles = request.type == .users ? record.fields[.roles] : nil
      record.fields = RecordFields()
      record.fields[.roles] = roles
    }
    return record
  }

  /// Checks the save policy (R4.1).
  private func check(
    _ request: SaveRequest, _ name: RecordName, against stored: StoredRecord?,
    _ fitted: FittedSave
  ) throws {
    guard let stored else {
      if request.policy == .unchanged, request.tag != nil {
        throw CloudError.versionNotFound(name)
      }
      return try database.permissions.requireCreate(fitted.table?.schema, name)
    }
    // A save of a new record fails because the name is taken, whatever the permissions.
    if request.policy != .unchanged || request.tag != nil {
      try database.permissions.requireWrite(stored)
    }
    if request.policy == .unchanged, request.tag != stored.record.changeTag {
      let client = client(request, name, fitted)
      let error =
        request.tag == nil
        ? CloudError.recordExists(server: stored.record, client: client)
        : CloudError.tagMismatch(server: stored.record, client: client)
      throw try database.permissions.conflict(error, with: stored)
    }
    guard stored.record.type == request.type else {
      throw CloudError(
        .invalidArguments,
        "the record's type is '\(stored.record.type.text)' and cannot be changed to "
          + "'\(request.type.text)'", serverCode: 2006, recordName: name.text)
    }
  }

  /// The client's record, for a conflict.
  private func client(
    _ request: SaveRequest, _ name: RecordName, _ fitted: FittedSave
  ) -> Record {
    var record = Record(
      name: name, type: request.type, zone: zone.zone.id, parent: request.parent)
    record.changeTag = request.tag
    for (name, value) in fitted.values { record.fields[name] = value }
    return record
  }

  func checkSize(_ record: Record) throws(CloudError) {
    guard record.fields.size > Limits.recordSize else { return }
    throw CloudError(
      .limitExceeded,
      "record is too large: \(record.fields.size) bytes; at most \(Limits.recordSize) are allowed",
      recordName: record.name.text,
      remedy: "store large data in an asset field")
  }

  /// Gives staged contents their permanent names; the account must be able to read others.
  func keepAssets(_ request: SaveRequest) throws {
    for assignment in request.assignments {
      for staged in assignment.staged { try transaction.keep(staged) }
      for asset in assignment.value?.assets ?? []
      where try !transaction.readableAssets.contains(asset) {
        throw CloudError.missingAsset(asset)
      }
    }
  }

  /// Writes a checked record over the stored one, or as a new one.
  func write(
    _ record: Record, _ table: TypeTable, over stored: StoredRecord?
  ) throws -> SaveResult {
    var record = record
    let now = transaction.request.now
    record.modified = Record.Stamp(at: now, by: writer.name, on: writer.device)
    if let stored {
      record.changeTag = try store.update(stored, to: record, table, at: now, by: writer)
      return SaveResult(record: record, outcome: .changed)
    }
    record.created = record.modified
    record.changeTag = try store.insert(record, table, in: zone, at: now, by: writer)
      .map { ChangeTag(sequence: $0) }
    try store.removeTombstone(record.name, in: zone)
    return SaveResult(record: record, outcome: .created)
  }
}
