public import CloudModel
internal import FieldCodecs
internal import SQLite
public import StoreFiles

extension EnvironmentStore {
  /// Inserts a record whose type and fields the schema has.
  ///
  /// Returns the sequence number of its version, or nil if the name is taken in the zone.
  public func insert(
    _ record: Record, _ table: TypeTable, in zone: StoredZone, at time: Timestamp,
    by user: StoredUser
  ) throws(StoreError) -> Int64? {
    let stamp = stamp(time, by: user)
    return try insert(record, table, in: zone, created: stamp, modified: stamp)
  }

  /// Inserts a record with its dates and users.
  public func insert(
    _ record: Record, _ table: TypeTable, in zone: StoredZone, created: StoredStamp,
    modified: StoredStamp
  ) throws(StoreError) -> Int64? {
    let sequence = try insert(
      name: record.name, parent: record.parent, values: table.checksum(record.fields),
      bytes: record.fields.quotaSize, table, in: zone, created: created, modified: modified
    ) { (statement) throws(StoreError) in
      _ = table.bind(record.fields, to: statement, from: TypeTable.firstInsertedField)
      try statement.perform()
    }
    if let sequence {
      try changeAssets(from: RecordFields(), to: record.fields, table)
      let links = record.links
      try changeLinks(
        of: (sequence, record.name), table, in: zone.number, from: [], to: links)
      if let parent = record.parent {
        let new = TreeRecord(number: sequence, type: table.number, name: record.name)
        try cover(new: new, in: zone.number, below: parent)
      }
    }
    return sequence
  }

  /// Inserts both rows of a record under its sequence number; `run` binds the values of the second
  /// and runs it.
  func insert(
    name: RecordName, parent: RecordName?, values: UInt64, bytes: Int64, _ table: TypeTable,
    in zone: StoredZone, created: StoredStamp, modified: StoredStamp,
    _ run: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> Int64? {
    let sequence = nextSequence
    let checksum =
      values
      &+ RecordChecksum.system(
        name: name, type: table.number, sequence: sequence, created: created.numbers,
        modified: modified.numbers, parent: parent, share: nil)
    let statement = try tables.insert()
    statement.bind(zone.number, 1)
    statement.bind(name.text, 2)
    statement.bind(table.number, 3)
    statement.bind(sequence, 4)
    try statement.perform()
    guard connection.changedRows == 1 else { return nil }
    try catalog.make(table)
    let row = try table.insertion(on: connection)
    row.bind(sequence, 1)
    row.bind(zone.number, 2)
    row.bind(name.text, 3)
    row.bind(sequence, 4)
    row.bind(created.at.milliseconds, 5)
    row.bind(created.author, 6)
    row.bind(modified.at.milliseconds, 7)
    row.bind(modified.author, 8)
    row.bind(parent, 9)
    row.bind(Int64(bitPattern: checksum), 10)
    try run(row)
    try addToIndexes(sequence, table)
    return state.changes?.next(
      zone: zone.number, type: table.number, Extent(count: 1, checksum: checksum), bytes: bytes)
  }

  /// Replaces the fields and the parent of a record, of which all fields were read. Returns the new
  /// version.
  public func update(
    _ stored: StoredRecord, to record: Record, _ table: TypeTable, at time: Timestamp,
    by user: StoredUser
  ) throws(StoreError) -> ChangeTag {
    try update(stored, to: record, table, modified: stamp(time, by: user))
  }

  /// Replaces the fields and the parent of a record, as `update` does, with the date and the user
  /// of the change.
  public func update(
    _ stored: StoredRecord, to record: Record, _ table: TypeTable, modified: StoredStamp
  ) throws(StoreError) -> ChangeTag {
    let sequence = nextSequence
    let created = stored.record.created?.at.milliseconds ?? 0
    let checksum =
      table.checksum(record.fields)
      &+ RecordChecksum.system(
        name: record.name, type: table.number, sequence: sequence,
        created: (at: created, by: stored.creator), modified: modified.numbers,
        parent: record.parent,
        share: record.share)
    let row = try table.update(on: connection)
    row.bind(sequence, 1)
    row.bind(modified.at.milliseconds, 2)
    row.bind(modified.author, 3)
    row.bind(record.parent, 4)
    row.bind(Int64(bitPattern: checksum), 5)
    let end = table.bind(record.fields, to: row, from: TypeTable.firstUpdatedField)
    row.bind(stored.number, end)
    try change(stored.number, table, from: stored.record.fields, to: record.fields) {
      () throws(StoreError) in try row.perform()
    }
    try changeLinks(
      of: (stored.number, record.name), table, in: stored.zone, from: stored.record.links,
      to: record.links)
    try changeAssets(from: stored.record.fields, to: record.fields, table)
    _ = state.changes?.next(
      zone: stored.zone, type: table.number, Extent(checksum: checksum &- stored.checksum),
      bytes: record.fields.quotaSize - stored.record.fields.quotaSize)
    if record.parent != stored.record.parent {
      try coverTree(
        of: TreeRecord(stored), in: stored.zone, below: record.parent,
        before: stored.record.parent)
    }
    if state.journal != nil { note(update: stored) }
    return ChangeTag(sequence: sequence)
  }

  /// Gives a record a new version without any other change.
  public func renewTag(of stored: StoredRecord) throws(StoreError) {
    try setShare(stored.record.share, of: stored)
  }

  /// Gives a record a new version in another share, or in none.
  public func setShare(_ share: RecordName?, of stored: StoredRecord) throws(StoreError) {
    let table = try self.table(of: stored.type)
    let old = stored.systemChecksum(sequence: stored.sequence)
    var renewed = stored
    renewed.record.share = share
    let difference = renewed.systemChecksum(sequence: nextSequence) &- old
    let statement = try connection.query(
      "UPDATE \(table.table) SET _sequence = ?, _checksum = ?, _share = ? WHERE _id = ?")
    statement.bind(nextSequence, 1)
    statement.bind(Int64(bitPattern: stored.checksum &+ difference), 2)
    statement.bind(share, 3)
    statement.bind(stored.number, 4)
    try statement.perform()
    _ = state.changes?.next(
      zone: stored.zone, type: stored.type, Extent(checksum: difference))
    if state.journal != nil, share != stored.record.share { note(update: stored) }
  }

  /// Removes the tombstone of a name that is used again.
  public func removeTombstone(_ name: RecordName, in zone: StoredZone) throws(StoreError) {
    let statement = try connection.prepared(
      "DELETE FROM _tombstone WHERE zone = ? AND name = ?")
    statement.bind(zone.number, 1)
    statement.bind(name.text, 2)
    try statement.perform()
  }

  /// Whether a zone has tombstones at all.
  public func hasTombstones(in zone: StoredZone) throws(StoreError) -> Bool {
    let statement = try connection.prepared(
      "SELECT 1 FROM _tombstone WHERE zone = ? LIMIT 1")
    statement.bind(zone.number, 1)
    defer { statement.reset() }
    return try statement.next()
  }
}

extension Statement {
  fileprivate func bind(_ name: RecordName?, _ place: Int) {
    if let name { bind(name.text, place) } else { bindNull(place) }
  }
}
