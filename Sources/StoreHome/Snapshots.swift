public import Basics
public import CloudModel
public import StoreFiles

extension StoreDirectory {
  var snapshotsPath: String { path + "/snapshots" }
  /// The folders in which a snapshot is made, and to which a replaced or deleted one is moved.
  private var draftPath: String { snapshotsPath + "/.draft" }

  /// The copy of the store in a snapshot: a store itself.
  public func snapshot(_ name: SnapshotName) -> StoreDirectory {
    with(path: "\(snapshotsPath)/\(name.text)")
  }

  /// The names of the snapshots, in byte order.
  public func snapshotNames() throws(StoreError) -> [SnapshotName] {
    let found = try onDisk { () throws(SystemError) in
      try FileSystem.statusIfAny(of: snapshotsPath)
    }
    guard found != nil else { return [] }
    try requireFolder(snapshotsPath)
    let names = try onDisk { () throws(SystemError) in try FileSystem.list(snapshotsPath) }
    return names.filter { !$0.hasPrefix(".") }.map { SnapshotName(stored: $0) }
  }

  /// The snapshots, in the byte order of their names.
  public func snapshots() throws(StoreError) -> [SnapshotFacts] {
    try snapshotNames().map { (name) throws(StoreError) in
      let copy = snapshot(name)
      let seconds = FileSystem.modificationSeconds(of: copy.path) ?? 0
      return SnapshotFacts(
        name: name, made: Timestamp(milliseconds: seconds * 1000), bytes: try copy.databaseBytes())
    }
  }

  private func databaseBytes() throws(StoreError) -> Int64 {
    var bytes: Int64 = 0
    let names = try onDisk { () throws(SystemError) in try FileSystem.list(containersPath) }
    for container in names {
      for environment in Environment.allCases {
        let file = environmentFile("\(containersPath)/\(container)/\(environment.rawValue)")
        bytes += file.copiedBytes
      }
      for file in try otherFiles(container) { bytes += file.copiedBytes }
    }
    return bytes
  }

  /// Copies the store, as of one moment, under a name. Throws `StoreError`, `cannotCreate` for a
  /// name that exists, unless it may be replaced.
  public func saveSnapshot(
    _ name: SnapshotName, replaces: Bool, patience: Patience, _ meter: WorkMeter? = nil
  ) throws(StoreError) {
    try changingSnapshots(patience) { () throws(StoreError) in
      let target = snapshot(name).path
      let isTaken = FileSystem.status(of: target) != nil
      guard replaces || !isTaken else {
        throw StoreError(.cannotCreate, "the snapshot '\(name.text)' already exists")
      }
      let draft = with(path: draftPath)
      try makeCopy(
        at: draft, patience: patience, isLasting: true, as: .snapshot, meter)
      try onDisk { () throws(SystemError) in
        if isTaken {
          try FileSystem.exchange(draft.path, target)
        } else if Platform.renameExclusively(draft.path, target) != 0 {
          throw SystemError("save snapshot", target)
        }
        try FileSystem.settle(snapshotsPath)
      }
    }
  }

  /// Deletes a snapshot.
  public func deleteSnapshot(
    _ name: SnapshotName, patience: Patience
  ) throws(StoreError) {
    try changingSnapshots(patience) { () throws(StoreError) in
      // The name is free at once, even if the files cannot be removed.
      try onDisk { () throws(SystemError) in
        try FileSystem.rename(snapshot(name).path, to: draftPath)
      }
    }
  }

  /// Restores the store from a snapshot; its present state becomes the snapshot `previous`. Waits
  /// for writers. All containers are exchanged at once.
  ///
  /// The first change after it synchronizes the files (`settle`): before that, a power loss damages
  /// only what can be restored again.
  public func restore(
    _ name: SnapshotName, patience: Patience, _ meter: WorkMeter? = nil
  ) throws(StoreError) {
    try changingSnapshots(patience) { () throws(StoreError) in
      let locks = try locks(patience, isShared: false)
      defer { locks.forEach { $0.unlock() } }
      let run = Platform.systemRun
      let draft = replacement
      do throws(StoreError) {
        try copy(snapshot(name), to: draft, usedIn: run, isUndone: name == .previous, meter)
        try goOn(in: draft)
        if run == nil { try draft.synchronize() }
        try replaceAll()
      } catch {
        try? dropReplacement()
        throw error
      }
      if run == nil {
        try onDisk { () throws(SystemError) in try FileSystem.settle(path) }
      }
    }
  }

  /// Copies a snapshot, and verifies the copy. The records of the former state come back as they
  /// were, even damaged: they were never verified.
  private func copy(
    _ snapshot: StoreDirectory, to draft: StoreDirectory, usedIn run: String?, isUndone: Bool,
    _ meter: WorkMeter?
  ) throws(StoreError) {
    try snapshot.verifyContents(meter)
    try snapshot.copyAll(to: draft, usedIn: run, meter)
    if isUndone { return try snapshot.compare(with: draft) }
    try snapshot.verify(copy: draft, mayHaveChanged: true, meter)
  }

  /// Changes the snapshots, one process at a time. Removes leftovers of earlier processes before,
  /// and files that no snapshot needs any more after.
  func changingSnapshots(
    _ patience: Patience, _ work: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try onDisk { () throws(SystemError) in _ = try FileSystem.makeDirectory(snapshotsPath) }
    try requireFolder(snapshotsPath)
    let lock = try WriterLock(path: snapshotsPath + "/.lock")
    try lock.lock(patience)
    defer { lock.unlock() }
    try finishReplacing()
    try onDisk { () throws(SystemError) in try FileSystem.remove(draftPath) }
    defer { try? FileSystem.remove(draftPath) }
    try work()
  }

  /// Makes a draft of a restored store continue after all numbers that were ever given here, with
  /// incarnations of its own: tokens and tags given after the snapshot become invalid.
  private func goOn(in draft: StoreDirectory) throws(StoreError) {
    let now = try settings()
    var then = try draft.settings()
    let known = then.endedAt
    for (id, ends) in now.endedAt.entries {
      for (environment, sequence) in ends.entries {
        then.noteEnd(of: id, environment, at: sequence)
      }
    }
    let staying = try draft.containers()
    then = noting(try containers().filter { !staying.contains($0) }, in: then)
    if then.endedAt != known { try draft.save(then) }
    for file in try draft.databaseFiles() {
      let place = String(file.folder.dropFirst(draft.containersPath.utf8.count + 1))
      let here = DatabaseFile(folder: "\(containersPath)/\(place)", format: file.format)
      let (id, name) = (FileSystem.parent(of: place), FileSystem.name(of: place))
      let ended = Environment(rawValue: name).flatMap { now.endedAt[id]?[$0] } ?? 0
      let kind = kind(of: file)
      var last = kind.lastNumbers(here)
      last.change = max(last.change, ended)
      try kind.resume(file, last)
    }
  }

  /// The kind of a database of this store.
  func kind(of file: DatabaseFile) -> DatabaseKind {
    others.first { $0.format.name == file.format.name } ?? environments
  }
}
