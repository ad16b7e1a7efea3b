internal import Basics
public import CloudModel
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The result of a repair of a database.
public struct Repair: Sendable {
  /// What the examination before the repair and the repair itself found.
  public internal(set) var examination = Examination()
  /// Records that could not be kept as they were.
  public internal(set) var lost: [LostRecord] = []
  /// The folder with the damaged files; nil if none had to be replaced.
  public internal(set) var keptIn: String?
  /// Whether nothing is lost.
  public internal(set) var isWhole = true
}

extension Repair {
  /// The repair, the subjects of its findings in a folder of a container.
  package func within(_ folder: String) -> Repair {
    var repair = self
    repair.examination.findings = examination.findings.map { $0.within(folder) }
    return repair
  }
}

extension StoreFinding {
  /// The finding, its subject in a folder of a container.
  package func within(_ folder: String) -> StoreFinding {
    StoreFinding(code, "\(folder)/\(subject)", detail, remedy: remedy)
  }
}

extension Doctor {
  /// Repairs a database: corrects modes, leftovers and copies, and replaces a damaged database by a
  /// new one with all rows that can be read. Waits for other writers. Throws `StoreError` if the
  /// files cannot be changed.
  package func repair(at time: Timestamp) throws(StoreError) -> Repair {
    try makeFolders()
    file.tryUpgrade(patience: patience)
    let lock = try WriterLock(path: file.lockPath)
    try lock.lock(patience)
    defer { lock.unlock() }
    let doctor = Doctor(Database.self, file, patience: patience.withoutWaiting, meter)
    var repair = DatabaseRepair(doctor: doctor, time: time, lock: lock)
    return try repair.run()
  }

  private func makeFolders() throws(StoreError) {
    try onDisk { () throws(SystemError) in
      for path in [file.folder] + file.folders { try FileSystem.makeDirectory(path) }
    }
  }
}

/// The repair of one database, whose writer's lock is held.
private struct DatabaseRepair<Database: ExaminedDatabase> {
  let doctor: Doctor<Database>
  let time: Timestamp
  let lock: WriterLock
  private let swap: DatabaseSwap
  private var result = Repair()
  private var file: DatabaseFile { doctor.file }

  init(doctor: Doctor<Database>, time: Timestamp, lock: WriterLock) {
    (self.doctor, self.time, self.lock) = (doctor, time, lock)
    swap = DatabaseSwap(file: doctor.file)
  }

  mutating func run() throws(StoreError) -> Repair {
    try swap.undoInterrupted()
    result.examination = try doctor.examine(isDeep: true, readsAssets: true)
    try repairModes()
    let codes = Set(result.examination.findings.map(\.code))
    if !codes.isDisjoint(with: StoreFinding.Code.mendedByNewDatabase) { try replaceDatabase() }
    // What a restore left before the system stopped is complete now, or was just replaced.
    if lock.restoredIn != nil { lock.settle() }
    try repairFiles()
    return result
  }

  // MARK: Files

  private func repairModes() throws(StoreError) {
    for finding in try findings(held: [], readsAssets: false) where finding.code == .mode {
      let path = finding.subject == "." ? file.folder : "\(file.folder)/\(finding.subject)"
      do { try FileSystem.restrict(path) } catch { throw StoreError(error) }
    }
  }

  /// Examines the files again, by the current rows of the database, and corrects them.
  private mutating func repairFiles() throws(StoreError) {
    // Without the patience of others: this process holds the lock that an upgrade would wait for.
    let store = try Database.opened(allowingDamage: file, patience: doctor.patience)
    let held = try store.heldAssets()
    try store.database.requireWholePages()
    let findings = try findings(held: held, readsAssets: true)
    // Hold the lock: a writer may begin to use contents that no row names.
    try removeUnused(findings)
    let missing = findings.filter { $0.code == .asset }
    if !missing.isEmpty { try forget(missing, in: store) }
    file.writeCatalogCopy(of: store.database.connection)
  }

  /// All findings about the files, without a limit.
  private func findings(held: [Asset], readsAssets: Bool) throws(StoreError) -> [StoreFinding] {
    var list = FindingList(most: .max)
    try FilesCheck<Database>(file).run(held: held, readsAssets: readsAssets, &list)
    return list.findings
  }

