package import Basics
public import CloudModel
internal import SQLite

/// The result of an examination of a database.
public struct Examination: Sendable {
  /// The findings.
  public internal(set) var findings: [StoreFinding] = []
  /// The number of records that were read.
  public internal(set) var records = 0
}

/// Examines and repairs a database of any kind.
package protocol DatabaseDoctor {
  /// Examines it; `isDeep` reads all rows and indexes, `readsAssets` the contents of assets.
  func examine(isDeep: Bool, readsAssets: Bool) throws(StoreError) -> Examination
  /// Repairs it.
  func repair(at time: Timestamp) throws(StoreError) -> Repair
}

/// Examines and repairs a database, its assets and the files next to it.
package struct Doctor<Database: ExaminedDatabase>: DatabaseDoctor {
  let file: DatabaseFile
  let patience: Patience
  let meter: WorkMeter?

  /// A doctor for one kind of database; `meter` counts the progress.
  package init(
    _ kind: Database.Type, _ file: DatabaseFile, patience: Patience,
    _ meter: WorkMeter? = nil
  ) {
    (self.file, self.patience, self.meter) = (file, patience, meter)
  }

  /// Examines a database, after an upgrade if it has an older version; `isDeep` reads all rows and
  /// indexes, `readsAssets` the contents of assets. Throws `StoreError` when interrupted, and
  /// for conditions that are not damage: a full disk, or an older version that is read-only.
  package func examine(
    isDeep: Bool, readsAssets: Bool
  ) throws(StoreError) -> Examination {
    file.tryUpgrade(patience: patience)
    var examination = Examination()
    var files = FindingList()
    var held: [Asset]?
    do throws(StoreError) {
      let store = try Database.opened(allowingDamage: file, patience: patience)
      let hold = try store.database.holdAssets()
      defer { hold?.unlock() }
      held = try examineRows(of: store, isDeep: isDeep, &examination)
      try FilesCheck<Database>(file, meter).run(held: held, readsAssets: readsAssets, &files)
    } catch {
      if error.isOfSurroundings { throw error }
      if error.kind == .olderVersion, file.isReadOnly {
        throw try file.notUpgradable(from: file.check().version)
      }
      files.add(.database, file.name, error.message)
    }
    examination.findings += files.all
    if file.isUnsettled {
      examination.findings.append(
        StoreFinding(
          .structure, "lock", "restored just before the system stopped; a repair completes it"))
    }
    try patience.interruption.check()
    return examination
  }

  private func checkCatalogCopy(_ list: inout FindingList) {
    let path = file.catalogCopyPath
    guard FileSystem.exists(path), (try? CatalogCopy(of: file)) == nil else { return }
    list.add(.structure, FileSystem.name(of: path), "it is damaged")
  }

  /// Examines pages, tables and rows in one read transaction. Returns the contents that rows name;
  /// nil if not all rows can be read, so that no contents count as unused.
  private func examineRows(
    of store: Database, isDeep: Bool, _ examination: inout Examination
  ) throws(StoreError) -> [Asset]? {
    let connection = store.database.connection
    // Note it before the transaction: a commit in between is not a lost change.
    let noted = file.notedSequence
    try connection.perform("BEGIN")
    defer { _ = try? connection.perform("COMMIT") }
    meter?.begin("read pages")
    var check = DatabaseExamination(file, connection)
    check.checkPages(isDeep: isDeep)
    check.checkObjects { () throws(StoreError) in try store.model() }
    check.checkSeals()
    check.checkSums()
    check.attempt(file.name) { (list) throws(StoreError) in
      examination.records = try store.checkRows(isDeep: isDeep, &list, meter)
      checkCatalogCopy(&list)
    }
    check.checkLastChange(noted: noted)
    if let error = check.list.surroundings { throw error }
    defer { examination.findings += check.list.all }
    do throws(StoreError) {
      let held = try store.heldAssets()
      try store.database.requireWholePages()
      return held
    } catch {
      guard error.kind == .corrupt else { throw error }
      if check.list.findings.isEmpty { check.list.add(.page, file.name, error.message) }
      return nil
    }
  }
}
