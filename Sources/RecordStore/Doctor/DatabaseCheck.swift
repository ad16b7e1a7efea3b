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
  private var examination: DatabaseExamination
  var list: FindingList { examination.list }
  /// How many records were looked at.
  var recordCount = 0
  /// The names of the zones by their rows.
  var zoneNames: [Int64: String] = [:]
  /// The contents that records have.
  private(set) var assets: [Asset]?
  let meter: WorkMeter?

  init(_ store: EnvironmentStore, _ meter: WorkMeter? = nil) {
    self.store = store
    self.meter = meter
    examination = DatabaseExamination(store.file, store.connection)
  }

  /// Looks at pages, tables and the rows of our own tables; `isDeep` at every record and index,
  /// too. Throws `StoreError` when there is nothing to look at.
  func run(isDeep: Bool) throws(StoreError) {
    let noted = store.file.notedSequence
    try store.beginRead()
    defer { store.endRead() }
    meter?.begin("read pages")
    examination.checkPages(isDeep: isDeep)
    examination.checkObjects { () throws(StoreError) in try model() }
    checkSeals()
    checkUsers()
    attempt("_zone") { () throws(StoreError) in
      try readZoneNames()
      examination.checkLastChange(try store.storedSequence(), noted: noted)
    }
    if isDeep { checkRecords() }
    do throws(StoreError) {
      let held = try store.heldAssets()
      try store.requireWholePages()
      assets = held
    } catch {
      guard error.kind == .corrupt else { throw error }
      if examination.list.findings.isEmpty { add(.page, "_asset", error.message) }
    }
  }

  func add(_ code: StoreFinding.Code, _ subject: String, _ detail: String) {
    examination.list.add(code, subject, detail)
  }

  /// Reads something; what cannot be read is a finding about `subject`.
  func attempt(_ subject: String, _ work: () throws(StoreError) -> Void) {
    // Not the examination's own: what is read adds findings to it.
    do throws(StoreError) { try work() } catch {
      examination.list.add(error, subject)
    }
  }

  private func readZoneNames() throws(StoreError) {
    let rows = try connection.query("SELECT _id, name FROM _zone")
    while try rows.next() { zoneNames[rows.int64(0)] = rows.text(1) }
  }

  // MARK: Rows of our own tables

  /// Each row is what was written.
  private func checkSeals() {
    attempt("_state") { () throws(StoreError) in
      if try connection.number("SELECT count(*) FROM _state") != 1 {
        add(.row, "_state", "does not have exactly one row")
      }
    }
    attempt("_incarnation") { () throws(StoreError) in
      if try connection.number("SELECT count(*) FROM _incarnation WHERE until IS NULL") != 1 {
        add(.row, "_incarnation", "does not have exactly one current row")
      }
    }
    examination.checkSeals()
  }

  /// What rows refer to is there.
  private func checkUsers() {
    for (subject, sql) in [
      ("_zone", "SELECT name FROM _zone WHERE owner > 0 AND owner NOT IN (SELECT _id FROM _user)"),
      ("_author", "SELECT device FROM _author WHERE user NOT IN (SELECT _id FROM _user)"),
      ("_field", "SELECT name FROM _field WHERE type NOT IN (SELECT _id FROM _type)"),
    ] {
      attempt(subject) { () throws(StoreError) in
        let rows = try connection.query(sql)
        while try rows.next() {
          add(.row, subject, "\(rows.text(0).visible) belongs to a row that is missing")
        }
      }
    }
  }
}
