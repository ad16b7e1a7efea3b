public import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The directory of a store: `store.json` and a folder for each container.
public struct StoreDirectory: Sendable {
  /// The directory's path.
  public let path: String
  /// The version of the directory's layout that this program writes.
  public static let formatVersion: Int64 = 1

  /// The databases of environments.
  let environments: DatabaseKind
  /// The databases that a container may have next to its environments, each in a folder of its
  /// format's name.
  let others: [DatabaseKind]

  /// What interrupts waiting for the locks of settings and snapshots, and checks of whole files.
  public let interruption: Interruption

  /// Names a directory, without touching it.
  public init(
    path: String, environments: DatabaseKind, others: [DatabaseKind],
    _ interruption: Interruption = .never
  ) {
    (self.path, self.interruption) = (path, interruption)
    (self.environments, self.others) = (environments, others)
  }

  /// The same settings for another directory.
  func with(path: String) -> StoreDirectory {
    StoreDirectory(path: path, environments: environments, others: others, interruption)
  }

  /// Lets the store be lost by a power loss, until it is copied or kept.
  public func makeVolatile() throws(StoreError) {
    try onDisk { () throws(SystemError) in try VolatileFolder.at(path).mark() }
  }

  /// Makes a store survive a power loss from now on. Waits for writers.
  public func keep(_ patience: Patience) throws(StoreError) {
    let locks = try locks(patience, isShared: true)
    defer { locks.forEach { $0.unlock() } }
    try settle()
  }

  /// Makes a store survive a power loss from now on, while no process writes.
  func settle() throws(StoreError) {
    try onDisk { () throws(SystemError) in try VolatileFolder.at(path).settle() }
  }

  var settingsPath: String { path + "/store.json" }
  var containersPath: String { path + "/containers" }

  /// Whether the directory is a store.
  public var exists: Bool { FileSystem.exists(settingsPath) }

  /// Creates the store; returns false if it exists.
  public func create() throws(StoreError) -> Bool {
    if exists { return false }
    do throws(SystemError) {
      try FileSystem.makeDirectories(path)
      try FileSystem.makeDirectory(containersPath)
    } catch {
      throw StoreError(error.isDiskFull ? .full : .cannotCreate, error.description)
    }
    // Another process may create it at the same time, and may have saved settings already.
    let lock = try containersLock(settingsPatience)
    defer { lock.unlock() }
    if exists { return false }
    try save(StoreSettings())
    return true
  }

  // MARK: Settings

  /// The settings for all commands.
  public func settings() throws(StoreError) -> StoreSettings {
    let bytes = try onDisk { () throws(SystemError) in
      try FileSystem.contents(ofOwn: settingsPath)
    }
    guard
      case .success(let settings) = parse(bytes), case .int(let version)? = settings["format"]
    else { throw StoreError(.corrupt, "\(settingsPath) is not a valid settings file") }
    guard version <= Self.formatVersion else {
      throw StoreError(
        .newerVersion,
        "\(path) has format \(version); this version reads up to \(Self.formatVersion)")
    }
    return StoreSettings(settings)
  }

  func parse(_ bytes: [UInt8]) -> Result<JSONValue, JSONError> {
    bytes.withUnsafeBytes { bytes in
      do throws(JSONError) { return .success(try JSONParser.parse(bytes)) } catch {
        return .failure(error)
      }
    }
  }

  /// Changes the settings for later commands, one process at a time.
  public func changeSettings(
    _ work: (inout StoreSettings) -> Void
  ) throws(StoreError) {
    let lock = try containersLock(settingsPatience)
    defer { lock.unlock() }
    var settings = try settings()
    work(&settings)
    try save(settings)
  }

  /// Changes of settings are short, and so is creating a container: no option is needed for the
  /// wait.
  var settingsPatience: Patience { Patience(milliseconds: 60_000, interruption: interruption) }

  /// The current version of the settings.
  public var settingsVersion: FileSystem.Version? { FileSystem.version(of: settingsPath) }

  func save(_ settings: StoreSettings) throws(StoreError) {
    try save(settings.json(format: Self.formatVersion), to: settingsPath)
  }

  /// Replaces a settings file.
  func save(_ json: JSONValue, to path: String) throws(StoreError) {
    try onDisk { () throws(SystemError) in
      try FileSystem.replace(path, with: Array((json.text + "\n").utf8))
    }
  }

  /// The contents of another settings file; nil if it does not exist.
  func settingsFile(_ path: String) throws(StoreError) -> JSONValue? {
    let bytes = try onDisk { () throws(SystemError) in
      try FileSystem.statusIfAny(of: path).map { (_) throws(SystemError) in
        try FileSystem.contents(ofOwn: path)
      }
    }
    guard let bytes else { return nil }
    guard case .success(let json) = parse(bytes) else {
      throw StoreError(.corrupt, "\(path) is damaged")
    }
    return json
  }

  // MARK: Containers

