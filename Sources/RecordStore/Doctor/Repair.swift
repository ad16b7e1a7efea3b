public import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What a repair did.
public struct Repair: Sendable {
  /// What was found before, and what the repair found out besides that.
  public var examination = Examination()
  /// Records that could not be kept as they were.
  public var lost: [LostRecord] = []
  /// The folder with the damaged files; nil where none had to be replaced.
  public var keptIn: String?
  /// Whether everything is as it was.
  public var isWhole = true
}

extension StoreDirectory {
  /// Makes an environment sound again: modes, leftovers, what is kept next to the records; of a
  /// damaged database a new one with all that can be read. Waits for those who write. Throws
  /// `StoreError` when the files cannot be changed.
  public func repair(
    _ id: ContainerID, _ environment: Environment, at time: Timestamp, waitMilliseconds: Int64,
    _ meter: WorkMeter? = nil
  ) throws(StoreError) -> Repair {
    let file = EnvironmentFile(folder: folder(id, environment))
    try onDisk { () throws(SystemError) in
      try FileSystem.makeDirectory(file.folder)
      try FileSystem.makeDirectory(file.assetsPath)
      try FileSystem.makeDirectory(file.assetsPath + "/tmp")
    }
    file.tryUpgrade(waitMilliseconds: waitMilliseconds)
    let lock = try WriterLock(path: file.lockPath)
    try lock.lock(waitMilliseconds: waitMilliseconds)
    defer { lock.unlock() }
    var repair = EnvironmentRepair(file: file, time: time, lock: lock, meter: meter)
    return try repair.run()
  }

  /// Removes what interrupted commands left, and makes settings anew that cannot be read; the old
  /// ones stay next to them.
  public func repairOwnFiles() throws(StoreError) {
    if try isPartlyReplaced() { try changingSnapshots(Self.settingsWait) {} }
    let lock = try containersLock(Self.settingsWait)
    defer { lock.unlock() }
    // Under the lock nobody makes or deletes a container.
    try onDisk { () throws(SystemError) in
      for name in try FileSystem.list(containersPath) where Self.isLeftover(name) {
        try FileSystem.remove("\(containersPath)/\(name)")
      }
    }
    do throws(StoreError) { _ = try people() } catch  where error.kind == .corrupt {
      try onDisk { () throws(SystemError) in
        try FileSystem.rename(peoplePath, to: path + "/people.json.damaged")
      }
    }
    guard let fault = settingsFault, fault.kind == .corrupt else { return }
    try onDisk { () throws(SystemError) in
      try FileSystem.rename(settingsPath, to: settingsPath + ".damaged")
    }
    try save(StoreSettings())
  }

  /// Whether a name among the containers is that of one that was being made or deleted.
  static func isLeftover(_ name: String) -> Bool {
    name.hasPrefix(".new-") || name.hasPrefix(".deleted-")
  }

  private var settingsFault: StoreError? {
    do throws(StoreError) {
      _ = try settings()
      return nil
    } catch { return error }
  }
}

/// The repair of one environment, whose writer's lock is held.
private struct EnvironmentRepair {
  let file: EnvironmentFile
  let time: Timestamp
  let lock: WriterLock
  let meter: WorkMeter?
  private var result = Repair()

  init(file: EnvironmentFile, time: Timestamp, lock: WriterLock, meter: WorkMeter?) {
    self.file = file
    self.time = time
    self.lock = lock
    self.meter = meter
  }

  mutating func run() throws(StoreError) -> Repair {
    let swap = DatabaseSwap(file: file)
    try swap.undoInterrupted()
    result.examination = try file.examine(isDeep: true, waitMilliseconds: 0, meter)
    try repairModes()
    let codes = Set(result.examination.findings.map(\.code))
    if !codes.isDisjoint(with: Self.databaseCodes) { try salvage(swap) }
    // What a restore left before the system stopped is whole, or was replaced by what is.
    if lock.restoredIn != nil { lock.settle() }
    try repairFiles()
    return result
  }

