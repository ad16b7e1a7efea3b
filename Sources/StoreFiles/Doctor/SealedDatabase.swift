internal import Basics
public import CloudModel
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

// Databases all of whose tables are sealed: nothing more has to be known of them to check them, and
// to save what can be read of a damaged one.
extension DatabaseFile {
  private var names: Set<String> {
    Set([name, name + "-wal", name + "-shm", "lock"] + (format.hasAssets ? ["assets"] : []))
  }

  /// Looks at the database and the files next to it. Throws `StoreError` for an interrupt.
  public func examineSealed(
    isDeep: Bool, waitMilliseconds: Int64
  ) throws(StoreError) -> [StoreFinding] {
    tryUpgrade(waitMilliseconds: waitMilliseconds)
    var list = FindingList()
    do throws(StoreError) {
      let noted = notedSequence
      let database = try OpenDatabase(self, waitMilliseconds: waitMilliseconds, isPatient: true)
      var examination = DatabaseExamination(self, database.connection)
      try database.connection.perform("BEGIN")
      examination.checkPages(isDeep: isDeep)
      examination.checkObjects { () throws(StoreError) in
        let model = try Connection.open()
        try format.create(model)
        return model
      }
      examination.checkSeals()
      examination.checkLastChange((try? lastSequence(database.connection)) ?? 0, noted: noted)
      list = examination.list
      if format.hasAssets { try checkAssets(database, isDeep: isDeep, &list) }
    } catch {
      if case .interrupted = error.kind { throw error }
      list.add(.database, name, error.message)
    }
    checkFiles(&list)
    if isUnsettled {
      list.add(.structure, "lock", "restored just before the system stopped; a repair completes it")
    }
    try StoreError.checkInterrupt()
    return list.all
  }

  /// Looks at the contents that rows name. Where not all rows can be read, nobody knows which
  /// contents have no document.
  private func checkAssets(
    _ database: OpenDatabase, isDeep: Bool, _ list: inout FindingList
  ) throws(StoreError) {
    var held: [Asset]?
    do throws(StoreError) {
      held = try heldAssets(database.connection)
      try database.requireWholePages()
    } catch {
      guard error.kind == .corrupt else { throw error }
      held = nil
      if list.findings.isEmpty { list.add(.page, name, error.message) }
    }
    var check = AssetsCheck(self, heldBy: "document", list)
    try check.run(held: held, isDeep: isDeep)
    list = check.list
  }

  private func heldAssets(_ connection: Connection) throws(StoreError) -> [Asset] {
    guard let query = format.heldAssets else { return [] }
    let rows = try connection.query(query)
    var assets: [Asset] = []
    while try rows.next() {
      if let asset = Asset(sha256: rows.text(0), size: rows.int64(1)) { assets.append(asset) }
    }
    return assets
  }

  private func checkFiles(_ list: inout FindingList) {
    for path in [lockPath] + folders where !FileSystem.exists(path) {
      list.add(.structure, String(path.dropFirst(folder.count + 1)), "it is missing")
    }
    list.checkMode(folder, in: folder)
    for entry in (try? FileSystem.list(folder)) ?? [] {
      list.checkMode("\(folder)/\(entry)", in: folder)
      if entry.hasPrefix(format.name + "-") {
        list.add(.backup, entry, "a copy from before an upgrade; it can be removed")
      } else if !names.contains(entry) {
        list.add(.stranger, entry, "this file does not belong to the store")
      }
    }
  }

  /// Makes the database sound again: a damaged one is replaced by a new one with all rows that are
  /// what was written. Waits for those who write. Throws `StoreError` when the files cannot be
  /// changed.
  public func repairSealed(waitMilliseconds: Int64) throws(StoreError) -> SealedRepair {
    tryUpgrade(waitMilliseconds: waitMilliseconds)
    let lock = try WriterLock(path: lockPath)
    try lock.lock(waitMilliseconds: waitMilliseconds)
    defer { lock.unlock() }
    let swap = DatabaseSwap(file: self)
    try swap.undoInterrupted()
    var repair = SealedRepair(
      findings: try examineSealed(isDeep: true, waitMilliseconds: 0))
    for finding in repair.findings where finding.code == .mode {
      let path = finding.subject == "." ? folder : "\(folder)/\(finding.subject)"
      guard chmod(path, FileSystem.isDirectory(path) ? 0o700 : 0o600) == 0 else {
        throw StoreError(SystemError("change", path))
      }
    }
    if repair.findings.contains(where: { Self.databaseCodes.contains($0.code) }) {
      let salvage = try salvageSealed(swap, noted: lock.notedSequence)
      (repair.isWhole, repair.keptIn) = (salvage.isWhole, salvage.keptIn)
      lock.note(sequence: salvage.last)
    }
    if lock.restoredIn != nil { lock.settle() }
    try repairFiles(&repair)
    return repair
  }

