internal import Basics
internal import CSQLite

/// A checksum in each page of a database file: damage is detected when the page is read, even if a
/// query would only miss a row.
///
/// SQLite does not use the last eight bytes of each page if the file says so ("Database File
/// Format", §1.3.4). A layer over the system's VFS fills them in when a page is written to the
/// file, usually by a checkpoint, and verifies them when it is read. The log has its own checksums,
/// which SQLite verifies when the first program opens it.
///
/// In memory and in the log these bytes are zero, and a page of the file with zeros there has no
/// checksum: other programs write such pages when they copy the log to the database, as on the last
/// close. A page changed by another program has an invalid checksum.
public enum PageChecksums {
  /// The checksum's size in each page, in bytes.
  public static let size = 8

  /// The checksum of a page without its last bytes; never 0.
  public static func checksum(of page: UnsafeRawBufferPointer, number: UInt32) -> UInt64 {
    var sum = LanedChecksum(seed: UInt64(number) << 8)
    sum.add(UnsafeRawBufferPointer(rebasing: page[..<(page.count - size)]))
    return max(1, sum.finish())
  }

  /// Whether a page has a valid checksum, or none.
  public static func isWhole(_ page: UnsafeRawBufferPointer, number: UInt32) -> Bool {
    let stored = stored(in: page)
    return stored == 0 || stored == checksum(of: page, number: number)
  }

  private static func stored(in page: UnsafeRawBufferPointer) -> UInt64 {
    UInt64(littleEndian: page.loadUnaligned(fromByteOffset: page.count - size, as: UInt64.self))
  }

  /// How much space the first page reserves for checksums in each page: `size` or 0. That byte, or
  /// the whole page, may be damaged.
  public static func reserved(byFirstPage page: [UInt8]) -> Int {
    guard page.starts(with: "SQLite format 3\0".utf8), page[20] == 0 else { return size }
    var page = page
    return page.withUnsafeMutableBytes { hasLostMark($0) } ? size : 0
  }

  /// Whether the first page's checksum is valid if byte 20 is set to reserve space for it.
  fileprivate static func hasLostMark(_ page: UnsafeMutableRawBufferPointer) -> Bool {
    guard page.count > 100, page[20] != size else { return false }
    let before = page[20]
    page[20] = UInt8(size)
    defer { page[20] = before }
    let page = UnsafeRawBufferPointer(page)
    return stored(in: page) != 0 && isWhole(page, number: 1)
  }

  /// The VFS that computes and verifies checksums. The first use initializes SQLite.
  static let vfs: String = {
    let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    layer.initialize(to: system.pointee)
    layer.pointee.pNext = nil
    layer.pointee.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    layer.pointee.szOsFile = Int32(
      layerOffset + max(MemoryLayout<CheckedFile>.size, MemoryLayout<GatheredLog>.size))
    layer.pointee.xOpen = { PageChecksums.open($1, $2, $3, $4) }
    layer.pointee.xFullPathname = { PageChecksums.fullPath($0, $1, $2, $3) }
    sqlite3_vfs_register(layer, 0)
    return name.description
  }()

  private static let name: StaticString = "ckdb"
  nonisolated(unsafe) fileprivate static let system: UnsafeMutablePointer<sqlite3_vfs> = {
    guard let system = sqlite3_vfs_find(nil) else { preconditionFailure("SQLite has no VFS") }
    return system
  }()

  /// The offset of our part of an open file, after the system's.
  static let layerOffset = (Int(system.pointee.szOsFile) + 15) & ~15

  /// The parameter of a file's name that gives its pages checksums from the start.
  static let parameter = "checksums"

  private static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ answer: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    let code = system.pointee.xOpen(system, path, file, flags, answer)
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods else { return code }
    if flags & SQLITE_OPEN_WAL != 0 {
      GatheredLog(over: methods, FileSynchronization(path)).install(after: file)
    } else if flags & SQLITE_OPEN_MAIN_DB != 0 {
      let hasChecksums = sqlite3_uri_boolean(path, parameter, 0) != 0
      CheckedFile(over: methods, hasChecksums: hasChecksums, FileSynchronization(path))
        .install(after: file)
    }
    return code
  }
}

extension PageChecksums {
  /// Returns an absolute path unchanged. The system's VFS would refuse the file if one of its
  /// directories were a link; a link in place of the file itself is refused on opening.
  fileprivate static func fullPath(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?, _ size: Int32,
    _ full: UnsafeMutablePointer<CChar>?
  ) -> Int32 {
    guard let path, let full, path[0] == CChar(UInt8(ascii: "/")) else {
      return system.pointee.xFullPathname(vfs, path, size, full)
    }
    var count = 0
    while path[count] != 0 {
      guard count + 1 < Int(size) else { return SQLITE_CANTOPEN }
      full[count] = path[count]
      count += 1
    }
    full[count] = 0
    return SQLITE_OK
  }
}

/// The damaged pages of an open file.
final class PageWatch {
  private(set) var damaged: Set<UInt32> = []
  /// Whether the pages of the file have checksums.
  var hasChecksums: Bool
  /// The size of its pages in bytes; 0 before it is known.
  fileprivate var pageSize = 0
  /// Whether reading a damaged page is an error.
  var isStrict = false
  /// The maximum number of pages to note.
  private static let most = 1000

  init(hasChecksums: Bool) { self.hasChecksums = hasChecksums }