  /// Removes what interrupted commands left, and contents that no row names. Keeps these if rows
  /// were lost, because they may belong to them.
  private func removeUnused(_ findings: [StoreFinding]) throws(StoreError) {
    func paths(_ code: StoreFinding.Code) -> [String] {
      findings.filter { $0.code == code }.map { "\(file.folder)/\($0.subject)" }
    }
    let kept = result.isWhole ? nil : result.keptIn
    if let kept { try DatabaseSwap.keep(contents: paths(.orphan), in: kept) }
    try onDisk { () throws(SystemError) in
      for path in paths(.leftover) + (kept == nil ? paths(.orphan) : []) {
        try FileSystem.remove(path)
      }
    }
  }

  /// Removes assets without contents from the rows that have them.
  private mutating func forget(
    _ missing: [StoreFinding], in store: Database
  ) throws(StoreError) {
    if !result.examination.findings.contains(where: { $0.code == .asset }) {
      result.examination.findings += missing
    }
    result.isWhole = false
    let hashes = Set(missing.map(\.subject))
    try keepDamagedContents(hashes)
    // The transaction takes the lock itself.
    lock.unlock()
    defer { try? lock.lock(doctor.patience) }
    result.lost += try store.forgetAssets(hashes, at: time)
  }

  /// Moves contents that do not match their hash to the folder with the damaged files.
  private mutating func keepDamagedContents(_ hashes: Set<String>) throws(StoreError) {
    let folder = if let kept = result.keptIn { kept } else { try swap.makeKeepingFolder() }
    result.keptIn = folder
    let files = AssetFiles(folder: file.assetsPath)
    let assets = hashes.sorted(by: utf8Precedes).compactMap { Asset(sha256: $0, size: 0) }
    try DatabaseSwap.keep(contents: assets.map(files.path), in: folder)
  }

  // MARK: The database

  /// Replaces the database by a new one with all rows of it that can be read.
  private mutating func replaceDatabase() throws(StoreError) {
    let draft = try swap.makeDraft()
    defer { try? FileSystem.remove(swap.draftFolder) }
    let new = try Database.opened(allowingDamage: draft, patience: doctor.patience)
    if let old = try openDamaged() {
      let salvage = try old.salvage(into: new, from: file)
      result.lost = salvage.lost
      result.examination.findings += salvage.findings
      result.isWhole = salvage.isWhole
    } else {
      result.isWhole = false
    }
    let last = try skipLostChanges(new.database.connection)
    _ = try new.database.checkpoint()
    result.keptIn = try swap.replace(with: draft)
    lock.note(sequence: last)
  }

  /// Does not give numbers of lost changes again. Returns the number of the last change.
  private mutating func skipLostChanges(_ new: Connection) throws(StoreError) -> Int64 {
    let known = try new.number(file.format.lastSequence) ?? 0
    guard known < lock.notedSequence else { return known }
    // The lost log may have had rows.
    result.isWhole = false
    try file.format.advance(new, lock.notedSequence)
    return lock.notedSequence
  }

  /// Opens the damaged database; nil if nothing of it can be read. If its first bytes differ from
  /// those of every file of its format, opens a copy with these. Throws `StoreError` for an
  /// undamaged database of another version, and for one that cannot be read now.
  private func openDamaged() throws(StoreError) -> Database? {
    do throws(StoreError) {
      return try Database.opened(allowingDamage: file, patience: doctor.patience)
    } catch {
      switch error.kind {
      case .corrupt, .damagedRecord, .damagedZone, .missing: return try openMendedCopy()
      case .olderVersion:
        // Perhaps only the version is damaged: older databases have no seals.
        guard let copy = try openMendedCopy(), copy.database.hasSeals else { throw error }
        return copy
      case .busy, .full, .readOnly, .exposed, .newerVersion, .deleted, .cannotCreate,
        .inputOutput, .unavailable, .interrupted, .tooBig, .tooMany:
        throw error
      }
    }
  }

  private func openMendedCopy() throws(StoreError) -> Database? {
    guard let copy = try swap.copyWithMendedHead() else { return nil }
    do throws(StoreError) {
      return try Database.opened(allowingDamage: copy, patience: doctor.patience)
    } catch {
      guard case .corrupt = error.kind else { throw error }
      return nil
    }
  }
}

extension OpenDatabase {
  /// Whether rows have seals, as they do since format 5 of environments.
  fileprivate var hasSeals: Bool { (try? connection.number("SELECT seal FROM _state")) != nil }
}

extension StoreFinding.Code {
  /// What only a new database repairs.
  fileprivate static let mendedByNewDatabase: Set<StoreFinding.Code> = [
    .database, .page, .table, .row, .record, .lostRecord, .zone, .sequence, .lostChanges, .name,
    .links, .uses, .bytes, .tombstone, .index, .object,
  ]
}
