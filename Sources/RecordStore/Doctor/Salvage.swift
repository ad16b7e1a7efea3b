internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

/// Makes a database of what can be read of a damaged one.
///
/// Rows are kept with their numbers, dates and tags; what is kept next to the records is made anew
/// from them. A record that is not what was written is not kept. What the database has lost of its
/// catalog comes from the second copy, and rows to which no page leads any more from a look at all
/// pages.
final class Salvage {
  let old: EnvironmentStore
  let new: EnvironmentStore
  let walk: RowWalk
  /// The records that are lost, by zone and name.
  private(set) var lost: [LostRecord] = []
  /// What else is not as it was.
  private(set) var list = FindingList()
  /// The number of the last change that was committed.
  private let noted: Int64
  /// The last sequence number that was met.
  var last: Int64
  /// The catalog's second copy, if there is a good one.
  let copy: CatalogCopy?
  /// The types whose records could not all be read.
  var unread: [TypeTable] = []
  /// The seals of rows of our own tables that are not what was written, by their numbers.
  var unsound: [String: [Int64: Int64]] = [:]
  /// Up to which number deletions were forgotten.
  private var oldForgotten: Int64 = 0
  var zones: [Int64: SalvagedZone] = [:]
  /// The devices that made and changed the records, by their rows.
  var authors: Set<Int64> = []
  /// The numbers of the records that are kept.
  var numbers = NumberSet()

  /// A zone and what is found of its records.
  struct SalvagedZone {
    var id: ZoneID
    /// Whether its row is what was written.
    let isSound: Bool
    /// What the row should end with.
    let seal: Int64
    let sequence: Int64
    let counted: DatabaseCheck.ZoneTally
    var found = DatabaseCheck.ZoneTally()
    var lastFound: Int64 = 0
    var isMissed = false
  }

  /// From an open store to one that was just made. `file` is the damaged one; `old` may be a copy.
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

  /// Does all of it. Throws `StoreError` when what is new cannot be written.
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
  var isWhole: Bool { lost.isEmpty && list.findings.isEmpty }

  func lose(_ code: StoreFinding.Code, _ subject: String, _ detail: String) {
    list.add(code, subject, detail)
  }

  func lose(_ record: Record, _ reason: String) { lost.append(LostRecord(record, reason)) }

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
        "UPDATE _zone SET records = ?, checksum = ?, bytes = ?, sequence = ? WHERE _id = ?",
        [zone.found.records, zone.found.checksum, zone.found.bytes, zone.sequence, number])
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

  /// Up to which number deletions are forgotten. Whoever follows the changes of a file that lost
  /// something has to begin anew, and no number is given twice.
  private func forgotten() throws(StoreError) -> Int64 {
    isWhole ? oldForgotten : max(last, try new.storedSequence())
  }

  /// Tells of zones whose rows were damaged elsewhere than in the counts, and of those that miss
  /// records which nothing else tells of.
  private func compareZones() throws(StoreError) {
    let rows = try new.connection.query("SELECT _id, seal FROM _zone")
    while try rows.next() {
      guard let zone = zones[rows.int64(0)] else { continue }
      // With the right counts it may be the row that was written.
      if !zone.isSound, rows.int64(1) != zone.seal {
        lose(.row, "_zone", "the row of \(zone.id.text.visible) does not match its checksum")
        try new.connection.perform(
          "UPDATE _zone SET sequence = \(zone.lastFound) WHERE _id = \(rows.int64(0))")
      } else if zone.isSound, !zone.isMissed, zone.counted.checksum != zone.found.checksum {
        let counted = zone.counted.records.counted("record")
        lose(
          .zone, zone.id.text.visible, "it counted \(counted) but has \(zone.found.records)")
      }
    }
  }

  /// Tells of the types whose records could not all be read, unless the zones have all that they
  /// counted.
  private func reportUnreadTypes() {
    guard
      zones.values.contains(where: {
        !$0.isSound || $0.isMissed || $0.counted.checksum != $0.found.checksum
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