  /// Verifies the checksum of a page that was read, and clears it. Returns whether it is valid.
  fileprivate func take(_ page: UnsafeMutableRawBufferPointer, number: UInt32) -> Bool {
    let isWhole = PageChecksums.isWhole(UnsafeRawBufferPointer(page), number: number)
    page.storeBytes(of: 0, toByteOffset: page.count - PageChecksums.size, as: UInt64.self)
    if !isWhole { note(number) }
    return isWhole
  }

  /// Notes a damaged page.
  fileprivate func note(_ number: UInt32) {
    if damaged.count < Self.most { damaged.insert(number) }
  }
}

/// An open database file whose pages are verified.
private struct CheckedFile: FileLayer {
  var methods: sqlite3_io_methods
  let system: UnsafePointer<sqlite3_io_methods>
  let watch: Unmanaged<PageWatch>
  let synchronization: FileSynchronization

  init(
    over system: UnsafePointer<sqlite3_io_methods>, hasChecksums: Bool,
    _ synchronization: FileSynchronization
  ) {
    (self.system, self.synchronization) = (system, synchronization)
    watch = .passRetained(PageWatch(hasChecksums: hasChecksums))
    methods = system.pointee
    // Version 3 has memory-mapped pages, which would not be verified.
    methods.iVersion = min(methods.iVersion, 2)
    methods.xClose = { file in
      guard let file else { return SQLITE_MISUSE }
      let place = CheckedFile.place(after: file)
      place.pointee.watch.release()
      return place.pointee.system.pointee.xClose(file)
    }
    methods.xRead = { file, bytes, count, place in
      guard let file, let bytes else { return SQLITE_MISUSE }
      return CheckedFile.place(after: file).pointee.read(file, bytes, count, place)
    }
    methods.xWrite = { file, bytes, count, place in
      guard let file, let bytes else { return SQLITE_MISUSE }
      return CheckedFile.place(after: file).pointee.write(file, bytes, count, place)
    }
    methods.xSync = { file, flags in
      guard let file else { return SQLITE_MISUSE }
      let place = CheckedFile.place(after: file)
      return place.pointee.synchronization.isNeeded
        ? place.pointee.system.pointee.xSync(file, flags) : SQLITE_OK
    }
  }

  /// Reads from the first page whether pages have checksums (byte 20: the reserved space), and
  /// their size (bytes 16 and 17).
  private func readHead(_ bytes: UnsafeRawPointer, _ count: Int32, _ place: Int64) {
    guard place == 0, count >= 24 else { return }
    let head = UnsafeRawBufferPointer(start: bytes, count: 24)
    let watch = watch.takeUnretainedValue()
    watch.hasChecksums = Int(head[20]) == PageChecksums.size
    let size = Int(head[16]) << 8 | Int(head[17])
    watch.pageSize = size == 1 ? 65536 : size
  }

  /// Whether the bytes read or written are a whole page that has a checksum, or gets one. Some
  /// versions of SQLite read parts of pages, bypassing their cache.
  private func isChecked(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ count: Int32, _ place: Int64
  ) -> Bool {
    let watch = watch.takeUnretainedValue()
    guard count >= 512, Int(count) == watch.pageSize || watch.pageSize == 0 else { return false }
    if watch.hasChecksums { return true }
    // The first page may have come from the log, and may have been copied to the file since.
    guard place > 0 else { return false }
    var head = (UInt64(0), UInt64(0), UInt64(0))
    withUnsafeMutableBytes(of: &head) { head in
      guard let start = head.baseAddress, system.pointee.xRead(file, start, 24, 0) == SQLITE_OK
      else { return }
      readHead(start, 24, 0)
    }
    return watch.hasChecksums && Int(count) == watch.pageSize
  }

  private func number(_ place: Int64, _ count: Int32) -> UInt32 {
    UInt32(truncatingIfNeeded: place / Int64(count) + 1)
  }

  private func read(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeMutableRawPointer, _ count: Int32,
    _ place: Int64
  ) -> Int32 {
    let code = system.pointee.xRead(file, bytes, count, place)
    guard code == SQLITE_OK else { return code }
    let page = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
    let watch = watch.takeUnretainedValue()
    if place == 0, count >= 512, PageChecksums.hasLostMark(page) {
      watch.note(1)
      page[20] = UInt8(PageChecksums.size)
    }
    readHead(bytes, count, place)
    guard isChecked(file, count, place) else { return code }
    let isWhole = watch.take(page, number: number(place, count))
    return isWhole || !watch.isStrict ? code : Connection.damagedPageCode
  }

  private func write(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeRawPointer, _ count: Int32,
    _ place: Int64
  ) -> Int32 {
    readHead(bytes, count, place)
    guard isChecked(file, count, place) else {
      return system.pointee.xWrite(file, bytes, count, place)
    }
    // SQLite lets us use these bytes of its buffer.
    let page = UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(mutating: bytes), count: Int(count))
    let end = page.count - PageChecksums.size
    let sum = PageChecksums.checksum(of: UnsafeRawBufferPointer(page), number: number(place, count))
    page.storeBytes(of: sum.littleEndian, toByteOffset: end, as: UInt64.self)
    defer { page.storeBytes(of: 0, toByteOffset: end, as: UInt64.self) }
    return system.pointee.xWrite(file, bytes, count, place)
  }
}

extension Connection {
  /// SQLITE_IOERR_DATA, whose definition Swift cannot import.
  static let damagedPageCode = SQLITE_IOERR | (32 << 8)

  /// The damaged pages of the file; nil for a database in memory.
  func findWatch() -> PageWatch? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods
    else { return nil }
    let place = CheckedFile.place(after: file)
    guard methods == CheckedFile.methods(of: place) else { return nil }
    return place.pointee.watch.takeUnretainedValue()
  }
}
