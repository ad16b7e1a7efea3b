internal import Basics
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Replaces a damaged database, which is kept, by a new one. At every moment one of them is in
/// place, or a file that nothing opens.
struct DatabaseSwap {
  /// The damaged database.
  let file: DatabaseFile

  /// Names the database, without touching it.
  init(file: DatabaseFile) { self.file = file }

  /// Where the new database is made.
  var draftFolder: String { file.folder + ".repair" }
  private var oldFolder: String { draftFolder + "/old" }

  // MARK: The old database

  /// Makes a copy whose first bytes are those of every file of the format; nil if there is nothing
  /// to copy.
  func copyWithMendedHead() throws(StoreError) -> DatabaseFile? {
    let status = try onDisk { () throws(SystemError) in
      try FileSystem.statusIfAny(of: file.databasePath)
    }
    guard let status, status.st_mode & S_IFMT == S_IFREG, status.st_size != 0 else { return nil }
    let old = DatabaseFile(folder: oldFolder, format: file.format)
    try onDisk { () throws(SystemError) in
      try FileSystem.makeDirectory(oldFolder)
      for path in [old.databasePath, old.logPath] { try FileSystem.remove(path) }
      try FileSystem.copy(file.databasePath, to: old.databasePath)
      try mendHeader(of: FileHandle(open: old.databasePath, O_RDWR | O_NOFOLLOW))
      if file.hasLog { try FileSystem.copy(file.logPath, to: old.logPath) }
    }
    return old
  }

  /// Writes the first hundred bytes that every file of ours has, except counters, and an empty list
  /// of tables if there is none. Fills up the last page.
  private func mendHeader(of database: FileHandle) throws(SystemError) {
    let pageSize: Int64 = 4096
    let pages = (Int64(try database.status().st_size) + pageSize - 1) / pageSize
    guard ftruncate(database.descriptor, off_t(pages * pageSize)) == 0 else {
      throw SystemError("fill up", database.path)
    }
    var bytes = [UInt8](repeating: 0, count: Int(pageSize))
    guard pread(database.descriptor, &bytes, bytes.count, 0) == bytes.count else {
      throw SystemError("read", database.path)
    }
    let reserved = PageChecksums.reserved(byFirstPage: bytes)
    bytes.removeLast(bytes.count - 108)
    func put(_ number: UInt32, at place: Int) {
      for index in 0..<4 {
        bytes[place + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * index))
      }
    }
    let mark = Array("SQLite format 3\0".utf8)
    bytes.replaceSubrange(..<24, with: mark + [0x10, 0, 2, 2, UInt8(reserved), 64, 32, 32])
    put(UInt32(clamping: pages), at: 28)
    for (number, place) in [(4, 44), (0, 52), (1, 56), (file.format.version, 60), (0, 64)]
      as [(UInt32, Int)]
    {
      put(number, at: place)
    }
    put(file.format.applicationID, at: 68)
    for place in 72..<92 { bytes[place] = 0 }
    bytes.replaceSubrange(92..<96, with: bytes[24..<28])
    if bytes[100] != DatabasePages.Kind.tableLeaf.rawValue,
      bytes[100] != DatabasePages.Kind.tableInterior.rawValue
    {
      // A page without rows can be opened; the copy of the catalog has the tables.
      let end = UInt16(Int(pageSize) - reserved)
      bytes.replaceSubrange(
        100..<108, with: [13, 0, 0, 0, 0, UInt8(end >> 8), UInt8(truncatingIfNeeded: end), 0])
    }
    guard pwrite(database.descriptor, bytes, bytes.count, 0) == bytes.count else {
      throw SystemError("write", database.path)
    }
  }

  // MARK: Swapping

  /// Creates an empty database for the new one.
  func makeDraft() throws(StoreError) -> DatabaseFile {
    try onDisk { () throws(SystemError) in try FileSystem.remove(draftFolder) }
    let draft = DatabaseFile(folder: draftFolder, format: file.format)
    try draft.create()
    return draft
  }

  /// Makes a folder for the replaced files.
  func makeKeepingFolder() throws(StoreError) -> String {
    var number = 1
    while FileSystem.exists("\(file.folder).damaged-\(number)") { number += 1 }
    let folder = "\(file.folder).damaged-\(number)"
    try onDisk { () throws(SystemError) in _ = try FileSystem.makeDirectory(folder) }
    return folder
  }

  /// Moves existing contents to the folder with the old database.
  static func keep(contents paths: [String], in kept: String) throws(StoreError) {
    try onDisk { () throws(SystemError) in
      for path in paths where try FileSystem.statusIfAny(of: path) != nil {
        try FileSystem.makeDirectory(kept + "/assets")
        try FileSystem.rename(path, to: "\(kept)/assets/\(FileSystem.name(of: path))")
      }
    }
  }

  /// Puts the new database into place; returns the folder with the old one.
  func replace(with draft: DatabaseFile) throws(StoreError) -> String {
    let kept = try makeKeepingFolder()
    try onDisk { () throws(SystemError) in
      try FileSystem.synchronize(draft.databasePath)
      for path in [file.databasePath, file.logPath] where try FileSystem.hasFile(at: path) {
        try FileSystem.link(path, to: "\(kept)/\(FileSystem.name(of: path))")
      }
      try FileSystem.synchronizeDirectory(kept)
      try FileSystem.synchronizeDirectory(FileSystem.parent(of: kept))
      for path in [file.logPath, file.databasePath + "-shm"] { try FileSystem.remove(path) }
      if try FileSystem.statusIfAny(of: file.journalPath) != nil {
        try FileSystem.rename(file.journalPath, to: "\(kept)/\(file.name)-journal")
      }
      try FileSystem.synchronizeDirectory(file.folder)
      if let status = try FileSystem.statusIfAny(of: file.databasePath),
        status.st_mode & S_IFMT != S_IFREG
      {
        try FileSystem.rename(file.databasePath, to: "\(kept)/\(file.name)")
      }
      try FileSystem.rename(draft.databasePath, to: file.databasePath)
      try FileSystem.settle(file.folder)
    }
    return kept
  }

  /// Undoes a repair that was interrupted before the new database was in place: the damaged one
  /// then has two names.
  func undoInterrupted() throws(StoreError) {
    try onDisk { () throws(SystemError) in
      try FileSystem.remove(draftFolder)
      var number = 1
      while FileSystem.exists("\(file.folder).damaged-\(number)") {
        let kept = "\(file.folder).damaged-\(number)"
        number += 1
        let identity = try FileSystem.identityIfAny(of: "\(kept)/\(file.name)")
        guard let identity, try identity == FileSystem.identityIfAny(of: file.databasePath) else {
          continue
        }
        let log = "\(kept)/\(file.name)-wal"
        if try FileSystem.statusIfAny(of: log) != nil,
          try FileSystem.statusIfAny(of: file.logPath) == nil
        {
          try FileSystem.rename(log, to: file.logPath)
        }
        try FileSystem.remove(kept)
        try FileSystem.synchronizeDirectory(file.folder)
      }
    }
  }
}
