internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

/// A look at the database of one environment, all in one read transaction.
///
/// What cannot be read is a finding, and the look goes on after it.
final class DatabaseCheck {
  let store: EnvironmentStore
  var connection: Connection { store.connection }
  var list = FindingList()
  /// How many records were looked at.
  var recordCount = 0
  /// The names of the zones by their rows.
  var zoneNames: [Int64: String] = [:]
  /// The contents that records have.
  private(set) var assets: [Asset] = []
  let meter: WorkMeter?

  init(_ store: EnvironmentStore, _ meter: WorkMeter? = nil) {
    self.store = store
    self.meter = meter
  }

  /// Looks at pages, tables and the rows of our own tables; `isDeep` at every record and index,
  /// too. Throws `StoreError` when there is nothing to look at.
  func run(isDeep: Bool) throws(StoreError) {
    let noted = store.file.notedSequence
    try store.beginRead()
    defer { store.endRead() }
    meter?.begin("read pages")
    checkPages(isDeep)
    checkTables()
    checkSeals()
    checkUsers()
    attempt("_zone") { () throws(SQLiteError) in
      try readZoneNames()
      try checkLastChange(noted)
    }
    if isDeep { checkRecords() }
    do throws(StoreError) { assets = try store.heldAssets() } catch {
      add(.page, "_asset", error.message)
    }
  }

  func add(_ code: StoreFinding.Code, _ subject: String, _ detail: String) {
    list.add(code, subject, detail)
  }

  /// Reads something; what cannot be read is a finding about `subject`.
  func attempt(_ subject: String, _ work: () throws(SQLiteError) -> Void) {
    do throws(SQLiteError) { try work() } catch {
      add(error.kind == .other ? .table : .page, subject, error.message)
    }
  }

  /// The last change that was committed is there.
  private func checkLastChange(_ noted: Int64) throws(SQLiteError) {
    let last = try store.storedSequence()
    guard last < noted else { return }
    add(
      .lostChanges, "records.sqlite",
      "it ends at change \(last) and change \(noted) was made: its log is missing or another's, "
        + "or it is an older copy")
  }

  private func readZoneNames() throws(SQLiteError) {
    let rows = try connection.transientStatement("SELECT _id, name FROM _zone")
    while try rows.step() { zoneNames[rows.int64(0)] = rows.text(1) }
  }

  // MARK: Pages

  private func checkPages(_ isDeep: Bool) {
    let pragma = isDeep ? "integrity_check" : "quick_check"
    attempt("records.sqlite") { () throws(SQLiteError) in
      let rows = try connection.transientStatement("PRAGMA \(pragma)(100)")
      while try rows.step() {
        // What it says of the pages is one text, under a headline.
        for text in rows.text(0).split(separator: "\n").map(String.init)
        where text != "ok" && !text.hasPrefix("*** in database") {
          add(Self.isAboutIndex(text) ? .index : .page, "records.sqlite", text)
        }
      }
    }
    // SQLite has read all pages but those without rows.
    var damaged = Set(connection.damagedPages)
    if isDeep, let pages = try? DatabasePages(store.file) {
      damaged.formUnion(pages.damagedPages())
    }
    for page in damaged.sorted() {
      add(.page, "records.sqlite", "page \(page) is not what was written")
    }
  }

  /// Whether the rows are there and only an index of SQLite's does not have them.
  private static func isAboutIndex(_ text: String) -> Bool {
    text.hasPrefix("wrong # of entries in index")
      || text.hasPrefix("row ") && text.contains(" missing from index ")
      || text.hasPrefix("non-unique entry in index")
  }

  // MARK: Rows of our own tables

  /// Each row is what was written.
  private func checkSeals() {
    attempt("_state") { () throws(SQLiteError) in
      if try connection.integer("SELECT count(*) FROM _state") != 1 {
        add(.row, "_state", "has not one row")
      }
    }
    attempt("_incarnation") { () throws(SQLiteError) in
      if try connection.integer("SELECT count(*) FROM _incarnation WHERE until IS NULL") != 1 {
        add(.row, "_incarnation", "has not one current row")
      }
    }
    for table in RowSeal.tables {
      let list = table.columns.joined(separator: ", ")
      attempt(table.name) { () throws(SQLiteError) in
        let rows = try connection.transientStatement(
          "SELECT \(list) FROM \(table.name) WHERE seal <> ckdb_seal(\(list))")
        while try rows.step() {
          let values = table.columns.indices.map { rows.text($0).visible }.joined(separator: " ")
          add(.row, table.name, "this row is not what was written: \(values)")
        }
      }
    }
  }

  /// What rows refer to is there.
  private func checkUsers() {
    for (subject, sql) in [
      ("_zone", "SELECT name FROM _zone WHERE owner > 0 AND owner NOT IN (SELECT _id FROM _user)"),
      ("_author", "SELECT device FROM _author WHERE user NOT IN (SELECT _id FROM _user)"),
      ("_field", "SELECT name FROM _field WHERE type NOT IN (SELECT _id FROM _type)"),
    ] {
      attempt(subject) { () throws(SQLiteError) in
        let rows = try connection.transientStatement(sql)
        while try rows.step() {
          add(.row, subject, "\(rows.text(0).visible) belongs to a row that is missing")
        }
      }
    }
  }
}
