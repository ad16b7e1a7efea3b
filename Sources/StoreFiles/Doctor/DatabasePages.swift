public import Basics
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The pages of a database from its file and its log, read without SQLite, which gives up a tree
/// whose root is damaged ("Database File Format", §1 and §4).
public final class DatabasePages {
  /// The number of the last page.
  public let count: UInt32
  /// How many bytes of each page are for rows; the checksum follows.
  public let usable: Int
  private let database: FileHandle
  private let log: FileHandle?
  /// The offsets of the committed pages in the log.
  private var logged: [UInt32: off_t] = [:]

  /// The only page size that our files have.
  public static let pageSize = 4096

  /// Opens both files.
  public init(_ file: DatabaseFile) throws(SystemError) {
    database = try FileHandle(openOwn: file.databasePath, O_RDONLY)
    log = file.hasLog ? try FileHandle(openOwn: file.logPath, O_RDONLY) : nil
    let pages = Int64(try database.status().st_size) / Int64(Self.pageSize)
    var count = UInt32(clamping: pages)
    if let log { Self.readIndex(of: log, &logged, &count) }
    self.count = count
    let first = Self.read(database, Self.pageSize, at: 0) ?? []
    usable = Self.pageSize - PageChecksums.reserved(byFirstPage: first)
  }

  /// A page; nil if there is none.
  public func page(_ number: UInt32) -> [UInt8]? {
    guard number >= 1, number <= count else { return nil }
    if let log, let place = logged[number] { return Self.read(log, Self.pageSize, at: place) }
    return Self.read(database, Self.pageSize, at: off_t(number - 1) * off_t(Self.pageSize))
  }

  /// The free pages, by the list that begins in the first page; nil if the list is damaged
  /// ("Database File Format", §1.5).
  public func freePages() -> NumberSet? {
    guard let first = page(1) else { return nil }
    var (free, rest) = (NumberSet(), first.number(at: 36))
    var trunk = first.number(at: 32)
    while trunk != 0 {
      guard rest > 0, !free.contains(Int64(trunk)), let page = page(trunk) else { return nil }
      free.insert(Int64(trunk))
      rest -= 1
      let leaves = page.number(at: 4)
      guard leaves <= rest, leaves <= UInt32(usable / 4 - 2) else { return nil }
      for index in 0..<Int(leaves) {
        let leaf = page.number(at: 8 + 4 * index)
        guard leaf <= count else { return nil }
        free.insert(Int64(leaf))
      }
      rest -= leaves
      trunk = page.number(at: 0)
    }
    return rest == 0 ? free : nil
  }

  /// The pages of the database's file, including free ones, whose checksums do not match. Pages
  /// that the log has do not matter: an interrupted checkpoint writes them again. Pages that
  /// another process writes at this moment are read again.
  public func damagedPages() -> [UInt32] {
    guard usable < Self.pageSize, count > 0 else { return [] }
    var damaged = (1...count).filter { logged[$0] == nil && !isWholeInFile($0) }
    for pause: Int64 in [1, 2, 8] where !damaged.isEmpty {
      Platform.sleep(milliseconds: pause)
      damaged.removeAll(where: isWholeInFile)
    }
    return damaged
  }

  /// Whether a page matches its checksum. The log has its own.
  func isWhole(_ number: UInt32) -> Bool {
    usable == Self.pageSize || logged[number] != nil || isWholeInFile(number)
  }

  /// Whether the page in the database's file does.
  private func isWholeInFile(_ number: UInt32) -> Bool {
    let place = Int64(number - 1) * Int64(Self.pageSize)
    guard let page = database.bytes(Self.pageSize, at: place) else { return true }
    return page.withUnsafeBytes { PageChecksums.isWhole($0, number: number) }
  }

  private static func read(_ file: FileHandle, _ count: Int, at place: off_t) -> [UInt8]? {
    file.bytes(count, at: Int64(place))
  }

  // MARK: The log

  /// Finds the last committed state of each page in a log, as far as its checksums go.
  private static func readIndex(
    of log: FileHandle, _ logged: inout [UInt32: off_t], _ count: inout UInt32
  ) {
    guard let header = read(log, 32, at: 0), header.number(at: 0) & ~1 == 0x377F_0682,
      header.number(at: 8) == UInt32(pageSize)
    else { return }
    var sum = LogChecksum(isBigEndian: header.number(at: 0) & 1 == 1)
    sum.add(header[..<24])
    guard sum.fits(header[24...]) else { return }
    var pending: [UInt32: off_t] = [:]
    var place: off_t = 32
    while let frame = read(log, 24, at: place), frame[8..<16] == header[16..<24],
      let page = read(log, pageSize, at: place + 24)
    {
      sum.add(frame[..<8])
      sum.add(page[...])
      guard sum.fits(frame[16...]) else { return }
      pending[frame.number(at: 0)] = place + 24
      let pages = frame.number(at: 4)
      if pages != 0 {
        logged.merge(pending) { $1 }
        pending.removeAll(keepingCapacity: true)
        count = pages
      }
      place += off_t(24 + pageSize)
    }
  }

  /// The checksum of a log's frames ("Database File Format", §4.2).
  private struct LogChecksum {
    let isBigEndian: Bool
    private var (first, second): (UInt32, UInt32) = (0, 0)

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
      bytes.withUnsafeBytes { bytes in
        for place in stride(from: 0, to: bytes.count, by: 8) {
          first = first &+ word(bytes, place) &+ second
          second = second &+ word(bytes, place + 4) &+ first
        }
      }
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
      return isBigEndian ? word.bigEndian : word.littleEndian
    }

    func fits(_ bytes: ArraySlice<UInt8>) -> Bool {
      let bytes = Array(bytes)
      return bytes.number(at: 0) == first && bytes.number(at: 4) == second
    }
  }
}

extension [UInt8] {
  /// The number in the four bytes at an offset.
  public func number(at place: Int) -> UInt32 {
    self[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The number in the two bytes at an offset.
  public func short(at place: Int) -> Int { Int(self[place]) << 8 | Int(self[place + 1]) }
}
