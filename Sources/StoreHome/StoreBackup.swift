public import Basics
internal import CloudModel
public import StoreFiles

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension StoreDirectory {
  /// Copies the whole store, as of one moment, to an unused path: completely or not at all. The
  /// copy survives a power loss.
  ///
  /// Writers wait meanwhile, readers do not. The copy shares blocks with the store if the file
  /// system can do that, and the contents of assets, which never change, get a second name. A copy
  /// that need not last is made faster. Earlier change tokens stay valid in both; later ones belong
  /// to one of them.
  ///
  /// The copy is verified: a damaged store is not copied. A template, which is copied repeatedly,
  /// notes the checksums of its files, which never change.
  public func copy(
    to path: String, patience: Patience, isLasting: Bool = true, replaces: Bool = false,
    isTemplate: Bool = false, ofTemplate: Bool = false, _ meter: WorkMeter? = nil
  ) throws(StoreError) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    let isTaken = FileSystem.status(of: path) != nil
    guard !isTaken || FileSystem.identity(of: path) != FileSystem.identity(of: self.path) else {
      throw StoreError(.cannotCreate, "\(path) is the store itself")
    }
    guard !isTaken || replaces && with(path: path).exists else {
      throw StoreError(
        .cannotCreate, "\(path) already exists\(replaces ? " and is not a store" : "")")
    }
    let draft = with(path: "\(path).new.\(Platform.processNumber)")
    try makeCopy(
      at: draft, patience: patience, isLasting: isLasting,
      as: isTemplate ? .template : .store(ofTemplate: ofTemplate), meter)
    do throws(StoreError) {
      if isTaken {
        try onDisk { () throws(SystemError) in
          try FileSystem.exchange(draft.path, path)
        }
      } else if Platform.renameExclusively(draft.path, path) != 0 {
        throw StoreError(.cannotCreate, SystemError("create", path).description)
      }
      if isLasting {
        try onDisk { () throws(SystemError) in
          try FileSystem.settle(FileSystem.parent(of: path))
        }
      }
      // The store that the copy replaced.
      if isTaken { try? FileSystem.remove(draft.path) }
    } catch {
      try? FileSystem.remove(draft.path)
      throw error
    }
  }

  /// The purpose of a copy.
  enum CopyKind: Equatable {
    /// It is used itself.
    case store(ofTemplate: Bool)
    /// It is copied repeatedly.
    case template
    /// It is restored; a restore gives it a new incarnation.
    case snapshot
  }

  /// Copies the whole store, as of one moment, to an unused path. A copy that fails leaves nothing.
  func makeCopy(
    at draft: StoreDirectory, patience: Patience, isLasting: Bool, as kind: CopyKind,
    _ meter: WorkMeter?
  ) throws(StoreError) {
    let locks = try locks(patience, isShared: true)
    defer { locks.forEach { $0.unlock() } }
    do throws(StoreError) {
      // Who copies a store wants to keep it, except a cache.
      if isLasting, kind != .template { try settle() }
      try copyAll(to: draft, meter)
      if case .store(let ofTemplate) = kind {
        try verify(copy: draft, mayHaveChanged: !ofTemplate, meter)
      }
      for file in try draft.databaseFiles() {
        if kind != .snapshot, isEnvironment(file) {
          try environments.resume(file, LastNumbers())
        } else {
          try file.dissolveLog()
        }
      }
      if kind == .template || kind == .snapshot { try draft.noteFiles() }
      if isLasting { try draft.synchronize() }
    } catch {
      try? FileSystem.remove(draft.path)
      throw error
    }
  }

  /// Locks everything, so that it does not change: containers, and environments with production
  /// first, in the order of all code that needs both.
  func locks(
    _ patience: Patience, isShared: Bool
  ) throws(StoreError) -> [WriterLock] {
    var locks: [WriterLock] = []
    do throws(StoreError) {
      func add(_ path: String) throws(StoreError) {
        let lock = try isShared ? WriterLock(sharing: path) : WriterLock(path: path)
        try lock.lock(patience, isShared: isShared)
        locks.append(lock)
      }
      try add(containersPath + "/.lock")
      for file in try databaseFiles() { try add(file.lockPath) }
      return locks
    } catch {
      locks.forEach { $0.unlock() }
      throw error
    }
  }

  /// Whether a database is that of an environment.
  func isEnvironment(_ file: DatabaseFile) -> Bool {
    file.format.name == environments.format.name
  }

  func environmentFiles() throws(StoreError) -> [DatabaseFile] {
    try databaseFiles().filter(isEnvironment)
  }

  /// All databases: the environments of each container, and its other ones.
  func databaseFiles() throws(StoreError) -> [DatabaseFile] {
    var files: [DatabaseFile] = []
    for name in try containers() {
      files += [Environment.production, .development].map {
        environmentFile("\(containersPath)/\(name)/\($0.rawValue)")
      }
      files += try otherFiles(name)
    }
    return files
  }

  /// The databases that a container has next to its environments.
  func otherFiles(_ container: String) throws(StoreError) -> [DatabaseFile] {
    var files: [DatabaseFile] = []
    for format in others.map(\.format) {
      let folder = "\(containersPath)/\(container)/\(format.name)"
      if try onDisk({ () throws(SystemError) in try FileSystem.hasFolder(at: folder) }) {
        files.append(DatabaseFile(folder: folder, format: format))
      }
    }
    return files
  }

  /// Copies everything, while no process writes; synchronizes nothing. A copy that is used before
  /// it is on the disk is marked with the run of the system.
  func copyAll(
    to copy: StoreDirectory, usedIn run: String? = nil, _ meter: WorkMeter? = nil
  ) throws(StoreError) {
    let made: Bool
    do throws(SystemError) { made = try FileSystem.makeDirectory(copy.path) } catch {
      throw StoreError(error.isDiskFull ? .full : .cannotCreate, error.description)
    }
    guard made else { throw StoreError(.cannotCreate, "\(copy.path) already exists") }
    try onDisk { () throws(SystemError) in
      try FileSystem.copy(settingsPath, to: copy.settingsPath)
      try FileSystem.makeDirectory(copy.containersPath)
      _ = try FileHandle(create: copy.containersPath + "/.lock")
      if try FileSystem.hasFile(at: peoplePath) {
        try FileSystem.copy(peoplePath, to: copy.peoplePath)
      }
    }
    let files = try databaseFiles()
    meter?.begin("copy", total: files.reduce(0) { $0 + $1.copiedBytes }, .bytes)
    for file in files {
      _ = try file.check(isLocked: true)
      try file.requireWhole()
      let target = DatabaseFile(
        folder: copy.containersPath + file.folder.dropFirst(containersPath.count),
        format: file.format)
      try onDisk { () throws(SystemError) in
        try FileSystem.makeDirectory(FileSystem.parent(of: target.folder))
        try file.copy(to: target, meter)
        try file.copyWhatIsNextToIt(to: target)
      }
      try WriterLock.note(restoredIn: run, at: target.lockPath)
    }
  }

  /// Synchronizes a copy, all of it at once: a call for each file would take longer than copying.
  func synchronize() throws(StoreError) {
    try onDisk { () throws(SystemError) in try FileSystem.synchronizeAll(path) }
  }
}

extension DatabaseFile {
  /// Copies the files next to the database, and the contents of assets, while no process writes
  /// them.
  fileprivate func copyWhatIsNextToIt(to target: DatabaseFile) throws(SystemError) {
    for name in format.copies where try FileSystem.hasFile(at: "\(folder)/\(name)") {
      try FileSystem.copy("\(folder)/\(name)", to: "\(target.folder)/\(name)")
    }
    try Self.link(assetsPath, to: target.assetsPath)
    try FileSystem.makeDirectory(target.assetsPath + "/tmp")
  }

  /// Gives the files of a folder, and of its folders, second names elsewhere, except drafts.
  private static func link(_ folder: String, to other: String) throws(SystemError) {
    try FileSystem.makeDirectory(other)
    for name in try FileSystem.list(folder) where name != "tmp" {
      let (path, target) = ("\(folder)/\(name)", "\(other)/\(name)")
      switch try FileSystem.knownStatus(of: path).st_mode & S_IFMT {
      case S_IFREG: try FileSystem.linkOrCopy(path, to: target)
      case S_IFDIR: try link(path, to: target)
      default: continue
      }
    }
  }
}
