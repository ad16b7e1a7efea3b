internal import Basics
package import SQLite

/// Copies what can be read of a fixed table into a new database, by the table's rule.
package struct TableSalvage {
  private let walk: RowWalk
  private let new: Connection
  /// Receives losses: a table's name and a reason.
  private let lose: (Table, String) -> Void

  /// A salvage from a damaged database to a new one.
  package init(
    from walk: RowWalk, to new: Connection, _ lose: @escaping (Table, String) -> Void
  ) {
    (self.walk, self.new, self.lose) = (walk, new, lose)
  }

  /// A row of the damaged database.
  package struct SalvagedRow {
    /// Its values, by column.
    package let row: Row
    /// Its number; 0 in a table without row numbers.
    package let number: Int64
    /// Its seal.
    package let seal: Int64
    /// Whether the seal matches the values.
    package let isSound: Bool
  }

  /// Copies the rows of all tables that are not rebuilt, in their order; passes each row that is in
  /// the new table to `body`.
  package func copy(
    _ tables: [Table],
    _ body: (Table, SalvagedRow) throws(StoreError) -> Void = {
      (_, _) throws(StoreError) in
    }
  ) throws(StoreError) {
    var unread: [Table] = []
    for table in tables {
      let isRead: Bool
      switch table.salvage {
      case .kept:
        isRead = try copy(table, keepsUnsound: false) {
          (row) throws(StoreError) in try body(table, row)
        }
      case .keptAsRead:
        isRead = try copy(table, keepsUnsound: true) {
          (row) throws(StoreError) in try body(table, row)
        }
      case .rebuilt: continue
      }
      if !isRead { unread.append(table) }
    }
    try copyUnreachable(unread, body)
  }

  /// Copies the rows of tables from pages that no page refers to, because the tree above them is
  /// damaged. The types and the seal of a row identify its table. The free pages must be known:
  /// they still contain former rows.
  private func copyUnreachable(
    _ tables: [Table], _ body: (Table, SalvagedRow) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !tables.isEmpty, let pages = walk.tables, let free = pages.pages.freePages() else {
      return
    }
    var views: [(table: Table, view: PageTables.View)] = []
    for table in tables {
      guard let place = pages[table.name],
        let view = try pages.view(of: place, Self.list(of: table), [])
      else { continue }
      views.append((table, view))
    }
    for page in pages.unreachablePages(besides: free) {
      _ = try pages.pages.rows(root: page.number) { (values) throws(StoreError) in
        for (table, view) in views where table.isNumbered == page.isTable {
          defer { view.statement.reset() }
          guard try view.show(values) else { continue }
          let row = Self.row(view.statement, table)
          guard row.isSound else { continue }
          if try insert(view.statement, into: table) { try body(table, row) }
          return
        }
      }
    }
  }

  /// Copies the rows of a table, replacing those that the new one has. Copies damaged rows last, so
  /// that they replace no sound ones. Returns whether all could be read.
  private func copy(
    _ table: Table, keepsUnsound: Bool, _ body: (SalvagedRow) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    try new.perform("DELETE FROM \(table.name)")
    var unsound = 0
    let isRead = try forEach(table) { (row, statement) throws(StoreError) in
      if !row.isSound {
        unsound += 1
      } else if try insert(statement, into: table) {
        try body(row)
      }
    }
    if unsound > 0, keepsUnsound {
      _ = try forEach(table) { (row, statement) throws(StoreError) in
        if !row.isSound, try insert(statement, into: table) { try body(row) }
      }
    } else {
      for _ in 0..<unsound { lose(table, Self.damagedRow) }
    }
    if !isRead { lose(table, "not all rows could be read") }
    return isRead
  }

  /// Why a damaged row is lost.
  package static let damagedRow = "a row does not match its checksum"

  /// Copies a table that is useful only as a whole: if all its rows could be read and match their
  /// seals, and a query of the new database returns 1. Returns whether it did.
  package func copyWhole(_ table: Table, if query: String) throws(StoreError) -> Bool {
    var isSound = true
    try new.perform("SAVEPOINT whole; DELETE FROM \(table.name)")
    let isRead = try forEach(table) { (row, statement) throws(StoreError) in
      isSound = try insert(statement, into: table) && row.isSound && isSound
    }
    let answer = try new.number(query)
    let isWhole = isRead && isSound && answer == 1
    if !isWhole { try new.perform("ROLLBACK TO whole") }
    try new.perform("RELEASE whole")
    return isWhole
  }

  /// Passes the rows of a table to `body`, each once; returns whether all could be read.
  private func forEach(
    _ table: Table, _ body: (SalvagedRow, Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    let list = Self.list(of: table)
    let body = { (statement: Statement) throws(StoreError) in
      try body(Self.row(statement, table), statement)
    }
    guard table.isNumbered else { return try walk.rows(keyed: table.name, list, body) }
    return try walk.rows(of: table.name, list, body)
  }

  /// The columns of a `SalvagedRow` in SQL, the row's seal and the seal of its values last.
  private static func list(of table: Table) -> String {
    (columns(of: table) + [Column.sealName]).map { "t." + $0 }.separated(by: ", ") + ", "
      + table.seal("t.")
  }

  private static func row(_ statement: Statement, _ table: Table) -> SalvagedRow {
    let count = columns(of: table).count
    let seal = statement.int64(count)
    return SalvagedRow(
      row: Row(damaged: table, in: statement),
      number: table.isNumbered ? statement.int64(0) : 0, seal: seal,
      isSound: seal == statement.int64(count + 1) && fits(statement, table))
  }

  /// Whether the values of a row have the types of a table's columns. This excludes rows of other
  /// tables on a misdirected page, whose seals can match.
  private static func fits(_ row: Statement, _ table: Table) -> Bool {
    var place = table.isNumbered ? 1 : 0
    for column in table.columns where !column.isSeal {
      let isText = column.type == "TEXT"
      guard row.isNull(place) ? column.isNullable : isText == row.isText(place) else {
        return false
      }
      place += 1
    }
    return true
  }

  private static func columns(of table: Table) -> [String] {
    (table.numberColumn.map { [$0] } ?? []) + table.values
  }

  /// Inserts the number and the values of a row with a new seal; one that does not fit the table is
  /// damaged. Returns whether the row is in the table now; another may have its place.
  private func insert(_ row: Statement, into table: Table) throws(StoreError) -> Bool {
    let statement = try new.prepared(table.insertion(.ignore))
    for place in Self.columns(of: table).indices { statement.bind(place, of: row, place + 1) }
    do throws(StoreError) { try statement.perform() } catch {
      guard error.cause?.kind == .constraint else { throw error }
      lose(table, "a row does not fit the table: \(error.detail)")
      return false
    }
    return new.changedRows == 1
  }
}
