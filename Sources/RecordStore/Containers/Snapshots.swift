internal import Basics
public import CloudModel

extension StoreDirectory {
  private var snapshotsPath: String { path + "/snapshots" }

  /// The copy of the store that a snapshot is: a store itself.
  public func snapshot(_ name: SnapshotName) -> StoreDirectory {
    StoreDirectory(path: "\(snapshotsPath)/\(name.text)")
  }

  /// The snapshots, in the byte order of their names. Throws `StoreError`.
  public func snapshots() throws(StoreError) -> [SnapshotFacts] {
    guard FileSystem.isDirectory(snapshotsPath) else { return [] }
    return try onDisk { () throws(SystemError) in
      try FileSystem.list(snapshotsPath).filter { !$0.hasPrefix(".") }.map {
        (name) throws(SystemError) in
        let name = SnapshotName(stored: name)
        let copy = snapshot(name)
        let seconds = FileSystem.modificationSeconds(of: copy.path) ?? 0
        return SnapshotFacts(
          name: name, made: Timestamp(milliseconds: seconds * 1000),
          bytes: try copy.databaseBytes())
      }
    }
  }

  private func databaseBytes() throws(SystemError) -> Int64 {
    var bytes: Int64 = 0
    for container in try FileSystem.list(containersPath) {
      for environment in Environment.allCases {
        let file = EnvironmentFile(folder: "\(containersPath)/\(container)/\(environment.rawValue)")
        bytes += FileSystem.size(of: file.databasePath) ?? 0
        bytes += FileSystem.size(of: file.logPath) ?? 0
      }
    }
    return bytes
  }

  /// Copies the store, as it is at one moment, under a name. Throws `StoreError`, `cannotCreate`
  /// for a name that is taken unless it is to be replaced.
  public func saveSnapshot(
    _ name: SnapshotName, replaces: Bool, waitMilliseconds: Int64
  ) throws(StoreError) {
    let target = snapshot(name).path
    let isTaken = FileSystem.status(of: target) != nil
    guard replaces || !isTaken else {
      throw StoreError(.cannotCreate, "the snapshot '\(name.text)' is there already")
    }
    let draft = "\(snapshotsPath)/.new-\(Platform.processNumber)"
    try onDisk { () throws(SystemError) in
      try FileSystem.makeDirectory(snapshotsPath)
      try removeLeftovers()
    }
    try copy(to: draft, waitMilliseconds: waitMilliseconds, asSnapshot: true)
    try onDisk { () throws(SystemError) in
      defer { try? FileSystem.remove(draft) }
      if isTaken {
        try FileSystem.exchange(draft, target)
      } else if Platform.renameExclusively(draft, target) != 0 {
        throw SystemError("save snapshot", target)
      }
      try FileSystem.synchronizeDirectory(snapshotsPath)
    }
  }

  /// Removes what processes left behind that are no more.
  private func removeLeftovers() throws(SystemError) {
    for name in try FileSystem.list(snapshotsPath) where name.hasPrefix(".") {
      let digits = name.split { $0 == "-" || $0 == "." }.last ?? ""
      if let process = Int32(digits), process != Platform.processNumber,
        Platform.isRunning(process)
      {
        continue
      }
      try FileSystem.remove("\(snapshotsPath)/\(name)")
    }
  }

  /// Deletes a snapshot. Throws `StoreError`.
  public func deleteSnapshot(_ name: SnapshotName) throws(StoreError) {
    let grave = "\(snapshotsPath)/.old-\(Platform.processNumber)"
    try onDisk { () throws(SystemError) in
      // The name goes at once, whatever happens to the files.
      try FileSystem.rename(snapshot(name).path, to: grave)
      try FileSystem.remove(grave)
    }
  }

