internal import Basics
internal import CSQLite

/// An open write-ahead log that buffers SQLite's writes.
///
/// SQLite writes two pieces for each page, a header and the page. Other connections read the log
/// only up to the last commit, which synchronizes it before it is published (with `synchronous`
/// FULL). So the pieces are buffered until the log is synchronized or read, and written in one
/// call. An error of that call becomes one of the synchronization or read, and fails the commit as
/// it would without us. A connection with `synchronous` OFF has its file to itself.
struct GatheredLog: FileLayer {
  private var methods: sqlite3_io_methods
  private let system: UnsafePointer<sqlite3_io_methods>
  /// The buffered bytes.
  private let gathered: UnsafeMutableRawPointer
  private var count = 0
  /// The offset of the buffer in the file.
  private var start: Int64 = 0
  private let synchronization: FileSynchronization
  private static let capacity = 64 << 10

  init(over system: UnsafePointer<sqlite3_io_methods>, _ synchronization: FileSynchronization) {
    (self.system, self.synchronization) = (system, synchronization)
    gathered = .allocate(byteCount: Self.capacity, alignment: 16)
    methods = system.pointee
    // Version 3 has memory-mapped pages, which would bypass the buffer.
    methods.iVersion = min(methods.iVersion, 2)
    methods.xWrite = { file, bytes, count, place in
      guard let file, let bytes else { return SQLITE_MISUSE }
      return GatheredLog.place(after: file).pointee.write(file, bytes, Int(count), place)
    }
    methods.xRead = { file, bytes, count, place in
      GatheredLog.written(file) { $0.pointee.xRead($1, bytes, count, place) }
    }
    methods.xSync = { file, flags in
      GatheredLog.written(file) {
        GatheredLog.place(after: $1).pointee.synchronization.isNeeded
          ? $0.pointee.xSync($1, flags) : SQLITE_OK
      }
    }
    methods.xTruncate = { file, size in
      GatheredLog.written(file) { $0.pointee.xTruncate($1, size) }
    }
    methods.xFileSize = { file, size in
      GatheredLog.written(file) { $0.pointee.xFileSize($1, size) }
    }
    methods.xClose = { file in
      let code = GatheredLog.written(file) { _, _ in SQLITE_OK }
      guard let file else { return code }
      let log = GatheredLog.place(after: file)
      log.pointee.gathered.deallocate()
      let closed = log.pointee.system.pointee.xClose(file)
      return code == SQLITE_OK ? closed : code
    }
  }

  private mutating func write(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeRawPointer, _ size: Int,
    _ place: Int64
  ) -> Int32 {
    if place != start + Int64(count) || count + size > Self.capacity {
      let code = flush(file)
      guard code == SQLITE_OK else { return code }
      start = place
    }
    guard size <= Self.capacity else {
      return system.pointee.xWrite(file, bytes, Int32(size), place)
    }
    (gathered + count).copyMemory(from: bytes, byteCount: size)
    count += size
    return SQLITE_OK
  }

  /// Writes the buffer. If that fails, discards it: its transaction fails.
  private mutating func flush(_ file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
    if count == 0 { return SQLITE_OK }
    defer {
      start += Int64(count)
      count = 0
    }
    return system.pointee.xWrite(file, gathered, Int32(count), start)
  }

  /// Writes the buffer, then runs `work`, which needs it in the file.
  private static func written(
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ work: (UnsafePointer<sqlite3_io_methods>, UnsafeMutablePointer<sqlite3_file>) -> Int32
  ) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    let log = place(after: file)
    let code = log.pointee.flush(file)
    return code == SQLITE_OK ? work(log.pointee.system, file) : code
  }
}
