internal import Basics
internal import CSQLite

/// A checksum in each page of a database file: what a disk changed shows when the page is read,
/// also where a query would only miss a row.
///
/// SQLite leaves the last eight bytes of each page alone when the file says so ("Database File
/// Format", §1.3.4). A layer over the system's VFS fills them when a page is written to the file,
/// mostly by a checkpoint, and compares them when it is read. The log has checksums of its own,
/// which SQLite compares when the first program opens it.
///
/// In memory and in the log these bytes are zeros, and a page of the file with zeros there has no
/// checksum: another program writes such pages when it copies the log to the database, as it does
/// when it closes it last. A page that another program changed has a checksum that no longer fits.
public enum PageChecksums {
  /// How many bytes of each page they take.
  public static let size = 8

  /// The checksum of a page, which is not 0, without its last bytes.
  public static func checksum(of page: UnsafeRawBufferPointer, number: UInt32) -> UInt64 {
    var sum = LanedChecksum(seed: UInt64(number) << 8)
    sum.add(UnsafeRawBufferPointer(rebasing: page[..<(page.count - size)]))
    return max(1, sum.finish())
  }

  /// The VFS that makes and compares them. The first use initializes SQLite.
  static let vfs: String = {
    let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    layer.initialize(to: system.pointee)
    layer.pointee.pNext = nil
    layer.pointee.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    layer.pointee.szOsFile = Int32(CheckedFile.offset + MemoryLayout<CheckedFile>.size)
    layer.pointee.xOpen = { PageChecksums.open($1, $2, $3, $4) }
    sqlite3_vfs_register(layer, 0)
    return name.description
  }()

  private static let name: StaticString = "ckdb"
  nonisolated(unsafe) fileprivate static let system = sqlite3_vfs_find(nil)!

  /// The parameter of a file's name that says that its pages get checksums from the first on.
  static let parameter = "checksums"

  private static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ answer: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    let code = system.pointee.xOpen(system, path, file, flags, answer)
    guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let file,
      let methods = file.pointee.pMethods
    else { return code }
    let layer = CheckedFile.place(behind: file)
    layer.initialize(
      to: CheckedFile(
        over: methods, hasChecksums: sqlite3_uri_boolean(path, parameter, 0) != 0))
    file.pointee.pMethods = UnsafePointer(CheckedFile.methods(of: layer))
    return code
  }
}

/// The pages of an open file that are not what was written.
final class PageWatch {
  private(set) var damaged: Set<UInt32> = []
  /// Whether the pages of the file have checksums.
  var hasChecksums: Bool
  /// Whether reading a damaged page is an error.
  var isStrict = false
  /// So many are remembered.
  private static let most = 1000

  init(hasChecksums: Bool) { self.hasChecksums = hasChecksums }

  /// Compares the checksum of a page that was read, and removes it. Returns whether it fits.
  fileprivate func take(_ page: UnsafeMutableRawBufferPointer, number: UInt32) -> Bool {
    let place = page.count - PageChecksums.size
    let stored = page.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    page.storeBytes(of: 0, toByteOffset: place, as: UInt64.self)
    if stored == 0
      || UInt64(littleEndian: stored)
        == PageChecksums.checksum(of: UnsafeRawBufferPointer(page), number: number)
    {
      return true
    }
    if damaged.count < Self.most { damaged.insert(number) }
    return false
  }
}

/// What follows the system's part of an open file: its methods, three of them ours.
private struct CheckedFile {
  /// The first member: where it is, a file's methods are.
  var methods: sqlite3_io_methods
  let system: UnsafePointer<sqlite3_io_methods>
  let watch: Unmanaged<PageWatch>

  static let offset = (Int(PageChecksums.system.pointee.szOsFile) + 15) & ~15

  static func place(
    behind file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<CheckedFile> {
    (UnsafeMutableRawPointer(file) + offset).assumingMemoryBound(to: CheckedFile.self)
  }

  static func methods(
    of place: UnsafeMutablePointer<CheckedFile>
  ) -> UnsafeMutablePointer<sqlite3_io_methods> {
    UnsafeMutableRawPointer(place).assumingMemoryBound(to: sqlite3_io_methods.self)
  }

  init(over system: UnsafePointer<sqlite3_io_methods>, hasChecksums: Bool) {
    self.system = system
    watch = .passRetained(PageWatch(hasChecksums: hasChecksums))
    methods = system.pointee
    // Version 3 has mapped pages, which nothing would compare.
    methods.iVersion = min(methods.iVersion, 2)
    methods.xClose = { file in
      guard let file else { return SQLITE_MISUSE }
      let place = CheckedFile.place(behind: file)
      place.pointee.watch.release()
      return place.pointee.system.pointee.xClose(file)
    }
    methods.xRead = { file, bytes, count, place in
      guard let file, let bytes else { return SQLITE_MISUSE }
      return CheckedFile.place(behind: file).pointee.read(file, bytes, count, place)
    }
    methods.xWrite = { file, bytes, count, place in
      guard let file, let bytes else { return SQLITE_MISUSE }
      return CheckedFile.place(behind: file).pointee.write(file, bytes, count, place)
    }
  }

  /// The first page says whether pages have checksums: the byte 20 is what they leave free.
  private func readHead(
    _ bytes: UnsafeRawPointer, _ count: Int32, _ place: Int64, _ watch: PageWatch
  ) {
    guard place == 0, count >= 100 else { return }
    watch.hasChecksums = bytes.load(fromByteOffset: 20, as: UInt8.self) == PageChecksums.size
  }

  /// Pages are read and written as a whole, but for the first bytes of the first one, and values on
  /// several pages, which some versions of SQLite read past their cache.
  private func isPage(_ count: Int32) -> Bool { count >= 512 && count & (count - 1) == 0 }

  private func number(_ place: Int64, _ count: Int32) -> UInt32 {
    UInt32(truncatingIfNeeded: place / Int64(count) + 1)
  }

  private func read(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeMutableRawPointer, _ count: Int32,
    _ place: Int64
  ) -> Int32 {
    let code = system.pointee.xRead(file, bytes, count, place)
    guard code == SQLITE_OK else { return code }
    let watch = watch.takeUnretainedValue()
    readHead(bytes, count, place, watch)
    guard watch.hasChecksums, isPage(count) else { return code }
    let page = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
    let isWhole = watch.take(page, number: number(place, count))
    return isWhole || !watch.isStrict ? code : Connection.damagedPageCode
  }

  private func write(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeRawPointer, _ count: Int32,
    _ place: Int64
  ) -> Int32 {
    let watch = watch.takeUnretainedValue()
    readHead(bytes, count, place, watch)
    guard watch.hasChecksums, isPage(count) else {
      return system.pointee.xWrite(file, bytes, count, place)
    }
    // SQLite leaves these bytes of its own buffer to us.
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

  /// What is known of the pages of the file; nil for a database in memory.
  func findWatch() -> PageWatch? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods
    else { return nil }
    let place = CheckedFile.place(behind: file)
    guard methods == UnsafePointer(CheckedFile.methods(of: place)) else { return nil }
    return place.pointee.watch.takeUnretainedValue()
  }
}