  /// Makes folders that are missing, and looks at the contents again, by what the database holds
  /// now. Those without a document are removed; where rows were lost they are moved to the folder
  /// with the old database, as they may belong to these.
  private func repairFiles(_ repair: inout SealedRepair) throws(StoreError) {
    try onDisk { () throws(SystemError) in
      for path in folders { try FileSystem.makeDirectory(path) }
    }
    guard format.hasAssets else { return }
    // Patient: this process holds the lock that an upgrade would wait for.
    let database = try OpenDatabase(self, waitMilliseconds: 0, isPatient: true)
    var list = FindingList(most: .max)
    try checkAssets(database, isDeep: true, &list)
    let faults = list.findings.filter { $0.code.severity == .damage }
    repair.findings += faults.filter { !repair.findings.contains($0) }
    if !faults.isEmpty { repair.isWhole = false }
    try removeUnused(list.findings, keptIn: repair.isWhole ? nil : repair.keptIn)
  }

  /// Removes what interrupted commands left, and contents that no row has; these go to a folder
  /// where rows were lost.
  public func removeUnused(
    _ findings: [StoreFinding], keptIn kept: String?
  ) throws(StoreError) {
    func paths(_ code: StoreFinding.Code) -> [String] {
      findings.filter { $0.code == code }.map { "\(folder)/\($0.subject)" }
    }
    if let kept { try DatabaseSwap.keep(contents: paths(.orphan), in: kept) }
    try onDisk { () throws(SystemError) in
      for path in paths(.leftover) + (kept == nil ? paths(.orphan) : []) {
        try FileSystem.remove(path)
      }
    }
  }

  private static let databaseCodes: Set<StoreFinding.Code> = [
    .database, .page, .table, .row, .lostChanges, .index, .object,
  ]

  private func salvageSealed(
    _ swap: DatabaseSwap, noted: Int64
  ) throws(StoreError) -> (isWhole: Bool, keptIn: String, last: Int64) {
    try onDisk { () throws(SystemError) in try FileSystem.remove(swap.draftFolder) }
    defer { try? FileSystem.remove(swap.draftFolder) }
    let draft = DatabaseFile(folder: swap.draftFolder, format: format)
    try draft.create()
    let new = try OpenDatabase(draft, waitMilliseconds: 0)
    var isWhole = false
    if let old = try openDamaged(swap) {
      let pages = try? DatabasePages(old.file)
      let walk = RowWalk(
        connection: old.connection, tables: pages.flatMap { try? PageTables($0, []) })
      isWhole = true
      try new.connection.perform("BEGIN IMMEDIATE")
      let salvage = TableSalvage(from: walk, to: new.connection) { _, _ in isWhole = false }
      try salvage.copy(format.tables)
      try format.fillAgain(new.connection)
    }
    let known = try new.connection.number(format.lastSequence) ?? 0
    // Changes that are lost with a log may have brought rows.
    if known < noted { isWhole = false }
    let last = max(known, noted)
    try format.advance(new.connection, last)
    if new.connection.isInTransaction { try new.connection.perform("COMMIT") }
    try new.connection.emptyLog()
    return (isWhole, try swap.replace(with: draft), last)
  }

  /// Opens the damaged database, or a copy of it with a mended head; nil when neither can be read.
  private func openDamaged(_ swap: DatabaseSwap) throws(StoreError) -> OpenDatabase? {
    do throws(StoreError) {
      return try OpenDatabase(self, waitMilliseconds: 0, isPatient: true)
    } catch {
      guard error.kind == .corrupt || error.kind == .missing || error.kind == .olderVersion else {
        throw error
      }
    }
    guard let copy = try swap.copyWithMendedHead() else { return nil }
    do throws(StoreError) {
      return try OpenDatabase(copy, waitMilliseconds: 0, isPatient: true)
    } catch {
      guard error.kind == .corrupt else { throw error }
      return nil
    }
  }
}

/// What a repair of a sealed database did.
public struct SealedRepair: Sendable {
  /// What was found before.
  public var findings: [StoreFinding]
  /// The folder with the damaged files; nil where none had to be replaced.
  public var keptIn: String?
  /// Whether everything is as it was.
  public var isWhole = true
}
