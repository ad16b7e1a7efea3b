package import Basics
package import CloudModel
package import SQLite

/// An open database as the doctor examines and repairs it: what differs between kinds.
///
/// The defaults suit a database whose tables are all sealed.
package protocol ExaminedDatabase: SendableMetatype {
  /// The word for a row with an asset in messages.
  static var assetHolder: String { get }
  /// Opens a database even if its contents are damaged.
  static func opened(
    allowingDamage file: DatabaseFile, patience: Patience
  ) throws(StoreError) -> Self

  /// The open file.
  var database: OpenDatabase { get }

  /// An empty database with the tables and indexes that this one should have.
  func model() throws(StoreError) -> Connection

  /// Checks the relations between rows of this kind of database; `isDeep` reads every row. Returns
  /// the number of records that it read.
  func checkRows(
    isDeep: Bool, _ list: inout FindingList, _ meter: WorkMeter?
  ) throws(StoreError) -> Int

  /// The contents that rows name. Throws `corrupt` if not all rows can be read.
  func heldAssets() throws(StoreError) -> [Asset]

  /// Copies all rows that can be read and match their checksums into a new database. `file` is the
  /// damaged one, of which this may be a copy.
  func salvage(into new: Self, from file: DatabaseFile) throws(StoreError) -> SalvageResult

  /// Removes assets with certain hashes from all rows. Returns the records as they were.
  func forgetAssets(
    _ hashes: Set<String>, at time: Timestamp
  ) throws(StoreError) -> [LostRecord]
}

/// The losses of a salvage.
package struct SalvageResult {
  /// Records that could not be kept as they were.
  package var lost: [LostRecord] = []
  /// Other losses.
  package var findings: [StoreFinding] = []
  /// Whether everything was kept.
  package var isWhole = true

  package init(lost: [LostRecord] = [], findings: [StoreFinding] = [], isWhole: Bool = true) {
    (self.lost, self.findings, self.isWhole) = (lost, findings, isWhole)
  }
}

/// A database whose tables are all sealed.
extension OpenDatabase: ExaminedDatabase {
  package static var assetHolder: String { "document" }

  package static func opened(
    allowingDamage file: DatabaseFile, patience: Patience
  ) throws(StoreError) -> OpenDatabase {
    try OpenDatabase(file, patience: patience, allowsDamage: true)
  }

  package var database: OpenDatabase { self }

  package func model() throws(StoreError) -> Connection {
    let model = try Connection.open()
    try file.format.create(model)
    return model
  }

  package func checkRows(isDeep: Bool, _ list: inout FindingList, _ meter: WorkMeter?) -> Int { 0 }

  package func heldAssets() throws(StoreError) -> [Asset] {
    guard let query = file.format.heldAssets else { return [] }
    let rows = try connection.query(query)
    var assets: [Asset] = []
    while try rows.next() {
      if let asset = Asset(sha256: rows.text(0), size: rows.int64(1)) { assets.append(asset) }
    }
    return assets
  }

  package func salvage(
    into new: OpenDatabase, from file: DatabaseFile
  ) throws(StoreError) -> SalvageResult {
    let pages = try? DatabasePages(self.file)
    let copy = try? CatalogCopy(of: file)
    // Without a copy, the tables are probably where they are in a new database.
    let known = if let copy { copy.tables } else { try PageTables.roots(of: model()) }
    let walk = RowWalk(
      connection: connection, tables: pages.flatMap { try? PageTables($0, known) })
    var result = SalvageResult()
    try new.connection.perform("BEGIN IMMEDIATE")
    let salvage = TableSalvage(from: walk, to: new.connection) { _, _ in result.isWhole = false }
    try salvage.copy(file.format.tables)
    for part in file.format.catalog {
      guard let copy, let table = file.format.tables.first(where: { $0.name == part.table }) else {
        continue
      }
      if try copy.restore(part, of: table, into: new.connection) > 0 { result.isWhole = false }
    }
    try file.format.fillAgain(new.connection)
    try compareSums(walk, with: new.connection, &result)
    try new.connection.perform("COMMIT")
    return result
  }

  /// Reports the rows that are in no page any more, and sums the rows of the new database.
  private func compareSums(
    _ walk: RowWalk, with new: Connection, _ result: inout SalvageResult
  ) throws(StoreError) {
    if file.format.tables.allSatisfy({ $0.owner == nil }) { return }
    let insertion = try new.prepared(
      "INSERT OR REPLACE INTO _sum(name, owner, rows, checksum) VALUES (?, ?, ?, ?)")
    let isRead = try walk.rows(keyed: "_sum", "name, owner, rows, checksum") {
      (row) throws(StoreError) in
      for place in 0..<4 { insertion.bind(place, of: row, place + 1) }
      try insertion.perform()
    }
    for table in file.format.tables where isRead {
      try table.differingSums(on: new) { (owner, written, found) throws(StoreError) in
        let detail = DatabaseExamination.difference(owner, written, found)
        result.findings.append(StoreFinding(.table, table.name, detail))
        result.isWhole = false
      }
    }
    try file.format.sumRows(new)
  }

  package func forgetAssets(
    _ hashes: Set<String>, at time: Timestamp
  ) throws(StoreError) -> [LostRecord] {
    let last = try beginWrite { () throws(StoreError) in
      try connection.number(file.format.lastSequence) ?? 0
    }
    do throws(StoreError) {
      for hash in hashes.sorted(by: utf8Precedes) { try file.format.forget(connection, hash) }
      for table in file.format.tables where table.isSealed {
        try connection.perform(table.sealing())
      }
      try file.format.sumRows(connection)
      try file.format.advance(connection, last + 1)
      try commit(at: last + 1)
    } catch {
      giveUp()
      defer { unlock() }
      throw undoCommit(error)
    }
    endWrite()
    return []
  }
}