  /// Looks at the files again, by what the database holds now, and mends what is about them.
  private mutating func repairFiles() throws(StoreError) {
    let store = try EnvironmentStore(folder: file.folder, waitMilliseconds: 0)
    try store.beginRead()
    let held: [Asset]
    do {
      defer { store.endRead() }
      held = try store.heldAssets()
      try store.requireWholePages()
    }
    let findings = try findings(held: held, isDeep: true)
    // While the lock is still held: a writer may have use for what nobody has.
    try file.removeUnused(findings, keptIn: result.isWhole ? nil : result.keptIn)
    let missing = findings.filter { $0.code == .asset }
    if !missing.isEmpty { try forgetAssets(Set(missing.map(\.subject)), in: store) }
    file.writeCatalogCopy(of: store.connection)
  }

  /// All that there is to say of the files, as many as they are.
  private func findings(held: [Asset], isDeep: Bool) throws(StoreError) -> [StoreFinding] {
    var check = FilesCheck(file, most: .max)
    try check.run(held: held, isDeep: isDeep)
    return check.list.findings
  }

  /// What only a new database mends.
  private static let databaseCodes: Set<StoreFinding.Code> = [
    .database, .page, .table, .row, .record, .lostRecord, .zone, .sequence, .lostChanges, .name,
    .links, .uses, .bytes, .tombstone, .index, .object,
  ]

  private func repairModes() throws(StoreError) {
    for finding in try findings(held: [], isDeep: false) where finding.code == .mode {
      let path = finding.subject == "." ? file.folder : "\(file.folder)/\(finding.subject)"
      let mode: mode_t = FileSystem.isDirectory(path) ? 0o700 : 0o600
      guard chmod(path, mode) == 0 else { throw StoreError(SystemError("change", path)) }
    }
  }

  // MARK: The database

  private mutating func salvage(_ swap: DatabaseSwap) throws(StoreError) {
    let draft = try swap.makeDraft()
    defer { try? FileSystem.remove(swap.draftFolder) }
    let new = try EnvironmentStore(folder: draft.folder, waitMilliseconds: 0, isPatient: true)
    if let old = try swap.openOld() {
      let salvage = Salvage(from: old, to: new, try? CatalogCopy(of: file))
      try salvage.run()
      result.lost = salvage.lost
      result.examination.findings += salvage.list.all
      result.isWhole = salvage.isWhole
    } else {
      result.isWhole = false
    }
    _ = try new.checkpoint()
    let last = try new.lastStoredSequence()
    result.keptIn = try swap.replace(with: draft)
    try? FileSystem.rename(draft.catalogCopyPath, to: file.catalogCopyPath)
    lock.note(sequence: last)
  }

  // MARK: Assets

  /// Takes assets out of records whose contents are not there.
  private mutating func forgetAssets(
    _ hashes: Set<String>, in store: EnvironmentStore
  ) throws(StoreError) {
    try keepDamagedContents(hashes)
    // The transaction takes the lock for itself.
    lock.unlock()
    defer { try? lock.lock(waitMilliseconds: store.waitMilliseconds) }
    try store.beginWrite()
    do throws(StoreError) {
      result.lost += try store.removeAssets(hashes, at: time)
      try store.commit()
    } catch {
      store.rollback()
      throw error
    }
    result.isWhole = false
  }

  /// Puts contents that are not what their hash says aside.
  private mutating func keepDamagedContents(_ hashes: Set<String>) throws(StoreError) {
    let folder =
      if let kept = result.keptIn { kept } else {
        try DatabaseSwap(file: file).makeKeepingFolder()
      }
    result.keptIn = folder
    let files = AssetFiles(folder: file.assetsPath)
    let assets = hashes.sorted(by: utf8Precedes).compactMap { Asset(sha256: $0, size: 0) }
    try DatabaseSwap.keep(contents: assets.map(files.path), in: folder)
  }
}
