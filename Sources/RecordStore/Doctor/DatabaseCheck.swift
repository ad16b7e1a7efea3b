package import Basics
package import CloudModel
internal import SQLite
package import StoreFiles

extension EnvironmentStore: ExaminedDatabase {
  package static var assetHolder: String { "record" }

  package static func opened(
    allowingDamage file: DatabaseFile, patience: Patience
  ) throws(StoreError) -> EnvironmentStore {
    try EnvironmentStore(folder: file.folder, patience: patience, allowsDamage: true)
  }

  package func checkRows(
    isDeep: Bool, _ list: inout FindingList, _ meter: WorkMeter?
  ) throws(StoreError) -> Int {
    let check = DatabaseCheck(self, list, meter)
    check.run(isDeep: isDeep)
    list = check.list
    return check.recordCount
  }

  package func salvage(
    into new: EnvironmentStore, from file: DatabaseFile
  ) throws(StoreError) -> SalvageResult {
    let salvage = Salvage(from: self, to: new, file)
    try salvage.run()
    return SalvageResult(
      lost: salvage.lost, findings: salvage.list.all, isWhole: salvage.isWhole)
  }

  package func forgetAssets(
    _ hashes: Set<String>, at time: Timestamp
  ) throws(StoreError) -> [LostRecord] {
    try beginWrite()
    do throws(StoreError) {
      let lost = try removeAssets(hashes, at: time)
      try commit()
      return lost
    } catch {
      rollback()
      throw error
    }
  }

}

/// A check of the rows of one environment, within a read transaction.
///
/// What cannot be read is a finding, and the check continues.
final class DatabaseCheck {
  let store: EnvironmentStore
  var connection: Connection { store.connection }
  private(set) var list: FindingList
  /// The number of records that were read.
  var recordCount = 0
  /// The names of the zones by their rows.
  var zoneNames: [Int64: String] = [:]
  let meter: WorkMeter?

  init(_ store: EnvironmentStore, _ list: FindingList, _ meter: WorkMeter? = nil) {
    (self.store, self.list, self.meter) = (store, list, meter)
  }

  /// Checks the rows of the fixed tables, and with `isDeep` every record and index.
  func run(isDeep: Bool) {
    checkSingleRows()
    checkUsers()
    attempt("_zone") { () throws(StoreError) in try readZoneNames() }
    if isDeep { checkRecords() }
  }

  func add(_ code: StoreFinding.Code, _ subject: String, _ detail: String) {
    list.add(code, subject, detail)
  }

  /// Reads something; if that fails, the failure is a finding about `subject`.
  func attempt(_ subject: String, _ work: () throws(StoreError) -> Void) {
    do throws(StoreError) { try work() } catch { list.add(error, subject) }
  }

  private func readZoneNames() throws(StoreError) {
    let rows = try connection.query("SELECT _id, name FROM _zone")
    while try rows.next() { zoneNames[rows.int64(0)] = rows.text(1) }
  }

  // MARK: Rows of the fixed tables

  private func checkSingleRows() {
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
  }

  /// Checks that the rows that others refer to exist.
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
