internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

/// Makes a new database from what can be read of a damaged one.
///
/// Rows keep their numbers, dates and tags; what is derived from records is rebuilt from them. A
/// record whose row does not match its checksum is not kept. Lost rows of the catalog come from its
/// copy, and rows that no page refers to from a scan of all pages.
final class Salvage {
  let old: EnvironmentStore
  let new: EnvironmentStore
  let walk: RowWalk
  /// The lost records, by zone and name.
  var lost: [LostRecord] { losses.map(\.record) }
  private(set) var losses: [(record: LostRecord, zone: Int64)] = []
  /// Other losses.
  private(set) var list = FindingList()
  /// The number of the last committed change.
  private let noted: Int64
  /// The last sequence number that was found.
  var last: Int64
  /// The copy of the catalog, if it is valid.
  let copy: CatalogCopy?
  /// The types whose records could not all be read.
  var unread: [TypeTable] = []
  /// The seals of damaged rows of the fixed tables, by the rows' numbers.
  var unsound: [String: [Int64: Int64]] = [:]
  /// The sequence number up to which deletions were forgotten.
  private var oldForgotten: Int64 = 0
  var zones: [Int64: SalvagedZone] = [:]
  /// The rows of the authors of records.
  var authors: Set<Int64> = []
  /// The numbers of the kept records.
  var numbers = NumberSet()

  /// A zone and the records found in it.
  struct SalvagedZone {
    var id: ZoneID
    /// Whether its row matches its seal.
    let isSound: Bool
    /// The seal that the row should have.
    let seal: Int64
    let sequence: Int64
    let counted: DatabaseCheck.ZoneTally
    var found = DatabaseCheck.ZoneTally()
    var lastFound: Int64 = 0
    var isMissed = false
  }

  /// A salvage from an open store to one that was just made. `file` is the damaged one; `old` may
  /// be a copy.
  init(from old: EnvironmentStore, to new: EnvironmentStore, _ file: EnvironmentFile) {
    self.old = old
    self.new = new
    let copy = try? CatalogCopy(of: file)
    self.copy = copy
    noted = file.notedSequence
    let pages = try? DatabasePages(old.file)
    walk = RowWalk(
      connection: old.connection,
      tables: pages.flatMap { (pages) in try? PageTables(pages, copy?.tables ?? []) })
    last = noted
  }

  /// Runs the salvage. Throws `StoreError` if the new database cannot be written.
  func run() throws(StoreError) {
    try new.prepareForBulk()
    try new.beginWrite()
    do throws(StoreError) {
      if let last = try? old.storedSequence(), last < noted {
        lose(.lostChanges, "records.sqlite", "the changes after number \(last) are lost")
      }
      try readState()
      try copyOwnTables()
      for type in try new.catalog.types() {
        if let table = try new.catalog.table(type) { try copyRecords(of: table) }
      }
      try copyUnreachableRecords()
      try listLostNames()
      try replaceLostUsers()
      try mendSharing()
      try finish()
    } catch {
      new.rollback()
      throw error
    }
    try new.commit()
    try rebuildIndexes()
  }

  /// Whether anything is lost.
  var isWhole: Bool { losses.isEmpty && list.findings.isEmpty }

  func lose(_ code: StoreFinding.Code, _ subject: String, _ detail: String) {
    list.add(code, subject, detail)
  }

  /// Notes the loss of a record in the zone of a row.
  func lose(_ record: Record, in zone: Int64, _ reason: String) {
    losses.append((LostRecord(record, reason), zone))
  }

  /// Forgets the losses of records that were found elsewhere: a damaged row can be a copy of
  /// another one, or a former state.
  func forgetFoundRecords() throws(StoreError) {
    var left: [(record: LostRecord, zone: Int64)] = []
    for loss in losses {
      let isFound = try new.database.hasRow(
        "SELECT 1 FROM _record WHERE zone = ? AND name = ?", [loss.zone, loss.record.record.name])
      if !isFound { left.append(loss) }
    }
    losses = left
  }

  private func readState() throws(StoreError) {
    let query = "SELECT forgotten FROM _state WHERE \(EnvironmentTables.state.fits())"
    let found = try walk.readable { () throws(StoreError) in try old.connection.number(query) }
    guard let forgotten = found ?? nil else {
      return lose(.row, "_state", "the row does not match its checksum")
    }
    oldForgotten = forgotten
    last = max(last, forgotten)
  }

  // MARK: The end

  /// Writes the counts of the zones and the state of the file.
  private func finish() throws(StoreError) {
    try new.connection.perform(
      "DELETE FROM _tombstone WHERE (zone, name) IN (SELECT zone, name FROM _record)")
    if new.connection.changedRows > 0 {
      lose(.tombstone, "_tombstone", "existing records were marked as deleted")
    }
    for (number, zone) in zones.sorted(by: { $0.key < $1.key }) {
      try new.database.run(
        """
        UPDATE _zone SET records = ?, checksum = ?, bytes = ?, sequence = ?, types = ?
        WHERE _id = ?
        """,
        [
          zone.found.all.count, Int64(bitPattern: zone.found.all.checksum), zone.found.bytes,
          zone.sequence, zone.found.types.stored, number,
        ])
    }
    try sealAll()
    try compareZones()
    reportUnreadTypes()
    try new.connection.perform(
      """
      UPDATE _state SET catalog = catalog + 1, forgotten = \(try forgotten());
      UPDATE _type SET kept = 0
      """)
    if isWhole { try keepIncarnations() }
    try sealAll()
  }

  /// The sequence number up to which deletions are forgotten. Clients of a file that lost something
  /// must fetch everything again, and no number is given twice.
  private func forgotten() throws(StoreError) -> Int64 {
    isWhole ? oldForgotten : max(last, try new.storedSequence())
  }

  /// Reports zones whose rows were damaged outside the counts, and zones with missing records that
  /// nothing else reports.
  private func compareZones() throws(StoreError) {
    let rows = try new.connection.query("SELECT _id, seal FROM _zone")
    while try rows.next() {
      guard let zone = zones[rows.int64(0)] else { continue }
      // With the right counts it may be the undamaged row.
      if !zone.isSound, rows.int64(1) != zone.seal {
        lose(.row, "_zone", "the row of \(zone.id.text.visible) does not match its checksum")
        try new.connection.perform(
          "UPDATE _zone SET sequence = \(zone.lastFound) WHERE _id = \(rows.int64(0))")
      } else if zone.isSound, !zone.isMissed, zone.counted.all != zone.found.all {
        let counted = zone.counted.all.count.counted("record")
        lose(
          .zone, zone.id.text.visible, "it counted \(counted) but has \(zone.found.all.count)")
      }
    }
  }

  /// Reports the types whose records could not all be read, unless the zones have all records that
  /// they counted.
  private func reportUnreadTypes() {
    guard
      zones.values.contains(where: {
        !$0.isSound || $0.isMissed || $0.counted.all != $0.found.all
      })
    else { return }
    for table in unread { lose(.table, table.location, "not all records could be read") }
  }

  /// Makes the physical indexes that the old file had.
  private func rebuildIndexes() throws(StoreError) {
    try new.beginWrite()
    do throws(StoreError) {
      for type in try new.types() {
        guard let table = try new.table(type) else { continue }
        let names = (try? old.catalog.indexNames(of: table)) ?? []
        table.indexNames = nil
        try new.build(table.possibleIndexes.filter { names.contains($0.name) }, of: table)
      }
    } catch {
      new.rollback()
      throw error
    }
    try new.commit()
  }
}