  /// Makes the store what it was when a snapshot was saved; what it is now becomes the snapshot
  /// `previous`. Waits for writers. All containers change places at once.
  ///
  /// The first change behind it brings the files to the disk (`settle`): before that, a power loss
  /// takes no more than what can be restored again. Throws `StoreError`.
  public func restore(_ name: SnapshotName, waitMilliseconds: Int64) throws(StoreError) {
    let locks = try locks(waitMilliseconds, isShared: false)
    defer { locks.forEach { $0.unlock() } }
    let draft = StoreDirectory(path: "\(snapshotsPath)/.restore-\(Platform.processNumber)")
    try onDisk { () throws(SystemError) in try removeLeftovers() }
    do throws(StoreError) {
      let run = Platform.systemRun
      try snapshot(name).copyAll(to: draft, usedIn: run)
      try goOn(in: draft)
      if run == nil { try draft.synchronize() }
      try onDisk { () throws(SystemError) in
        try FileSystem.remove(snapshot(.previous).path)
        try FileSystem.exchange(draft.containersPath, containersPath)
        if try FileSystem.contents(of: settingsPath) != FileSystem.contents(of: draft.settingsPath)
        {
          try FileSystem.synchronize(draft.settingsPath)
          try FileSystem.exchange(draft.settingsPath, settingsPath)
        }
        try FileSystem.rename(draft.path, to: snapshot(.previous).path)
        if run == nil { try FileSystem.synchronizeDirectory(path) }
      }
    } catch {
      try? FileSystem.remove(draft.path)
      throw error
    }
  }

  /// Lets a draft of a restored store count on behind all numbers that were ever given here, as
  /// incarnations of its own: tokens and tags that were given behind the snapshot fit nothing.
  private func goOn(in draft: StoreDirectory) throws(StoreError) {
    let now = try settings()
    var then = try draft.settings()
    let known = then.endedAt
    for (id, ends) in now.endedAt {
      for (environment, sequence) in ends { then.noteEnd(of: id, environment, at: sequence) }
    }
    let staying = try draft.containers()
    then = noting(try containers().filter { !staying.contains($0) }, in: then)
    if then.endedAt != known { try draft.save(then) }
    for file in try draft.environmentFiles() {
      let place = String(file.folder.dropFirst(draft.containersPath.utf8.count + 1))
      let here = EnvironmentFile(folder: "\(containersPath)/\(place)")
      let (id, environment) = (FileSystem.parent(of: place), FileSystem.name(of: place))
      let ended = Environment(rawValue: environment).flatMap { now.endedAt[id]?[$0] } ?? 0
      try file.beginIncarnation(behind: max(here.lastKnownSequence, ended))
    }
  }
}

extension EnvironmentFile {
  /// The databases of this environment that restores have put aside.
  var setAside: [FileSystem.Identity] {
    let containers = FileSystem.parent(of: FileSystem.parent(of: folder))
    let snapshots = FileSystem.parent(of: containers) + "/snapshots"
    return ((try? FileSystem.list(snapshots)) ?? []).compactMap { name in
      let copy = "\(snapshots)/\(name)/containers" + folder.dropFirst(containers.utf8.count)
      return FileSystem.identity(of: EnvironmentFile(folder: copy).databasePath)
    }
  }

  /// Looks whether the system stopped before restored files were on the disk. Throws `StoreError`.
  func requireWhole() throws(StoreError) {
    guard let run = WriterLock.noted(at: lockPath).restoredIn, run != Platform.systemRun else {
      return
    }
    throw StoreError(
      .corrupt,
      "\(folder) was restored from a snapshot just before the system stopped: restore it again")
  }

  /// Brings restored files to the disk, with the names of all above them. Throws `StoreError`.
  func settle(_ lock: WriterLock) throws(StoreError) {
    try requireWhole()
    try onDisk { () throws(SystemError) in
      let containers = FileSystem.parent(of: FileSystem.parent(of: folder))
      try FileSystem.synchronizeAll(FileSystem.parent(of: containers))
    }
    lock.settle()
  }
}
