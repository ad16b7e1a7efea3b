internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

// The rows of the fixed tables.
extension Salvage {
  func copyOwnTables() throws(StoreError) {
    try tables.copy(EnvironmentTables.all) { (table, row) throws(StoreError) in
      if row.isSound, table.values.contains("sequence") { last = max(last, row.row["sequence"]) }
      if table.name == EnvironmentTables.zone.name { note(zone: row) }
      if !row.isSound {
        unsound[table.name, default: [:]][row.number] = row.seal
        try mendNames(of: table, row)
      }
    }
    try addRowsOfCopy()
    for table in [
      EnvironmentTables.user, EnvironmentTables.author, EnvironmentTables.type,
      EnvironmentTables.field,
    ] {
      try reportUnsoundRows(of: table)
    }
    try new.connection.perform(
      """
      UPDATE OR REPLACE _type SET name = 'Users', location = 'Users' WHERE _id = 1;
      \(Migrations.firstRows) DELETE FROM _field WHERE type NOT IN (SELECT _id FROM _type);
      """)
    try mendPlaces()
    new.catalog.forget()
  }

  /// Copies the rows of the tables that are not rebuilt from others.
  var tables: TableSalvage {
    TableSalvage(from: walk, to: new.connection) { [self] in lose(.row, $0.name, $1) }
  }

  /// Reports damaged rows that the copy of the catalog does not have either.
  private func reportUnsoundRows(of table: Table) throws(StoreError) {
    guard let seals = unsound[table.name], !seals.isEmpty else { return }
    try sealAll()
    let found = try new.database.all("SELECT _id, seal FROM \(table.name)") { row in
      seals[row.int64(0)] == row.int64(1)
    }
    for _ in found.count(where: { $0 })..<seals.count {
      lose(.row, table.name, TableSalvage.damagedRow)
    }
  }

  /// Makes the names of a damaged row of the catalog valid UTF-8, as readers of names expect.
  private func mendNames(
    of table: Table, _ row: TableSalvage.SalvagedRow
  ) throws(StoreError) {
    for name in ["name", "location"] where table.values.contains(name) {
      try new.database.run(
        "UPDATE OR IGNORE \(table.name) SET \(name) = ? WHERE _id = ?",
        [row.row[name] as String, row.number])
    }
  }

  /// Seals all rows as they are now.
  func sealAll() throws(StoreError) {
    for table in EnvironmentTables.all where table.isSealed {
      try new.connection.perform(table.sealing())
    }
  }

  /// Makes users and devices for authors whose rows are lost, so that their zones and records can
  /// be reached: `lost-N`, by the number of the row.
  func replaceLostUsers() throws(StoreError) {
    for author in authors.sorted() {
      try new.connection.perform(
        """
        INSERT INTO _author(_id, user, device) SELECT \(author), 1000000 + \(author), 'lost'
        WHERE NOT EXISTS (SELECT 1 FROM _author WHERE _id = \(author))
        """)
    }
    try new.connection.perform(
      """
      INSERT OR IGNORE INTO _user(_id, account, name)
      SELECT owner, 'lost-' || owner, '_lost' || owner FROM _zone WHERE owner > 0
      UNION SELECT user, 'lost-' || user, '_lost' || user FROM _author
      """)
  }

  /// Continues the incarnation if nothing is lost, so that change tokens remain valid.
  func keepIncarnations() throws(StoreError) {
    let isKept = try tables.copyWhole(
      EnvironmentTables.incarnation, if: "SELECT count(*) FROM _incarnation WHERE until IS NULL")
    if !isKept { lose(.row, "_incarnation", "change tokens from before the repair have expired") }
  }

  private func note(zone: TableSalvage.SalvagedRow) {
    let row = zone.row
    var counted = DatabaseCheck.ZoneTally()
    counted.all = Extent(count: row["records"], checksum: row["checksum"])
    counted.bytes = row["bytes"]
    zones[zone.number] = SalvagedZone(
      id: ZoneID(row["name"] as ZoneName), isSound: zone.isSound, seal: zone.seal,
      sequence: row["sequence"], counted: counted)
  }
}
