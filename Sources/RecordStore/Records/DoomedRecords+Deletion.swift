internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import SQLite
public import StoreFiles

extension DoomedRecords {
  /// From this number of records on, a large page cache pays off.
  private static let bulk = 1000

  /// Deletes the records and leaves their tombstones. Throws `StoreError`, and the errors of the
  /// journal's `select`.
  public func delete() throws {
    guard try store.hasShares(zone.number) else {
      return try deleteAll()
    }
    var all = self
    try all.endShares()
    try store.uncover(all.records.map(\.inTree), in: zone.number)
    try all.deleteAll()
  }

  /// Ends the shares whose records or roots are among these: they are deleted with them (R10.1.10).
  private mutating func endShares() throws(StoreError) {
    for record in records {
      let cover = try store.cover(of: record.inTree, in: zone.number)
      guard let cover, let share = try store.share(numbered: cover),
        share.number == record.number || share.root == record.name
      else { continue }
      try store.end(share)
      if let record = try store.record(share.name, in: zone, keys: []) { add(record) }
    }
  }

  /// Whether a record is a share, or the root of one.
  public func haveRoots() throws(StoreError) -> Bool {
    for record in records {
      let cover = try store.cover(of: record.inTree, in: zone.number)
      guard let cover, let share = try store.share(numbered: cover) else { continue }
      if share.number == record.number || share.root == record.name { return true }
    }
    return false
  }

  private func deleteAll() throws {
    if records.count >= Self.bulk { try store.prepareForBulk() }
    let places = records.indices.sorted {
      (records[$0].type, records[$0].number) < (records[$1].type, records[$1].number)
    }
    if store.state.journal != nil {
      try store.note(deletions: records.map { ($0.number, $0.type) }, zone: zone.number)
    }
    try deleteLinks()
    let sums = try deleteRows(places)
    try leaveTombstones(sums)
    store.state.changes?.note(
      deletions: sums.types, zone: zone.number, bytes: sums.bytes)
  }

  /// Deletes the links of a deleted record and those to it, which are usually all.
  private func deleteLinks() throws(StoreError) {
    let links = try store.connection.prepared(
      "DELETE FROM _reference WHERE zone = ? AND target = ? AND kind = ?")
    links.bind(zone.number, 1)
    links.bind(RecordLink.Kind.deleteSelf.rawValue, 3)
    for record in records where record.sources > 0 {
      links.bind(record.name.text, 2)
      try links.perform()
    }
  }

  /// The sums over the records.
  private struct Sums {
    var types = TypeExtents()
    var bytes: Int64 = 0
    var tables: [Int64: TypeTable] = [:]
    /// The shares of the records that had one, by their numbers.
    var shares: [Int64: String] = [:]
  }

  /// Deletes the rows in the order of their pages: each page is read once.
  private func deleteRows(_ places: [Int]) throws(StoreError) -> Sums {
    var sums = Sums()
    var rows: RowDeletion?
    for place in places {
      let record = records[place]
      if rows?.table.number != record.type {
        let table = try store.table(of: record.type)
        sums.tables[record.type] = table
        rows = try RowDeletion(table, of: store)
      }
      try rows?.delete(record, in: zone, &sums)
    }
    return sums
  }

  /// Deletes rows of one type.
  private struct RowDeletion {
    let store: EnvironmentStore
    let table: TypeTable
    private let reader: FieldReader
    private let row: Statement
    private let deletion: Statement
    private let removals: [Statement]

    init(_ table: TypeTable, of store: EnvironmentStore) throws(StoreError) {
      self.store = store
      self.table = table
      let connection = store.connection
      reader = FieldReader(table)
      row = try connection.query(
        """
        SELECT t._checksum, t._parent, t._share\(reader.list) FROM \(table.table) t WHERE t._id = ?
        """)
      deletion = try connection.query("DELETE FROM \(table.table) WHERE _id = ?")
      removals = try store.catalog.keptIndexes(of: table).map { (index) throws(StoreError) in
        try connection.query(index.removal(on: table, where: "t._id = ?"))
      }
    }

    /// Deletes a row and its entries elsewhere, and adds it to the sums.
    func delete(_ record: Doomed, in zone: StoredZone, _ sums: inout Sums) throws(StoreError) {
      row.bind(record.number, 1)
      guard try row.next() else { return }
      var content = Record(name: record.name, type: table.schema.name, zone: zone.zone.id)
      if !row.isNull(1) { content.parent = RecordName(stored: row.text(1)) }
      if !row.isNull(2) { sums.shares[record.number] = row.text(2) }
      content.fields = reader.fields(in: row, from: 3)
      sums.types[table.number] += Extent(
        count: 1, checksum: UInt64(bitPattern: row.int64(0)))
      sums.bytes += content.fields.quotaSize
      row.reset()
      let links = content.links
      if links.count != record.links {
        try store.changeLinks(
          of: (record.number, record.name), table, in: zone.number, from: links, to: [])
      }
      try store.changeAssets(from: content.fields, to: RecordFields(), table)
      for removal in removals { try removal.run(with: record.number) }
      try deletion.run(with: record.number)
    }
  }

  /// Replaces the names by tombstones, in their order.
  private func leaveTombstones(_ sums: Sums) throws(StoreError) {
    let name = try store.connection.prepared("DELETE FROM _record WHERE zone = ? AND name = ?")
    let tombstone = try store.connection.prepared(EnvironmentTables.tombstone.insertion())
    name.bind(zone.number, 1)
    tombstone.bind(zone.number, 1)
    let places = records.indices.sorted {
      utf8Precedes(records[$0].name.text, records[$1].name.text)
    }
    for place in places {
      let record = records[place]
      name.bind(record.name.text, 2)
      try name.perform()
      tombstone.bind(record.name.text, 2)
      tombstone.bind(sums.tables[record.type]?.schema.name.text ?? "", 3)
      tombstone.bind(store.lastSequence + Int64(place) + 1, 4)
      if let share = sums.shares[record.number] {
        tombstone.bind(share, 5)
      } else {
        tombstone.bindNull(5)
      }
      try tombstone.perform()
    }
  }
}

extension DoomedRecords.Doomed {
  fileprivate var inTree: TreeRecord { TreeRecord(number: number, type: type, name: name) }
}

extension Statement {
  fileprivate func run(with number: Int64) throws(StoreError) {
    bind(number, 1)
    try perform()
  }
}

extension EnvironmentStore {
  /// The number of records of a dropped type that are deleted at a time.
  private static let portion = 10_000

  /// Deletes all records of a type in a zone; no record elsewhere may refer to them. Throws
  /// `StoreError`, and the errors of the journal's `select`.
  func deleteAll(of table: TypeTable, in zone: StoredZone) throws {
    var last: Int64 = 0
    while true {
      var doomed = DoomedRecords(in: zone, of: self)
      let rows = try connection.prepared(
        """
        SELECT _id, _name FROM \(table.table) WHERE _zone = ? AND _id > ?
        ORDER BY _id LIMIT \(Self.portion)
        """)
      rows.bind(zone.number, 1)
      rows.bind(last, 2)
      while try rows.next() {
        doomed.add(
          .init(
            number: rows.int64(0), type: table.number, name: RecordName(stored: rows.text(1))))
      }
      guard let end = doomed.records.last else { return }
      last = end.number
      try doomed.delete()
    }
  }
}
