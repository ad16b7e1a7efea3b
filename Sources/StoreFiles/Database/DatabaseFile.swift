public import Basics
public import SQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A database file in a folder of its own, next to the lock of its writers: how it is made, and
/// what is checked before it is opened.
public struct DatabaseFile: Sendable {
  /// The folder.
  public let folder: String
  /// The kind of the database.
  public let format: DatabaseFormat

  /// Names a file, without touching it.
  public init(folder: String, format: DatabaseFormat) {
    (self.folder, self.format) = (folder, format)
  }

  /// The name of the database without its folder.
  public var name: String { format.name + ".sqlite" }
  /// The path of the database.
  public var databasePath: String { "\(folder)/\(name)" }
  /// The path of its write-ahead log.
  public var logPath: String { databasePath + "-wal" }
  /// The path of a rollback journal, which a store never has.
  public var journalPath: String { databasePath + "-journal" }
  /// The folder of contents, which rows name by hash.
  public var assetsPath: String { folder + "/assets" }
  /// The path of the lock that each writer holds.
  public var lockPath: String { folder + "/lock" }
  /// The folder of downloaded files that no row refers to yet.
  public var downloads: String { folder + "/downloads" }

  /// Makes the folder, its folders, the lock and the database with its tables. Changes have numbers
  /// after a given one.
  public func create(after sequence: Int64 = 0) throws(StoreError) {
    do throws(SystemError) {
      try FileSystem.makeDirectory(folder)
      for path in folders { try FileSystem.makeDirectory(path) }
      _ = try FileHandle(openOwn: lockPath, O_RDWR | O_CREAT, mode: 0o600)
      // SQLite would make the file readable for all users.
      _ = try FileHandle(create: databasePath)
    } catch {
      throw StoreError(error.isDiskFull ? .full : .cannotCreate, error.description)
    }
    let connection = try Connection.open(databasePath, makesChecksums: true)
    // Only the log is synchronized by our layer, which knows what need not be; until there is one,
    // SQLite writes a journal by itself.
    if VolatileFolder.containing(folder)?.isMarked == true {
      try connection.perform("PRAGMA synchronous = OFF")
    }
    try connection.perform("PRAGMA journal_mode = WAL")
    try format.create(connection, after: sequence)
    try connection.emptyLog()
    try onDisk { () throws(SystemError) in
      try FileSystem.synchronizeDirectory(assetsPath)
      try FileSystem.synchronizeDirectory(folder)
      try FileSystem.synchronizeDirectory(FileSystem.parent(of: folder))
    }
  }

  /// The folders next to the database.
  public var folders: [String] { [assetsPath, assetsPath + "/tmp"] }

  /// What the file's header says.
  public struct Head {
    /// The version of its tables.
    public let version: UInt32
    /// Whether its pages have checksums.
    public let hasChecksums: Bool
    /// Whether the file is shorter than its header says although there is a log. An interrupted
    /// checkpoint leaves it so, and so does a loss; only reading all pages tells which.
    public let isShort: Bool
  }

  /// Examines the file before SQLite does: a regular file with one name, SQLite's mark, our mark, a
  /// readable version, no foreign journal (RS2.1, RS2.4).
  /// The holder of the lock reports damage.
  public func check(isLocked: Bool = false) throws(StoreError) -> Head {
    let (first, size) = try firstBytes()
    guard let header = first, header.starts(with: "SQLite format 3\0".utf8) else {
      throw StoreError(.corrupt, "\(databasePath) is not a database")
    }
    guard number(header, at: 68) == format.applicationID else {
      throw StoreError(.corrupt, "\(databasePath) is not a database of ckdb")
    }
    let version = number(header, at: 60)
    try check(version: version)
    let journal = try onDisk { () throws(SystemError) in
      try FileSystem.statusIfAny(of: journalPath)
    }
    guard journal == nil else {
      // SQLite would play it back into the database, whatever its origin.
      throw StoreError(
        .corrupt, "\(journalPath) does not belong there: the store has no rollback journals")
    }
    let isShort = isShort(header, size)
    if isShort, !hasLog { try checkLength(isLocked: isLocked) }
    return Head(
      version: version, hasChecksums: Int(header[20]) == PageChecksums.size, isShort: isShort)
  }