  /// The containers, in byte order.
  public func containers() throws(StoreError) -> [String] {
    try requireFolder(containersPath)
    return try onDisk { () throws(SystemError) in
      var names: [String] = []
      for name in try FileSystem.list(containersPath) where Self.isContainer(name) {
        // One that cannot be examined is an error: a copy without it would look complete.
        let status = try FileSystem.statusIfAny(of: "\(containersPath)/\(name)")
        if let status, status.st_mode & S_IFMT == S_IFDIR { names.append(name) }
      }
      return names
    }
  }

  /// Whether a container exists. Throws `StoreError` if that cannot be determined.
  public func contains(_ id: ContainerID) throws(StoreError) -> Bool {
    try onDisk { () throws(SystemError) in
      guard try FileSystem.hasFolder(at: containersPath) else { return false }
      return try FileSystem.hasFolder(at: containersPath + "/" + id.text)
    }
  }

  /// Whether a name in the folder of containers is that of a container.
  static func isContainer(_ name: String) -> Bool { name.hasPrefix("iCloud.") }

  /// No part of a store may be a link (T10).
  func requireFolder(_ path: String) throws(StoreError) {
    let isFolder = try onDisk { () throws(SystemError) in try FileSystem.hasFolder(at: path) }
    guard isFolder else {
      throw StoreError(.corrupt, "\(path) is not a folder")
    }
  }

  /// The database of an environment in a folder.
  func environmentFile(_ folder: String) -> DatabaseFile {
    DatabaseFile(folder: folder, format: environments.format)
  }

  /// The folder of an environment.
  public func folder(_ id: ContainerID, _ environment: Environment) -> String {
    "\(containersPath)/\(id.text)/\(environment.rawValue)"
  }

  /// Creates a container with both environments, completely or not at all; `fill` may add contents
  /// to the folders of its environments before other processes see it.
  ///
  /// Returns false if it exists. Waits for other processes that create or delete containers. Throws
  /// `StoreError`, and the errors of `fill`.
  public func create(
    _ id: ContainerID, patience: Patience,
    filledBy fill: ((Environment) -> String) throws -> Void = { _ in }
  ) throws -> Bool {
    let lock = try containersLock(patience)
    defer { lock.unlock() }
    if try contains(id) { return false }
    let ended = exists ? try settings().endedAt[id.text] ?? [:] : [:]
    let draft = "\(containersPath)/.new-\(id.text)"
    do {
      try onDisk { () throws(SystemError) in
        try FileSystem.remove(draft)
        try FileSystem.makeDirectory(draft)
      }
      for environment in Environment.allCases {
        try environmentFile("\(draft)/\(environment.rawValue)").create(
          after: ended[environment] ?? 0)
      }
      try fill { "\(draft)/\($0.rawValue)" }
      guard Platform.renameExclusively(draft, "\(containersPath)/\(id.text)") == 0 else {
        throw StoreError(SystemError("create", id.text))
      }
      try onDisk { () throws(SystemError) in
        try FileSystem.settle(containersPath)
      }
      return true
    } catch {
      try? FileSystem.remove(draft)
      throw error
    }
  }

  /// Settings that remember the last numbers of deleted containers.
  func noting(_ ids: [String], in settings: StoreSettings) -> StoreSettings {
    var settings = settings
    for id in ids {
      for environment in Environment.allCases {
        let file = environmentFile("\(containersPath)/\(id)/\(environment.rawValue)")
        settings.noteEnd(of: id, environment, at: file.lastKnownSequence)
      }
    }
    return settings
  }

  func containersLock(_ patience: Patience) throws(StoreError) -> WriterLock {
    let lock = try WriterLock(path: containersPath + "/.lock")
    try lock.lock(patience)
    return lock
  }

  /// Deletes a container with its contents; waits for its writers.
  public func delete(_ id: ContainerID, patience: Patience) throws(StoreError) {
    var locks = [try containersLock(patience)]
    defer { locks.forEach { $0.unlock() } }
    guard try contains(id) else {
      throw StoreError(.deleted, "Container '\(id.text)' does not exist")
    }
    for environment in Environment.allCases {
      let file = environmentFile(folder(id, environment))
      guard try onDisk({ () throws(SystemError) in try FileSystem.hasFolder(at: file.folder) })
      else { continue }
      let lock = try WriterLock(path: file.lockPath)
      try lock.lock(patience)
      locks.append(lock)
    }
    for file in try otherFiles(id.text) {
      let lock = try WriterLock(path: file.lockPath)
      try lock.lock(patience)
      locks.append(lock)
    }
    try save(noting([id.text], in: settings()))
    let grave = "\(containersPath)/.deleted-\(id.text)"
    try onDisk { () throws(SystemError) in
      try FileSystem.remove(grave)
      guard Platform.renameExclusively("\(containersPath)/\(id.text)", grave) == 0 else {
        throw SystemError("delete", id.text)
      }
      try FileSystem.remove(grave)
    }
  }
}

extension StoreDirectory {
  /// The version of the SQLite library.
  public static var sqliteVersion: String { Library.version }
}
