internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

extension EnvironmentStore {
  /// Whether rows end with seals, as they do since format 5.
  var hasSeals: Bool { (try? connection.integer("SELECT seal FROM _state")) != nil }
}

// The rows of our own tables.
extension Salvage {
  func copyOwnTables() throws(SQLiteError) {
    try new.connection.execute("DELETE FROM _type; DELETE FROM _zone")
    for table in ["_user", "_author", "_zone", "_type", "_field"] { try copy(table) }
    for table in ["_share", "_participant", "_subscription", "_notification"] {
      try copy(table, keepsUnsound: false)
    }
    for table in [
      "_tombstone", "_zone_tombstone", "_role", "_window", "_visibility", "_inbox",
    ] {
      try copy(keyed: table)
    }
    try addRowsOfCopy()
    for table in ["_user", "_author", "_type", "_field"] { try reportUnsoundRows(of: table) }
    try new.connection.execute(
      """
      UPDATE OR REPLACE _type SET name = 'Users', location = 'Users' WHERE _id = 1;
      \(Migrations.firstRows) DELETE FROM _field WHERE type NOT IN (SELECT _id FROM _type);
      """)
    try mendPlaces()
    new.catalog.forget()
  }

  /// Tells of the rows that are not what was written, nor what the second copy of the catalog has.
  private func reportUnsoundRows(of table: String) throws(SQLiteError) {
    guard let seals = unsound[table], !seals.isEmpty else { return }
    let columns = RowSeal.columns(of: table).joined(separator: ", ")
    let rows = try new.connection.transientStatement(
      "SELECT _id, ckdb_seal(\(columns)) FROM \(table)")
    var mended = 0
    while try rows.step() {
      if seals[rows.int64(0)] == rows.int64(1) { mended += 1 }
    }
    for _ in mended..<seals.count { lose(.row, table, "a row does not match its checksum") }
  }

  /// Makes the names of a damaged row of the catalog valid UTF-8, as everybody reads them.
  private func mendNames(
    of table: String, _ row: Statement, _ columns: [String]
  ) throws(SQLiteError) {
    for name in ["name", "location"] {
      guard let place = columns.firstIndex(of: name) else { continue }
      let statement = try new.connection.statement(
        "UPDATE OR IGNORE \(table) SET \(name) = ? WHERE _id = ?")
      statement.bind(row.text(place + 1), 1)
      statement.bind(row.int64(0), 2)
      try statement.run()
    }
  }

  /// Makes users and devices for those whose rows are lost, so that their zones and records can be
  /// reached: `lost-N`, by the number of the row.
  func replaceLostUsers() throws(SQLiteError) {
    for author in authors.sorted() {
      try new.connection.execute(
        """
        INSERT INTO _author(_id, user, device) SELECT \(author), 1000000 + \(author), 'lost'
        WHERE NOT EXISTS (SELECT 1 FROM _author WHERE _id = \(author))
        """)
    }
    try new.connection.execute(
      """
      INSERT OR IGNORE INTO _user(_id, account, name)
      SELECT owner, 'lost-' || owner, '_lost' || owner FROM _zone WHERE owner > 0
      UNION SELECT user, 'lost-' || user, '_lost' || user FROM _author
      """)
  }

  /// Copies the rows of a table with row numbers. Those that are not what was written stay as they
  /// read where others refer to them.
  private func copy(_ table: String, keepsUnsound: Bool = true) throws(SQLiteError) {
    let columns = RowSeal.columns(of: table)
    let isRead = try walk.rows(of: table, read("_id", columns)) {
      (row) throws(SQLiteError) in
      let isSound = row.int64(columns.count + 1) == row.int64(columns.count + 2)
      guard isSound || keepsUnsound else {
        return lose(.row, table, "a row does not match its checksum")
      }
      guard try insert(row, ["_id"] + columns, into: table) else { return }
      if table == "_zone" { note(zone: row, isSound: isSound) }
      if !isSound {
        unsound[table, default: [:]][row.int64(0)] = row.int64(columns.count + 1)
        try mendNames(of: table, row, columns)
      }
    }
    if !isRead { lose(.row, table, "not all rows could be read") }
  }

  /// Copies the rows of a table without row numbers; those that are not what was written are lost.
  private func copy(keyed table: String) throws(SQLiteError) {
    let columns = RowSeal.columns(of: table)
    let isRead = try walk.rows(keyed: table, read(nil, columns)) {
      (row) throws(SQLiteError) in
      guard row.int64(columns.count) == row.int64(columns.count + 1) else {
        return lose(.row, table, "a row does not match its checksum")
      }
      if let place = columns.firstIndex(of: "sequence") { last = max(last, row.int64(place)) }
      _ = try insert(row, columns, into: table)
    }
    if !isRead { lose(.row, table, "not all rows could be read") }
  }

  /// Goes on as what the database was where nothing is lost, so that its change tokens stay good.
  func keepIncarnations() throws(SQLiteError) {
    let columns = RowSeal.columns(of: "_incarnation")
    var (isSound, current) = (true, 0)
    try new.connection.execute("SAVEPOINT incarnations; DELETE FROM _incarnation")
    let isRead = try walk.rows(of: "_incarnation", read("_id", columns)) {
      (row) throws(SQLiteError) in
      isSound = isSound && row.int64(columns.count + 1) == row.int64(columns.count + 2)
      if row.isNull(2) { current += 1 }
      isSound = try insert(row, ["_id"] + columns, into: "_incarnation") && isSound
    }
    if isRead, isSound, current == 1 {
      return try new.connection.execute("RELEASE incarnations")
    }
    try new.connection.execute("ROLLBACK TO incarnations; RELEASE incarnations")
    lose(.row, "_incarnation", "change tokens from before the repair have expired")
  }

  /// What is read of a row: its number, its columns, its seal, and what that should be.
  private func read(_ number: String?, _ columns: [String]) -> String {
    let list = columns.joined(separator: ", ")
    return (number.map { $0 + ", " } ?? "") + "\(list), seal, ckdb_seal(\(list))"
  }

  /// Inserts the first columns of a row; one that does not fit the table is damaged. Returns if
  /// it is in the table now, where another may have its place.
  private func insert(
    _ row: Statement, _ columns: [String], into table: String
  ) throws(SQLiteError) -> Bool {
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let statement = try new.connection.statement(
      "INSERT OR IGNORE INTO \(table)(\(columns.joined(separator: ", "))) VALUES (\(marks))")
    for index in columns.indices { statement.bind(index, of: row, index + 1) }
    do throws(SQLiteError) { try statement.run() } catch {
      guard case .constraint = error.kind else { throw error }
      lose(.row, table, "a row does not fit the table: \(error.message)")
      return false
    }
    return new.connection.changedRows == 1
  }

  /// Takes note of a zone's row: its number, then the columns of its seal.
  private func note(zone row: Statement, isSound: Bool) {
    let columns = ["_id"] + RowSeal.columns(of: "_zone") + ["seal"]
    func column(_ name: String) -> Int { columns.firstIndex(of: name) ?? 0 }
    var counted = DatabaseCheck.ZoneTally()
    counted.records = row.int64(column("records"))
    counted.checksum = UInt64(bitPattern: row.int64(column("checksum")))
    counted.bytes = row.int64(column("bytes"))
    let sequence = row.int64(column("sequence"))
    if isSound { last = max(last, sequence) }
    zones[row.int64(0)] = SalvagedZone(
      id: ZoneID(stored: row.text(column("name"))), isSound: isSound,
      seal: row.int64(column("seal")), sequence: sequence, counted: counted)
  }
}