  /// A folder that everyone may write to may contain anything (T10).
  public func checkFolder() throws(StoreError) {
    guard let status = FileSystem.status(of: folder), status.st_mode & S_IWOTH != 0,
      status.st_mode & S_ISVTX == 0
    else { return }
    throw StoreError(.exposed, "\(folder) is writable by everyone")
  }

  /// Reads the length of the file while no process writes: it grows during a checkpoint, which
  /// empties the log at its end. Throws `StoreError` if the file is too short.
  private func checkLength(isLocked: Bool) throws(StoreError) {
    let lock = isLocked ? nil : try? WriterLock(path: lockPath)
    if let lock, !lock.tryLock(), !lock.isHeldHere {
      try lock.lock(Patience(milliseconds: Self.checkpointMilliseconds))
    }
    defer { lock?.unlock() }
    let (header, size) = try firstBytes()
    if let header, !isShort(header, size) || hasLog { return }
    throw StoreError(.corrupt, "\(databasePath) is truncated")
  }

  /// No checkpoint takes longer.
  private static let checkpointMilliseconds: Int64 = 60_000

  /// Throws `StoreError` for an unreadable version.
  public func check(version: UInt32) throws(StoreError) {
    guard version <= format.version else {
      throw StoreError(
        .newerVersion,
        "\(databasePath) has version \(version); this version reads up to \(format.version)")
    }
    guard version >= format.oldest else {
      throw StoreError(
        .olderVersion,
        "\(databasePath) has version \(version); this version reads \(format.oldest) to "
          + "\(format.version)")
    }
  }

  /// The version of the tables in the database and its log together: the pages of an upgrade may be
  /// only in the log. Throws `StoreError` for an unreadable version.
  public func version(_ connection: Connection) throws(StoreError) -> UInt32 {
    let version = UInt32(truncatingIfNeeded: try connection.number("PRAGMA user_version") ?? 0)
    try check(version: version)
    return version
  }

  /// Opens the database. A read-only one is opened as a file that never changes, unless there is a
  /// log, which only a writer can read.
  public func open(isReadOnly: Bool) throws(StoreError) -> Connection {
    let mode: Connection.Mode = !isReadOnly ? .readWrite : hasLog ? .readOnly : .immutable
    let connection = try Connection.open(databasePath, mode)
    try connection.perform("PRAGMA cell_size_check = ON")
    try Table.addSealFunction(to: connection)
    return connection
  }

  /// Whether the folder is read-only.
  public var isReadOnly: Bool { access(databasePath, W_OK) != 0 || access(folder, W_OK) != 0 }

  /// Whether there is a write-ahead log with contents; a log that cannot be examined counts.
  public var hasLog: Bool {
    do throws(SystemError) { return try logSize() > 0 } catch { return true }
  }

  /// The bytes of the write-ahead log. Throws `SystemError` if they cannot be determined.
  public func logSize() throws(SystemError) -> Int64 {
    Int64(try FileSystem.statusIfAny(of: logPath)?.st_size ?? 0)
  }

  /// Whether a file of this many bytes is shorter than its header says.
  private func isShort(_ header: [UInt8], _ size: Int64) -> Bool {
    let stated = Int(header[16]) << 8 | Int(header[17])
    let pageSize = stated == 1 ? 65536 : stated
    let pages = Int64(number(header, at: 28))
    let isCounted = number(header, at: 24) == number(header, at: 92)
    return isCounted && size < pages * Int64(pageSize)
  }

  /// The header of the database, nil if the file is too short for one, and the file's size. Throws
  /// `StoreError` if the file is missing, is not a regular file or has several hard links.
  private func firstBytes() throws(StoreError) -> (header: [UInt8]?, size: Int64) {
    let (file, status): (FileHandle, stat)
    do throws(SystemError) {
      file = try FileHandle(open: databasePath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      status = try file.status()
    } catch {
      let status = try onDisk { () throws(SystemError) in
        try FileSystem.statusIfAny(of: databasePath)
      }
      guard let status else { throw StoreError(.missing, "\(databasePath) is missing") }
      try requirePlain(status)
      throw StoreError(error)
    }
    try requirePlain(status)
    let header = file.bytes(100, at: 0)
    return try onDisk { () throws(SystemError) in (header, Int64(try file.status().st_size)) }
  }

  private func requirePlain(_ status: stat) throws(StoreError) {
    guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
      throw StoreError(.corrupt, "\(databasePath) is not a regular file with a single link")
    }
  }

  private func number(_ header: [UInt8], at offset: Int) -> UInt32 {
    header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
