internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

// What SQLite cannot reach: rows of the catalog's copy, and records on pages below a damaged one.
extension Salvage {
  // MARK: The copy of the catalog

  /// Takes missing or damaged rows of the catalog from its copy.
  func addRowsOfCopy() throws(StoreError) {
    guard let copy else { return }
    for (table, columns) in EnvironmentTables.catalog {
      for values in copy.rows[table] ?? [] where values.count == columns.count {
        guard case .int(let number) = values[0], try belongs(values, to: table) else { continue }
        let isReplaced = unsound[table]?[number] != nil
        guard try write(values, columns, into: table, replaces: isReplaced) else { continue }
        if !isReplaced {
          lose(.row, table, "a lost row was restored from the second copy of the catalog")
        }
        if table == "_zone", let name = values[3].string { noteZoneOfCopy(number, name) }
      }
    }
  }

  /// Writes a row, in place of the one of its number if there is one; returns whether it did.
  private func write(
    _ values: [JSONValue], _ columns: [String], into table: String, replaces: Bool
  ) throws(StoreError) -> Bool {
    let list = columns.joined(separator: ", ")
    let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let statement = try new.connection.prepared(
      replaces
        ? "UPDATE OR IGNORE \(table) SET (\(list)) = (\(places)) WHERE _id = ?1"
        : "INSERT OR IGNORE INTO \(table)(\(list)\(Self.countNames(table))) "
          + "VALUES (\(places)\(Self.counts(table)))")
    for (place, value) in values.enumerated() { statement.bind(value, place + 1) }
    do throws(StoreError) { try statement.perform() } catch {
      guard error.cause?.kind == .constraint else { throw error }
      return false
    }
    return new.connection.changedRows == 1
  }

  /// What the copy does not have of a zone is counted anew.
  private static func countNames(_ table: String) -> String {
    table == "_zone" ? ", sequence, records, checksum, bytes" : ""
  }

  private static func counts(_ table: String) -> String { table == "_zone" ? ", 0, 0, 0, 0" : "" }

  private func noteZoneOfCopy(_ number: Int64, _ name: String) {
    guard zones[number] == nil else {
      zones[number]?.id = ZoneID(stored: name)
      return
    }
    zones[number] = SalvagedZone(
      id: ZoneID(stored: name), isSound: false, seal: 0, sequence: 0,
      counted: DatabaseCheck.ZoneTally())
  }

  /// Whether the subject of a row of the copy still exists: the copy may be slightly older.
  private func belongs(_ values: [JSONValue], to table: String) throws(StoreError) -> Bool {
    switch table {
    case "_zone":
      guard case .int(let scope) = values[1], case .int(let owner) = values[2] else { return false }
      return try !new.database.hasRow(
        "SELECT 1 FROM _zone_tombstone WHERE scope = ? AND owner = ? AND name = ?",
        [scope, owner, values[3].string ?? ""])
    case "_type":
      guard let location = values[2].string else { return false }
      return walk.tables?[location] != nil
    case "_field":
      guard case .int(let type) = values[1], let location = values[4].string else { return false }
      if location.isEmpty { return true }
      let place: String? = try new.database.value(
        "SELECT location FROM _type WHERE _id = ?", [type])
      guard let place, let table = walk.tables?[place] else { return false }
      return table.columns.contains { $0 == location || $0.hasPrefix(location + ".") }
    default: return true
    }
  }

  // MARK: Pages without a tree

  /// Copies the records on pages that no page refers to: the tree above them is damaged. Free pages
  /// must be known, since they still contain former records.
  func copyUnreachableRecords() throws(StoreError) {
    guard !unread.isEmpty, let tables = walk.tables, let free = tables.pages.freePages() else {
      return
    }
    let areNamesWhole =
      try walk.readable { () throws(StoreError) in
        try old.connection.number("SELECT count(*) FROM _record NOT INDEXED")
      } != nil
    var readers: [LeafReader] = []
    for table in unread {
      let reader = FieldReader(table)
      guard let place = tables[table.location],
        let view = try tables.view(
          of: place, SystemColumns.list + reader.list, Self.names(of: table))
      else { continue }
      readers.append(LeafReader(table: table, fields: reader, view: view))
    }
    for page in tables.unreachablePages(besides: free) where page.isTable {
      _ = try tables.pages.rows(root: page.number) { (row) throws(StoreError) in
        try keep(row, by: &readers, areNamesWhole)
      }
    }
  }

  /// Reads the rows of a type from pages.
  private struct LeafReader {
    let table: TypeTable
    let fields: FieldReader
    let view: PageTables.View
  }

  /// Keeps the record of a row on a page without a tree, as the type whose checksum matches. The
  /// type of the previous match is tried first.
  private func keep(
    _ row: PageRow, by readers: inout [LeafReader], _ areNamesWhole: Bool
  ) throws(StoreError) {
    for (index, reader) in readers.enumerated() {
      let statement = reader.view.statement
      defer { statement.reset() }
      guard try reader.view.show(row), reader.table.isSound(statement) else { continue }
      readers.swapAt(0, index)
      let stored = try stored(in: statement, reader.table, reader.fields)
      guard try isWanted(stored, areNamesWhole) else { return }
      _ = try keep(stored, reader.table, statement, reader.fields)
      return
    }
  }

  /// Whether a record is missing: not a former state of a record, nor one that was deleted.
  private func isWanted(
    _ stored: StoredRecord, _ areNamesWhole: Bool
  ) throws(StoreError) -> Bool {
    if areNamesWhole {
      guard let place = try oldPlace(of: stored) else { return false }
      return place.type == stored.type && place.number == stored.number
    }
    return try !new.database.hasRow(
      "SELECT 1 FROM _tombstone WHERE zone = ? AND name = ? AND sequence >= ?",
      [stored.zone, stored.record.name.text, stored.sequence])
  }
}
