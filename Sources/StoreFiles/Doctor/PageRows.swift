internal import Basics
public import SQLite

/// A row on a leaf page.
public struct PageRow {
  /// The row number, in tables that have one.
  public let number: Int64?
  /// The values in the order of the table's columns; a value lost with another page is NULL.
  public let values: [Value]

  /// A value of a row.
  public enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    /// The value as a text; nil for other types.
    public var text: String? {
      if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
  }
}

// Trees, pages and cells ("Database File Format", §1.6 and §2).
extension DatabasePages {
  /// The kind of a page of a tree.
  public enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    /// Whether it refers to other pages.
    public var isInterior: Bool { self == .indexInterior || self == .tableInterior }
    /// Whether it belongs to a table with row numbers.
    public var isTable: Bool { self == .tableInterior || self == .tableLeaf }
  }

  /// The kind that a page names; nil if the page does not belong to a tree.
  public static func kind(_ page: [UInt8], _ number: UInt32) -> Kind? {
    Kind(rawValue: page[head(number)])
  }

  /// The header of the file precedes the first page.
  private static func head(_ number: UInt32) -> Int { number == 1 ? 100 : 0 }

  /// Passes the rows of a tree to `body`, all that can be reached from its root, including those of
  /// another tree on a misdirected page. Returns whether every page could be read and matches its
  /// checksum. Rethrows the errors of `body`.
  public func rows(
    root: UInt32, _ body: (PageRow) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    var (rest, seen, isWhole) = ([root], NumberSet(), true)
    while let number = rest.popLast() {
      guard number <= count, !seen.contains(Int64(number)), let page = page(number),
        let kind = Self.kind(page, number)
      else {
        isWhole = false
        continue
      }
      seen.insert(Int64(number))
      if !self.isWhole(number) { isWhole = false }
      if kind.isInterior { rest += Self.children(of: page, number).reversed() }
      if kind != .tableInterior, try !eachRow(of: page, number, kind, body) { isWhole = false }
    }
    return isWhole
  }

  /// Whether all pages of a tree match their checksums; those in `damaged` do not.
  func isWhole(root: UInt32, but damaged: Set<UInt32>) -> Bool {
    var (rest, seen) = ([root], NumberSet())
    while let number = rest.popLast() {
      guard number <= count, !seen.contains(Int64(number)), let page = page(number),
        let kind = Self.kind(page, number), isWhole(number), !damaged.contains(number)
      else { return false }
      seen.insert(Int64(number))
      if kind.isInterior { rest += Self.children(of: page, number) }
    }
    return true
  }

  /// The pages that an interior page refers to, in the order of their rows.
  public static func children(of page: [UInt8], _ number: UInt32) -> [UInt32] {
    let head = head(number)
    let cells = cells(of: page, number, .tableInterior).map { page.number(at: $0) }
    return cells + [page.number(at: head + 8)]
  }

  /// The offsets of the valid cells of a page.
  private static func cells(of page: [UInt8], _ number: UInt32, _ kind: Kind) -> [Int] {
    let head = head(number)
    let list = head + (kind.isInterior ? 12 : 8)
    let most = (page.count - list) / 2
    return (0..<min(page.short(at: head + 3), most)).map { page.short(at: list + 2 * $0) }
      .filter { $0 >= list && $0 < page.count - 4 }
  }

  /// Passes the rows of a page to `body`; returns whether all could be read.
  public func eachRow(
    of page: [UInt8], _ number: UInt32, _ kind: Kind,
    _ body: (PageRow) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    let cells = Self.cells(of: page, number, kind)
    var isWhole = cells.count == page.short(at: Self.head(number) + 3)
    for cell in cells {
      if let row = row(in: page, at: kind.isInterior ? cell + 4 : cell, kind) {
        try body(row)
      } else {
        isWhole = false
      }
    }
    return isWhole
  }

  /// No row is longer (`SQLITE_LIMIT_LENGTH`).
  private static let longestRow = 64 << 20

  private func row(in page: [UInt8], at cell: Int, _ kind: Kind) -> PageRow? {
    var place = cell
    guard let size = page.varint(&place), size >= 0, size <= Self.longestRow else { return nil }
    var number: Int64?
    if kind.isTable {
      number = page.varint(&place)
      if number == nil { return nil }
    }
    guard let payload = payload(Int(size), in: page, at: place, kind) else { return nil }
    return Self.values(in: payload).map { PageRow(number: number, values: $0) }
  }

  /// The bytes of a row: those in its cell, and those in a chain of other pages, as far as it can
  /// be read.
  private func payload(_ size: Int, in page: [UInt8], at place: Int, _ kind: Kind) -> [UInt8]? {
    let most = kind.isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
    let least = (usable - 12) * 32 / 255 - 23
    var local = size
    if size > most {
      let fitting = least + (size - least) % (usable - 4)
      local = fitting <= most ? fitting : least
    }
    guard place + local + (local < size ? 4 : 0) <= page.count else { return nil }
    var bytes = Array(page[place..<place + local])
    guard local < size else { return bytes }
    var next = page.number(at: place + local)
    while bytes.count < size, next != 0, let more = self.page(next) {
      next = more.number(at: 0)
      bytes.append(contentsOf: more[4..<min(usable, 4 + size - bytes.count)])
    }
    return bytes
  }

  /// The values of a record ("Record Format"); nil for invalid bytes.
  private static func values(in bytes: [UInt8]) -> [PageRow.Value]? {
    var place = 0
    guard let size = bytes.varint(&place), size >= place, size <= bytes.count else { return nil }
    var values: [PageRow.Value] = []
    var next = Int(size)
    while place < Int(size) {
      guard let type = bytes.varint(&place), type >= 0, type != 10, type != 11,
        type < 2 * longestRow
      else { return nil }
      let length = type < 12 ? [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][Int(type)] : Int(type - 12) / 2
      let isThere = next + length <= bytes.count
      values.append(isThere ? value(type, bytes[next..<next + length]) : .null)
      next += length
    }
    return values
  }

  private static func value(_ type: Int64, _ bytes: ArraySlice<UInt8>) -> PageRow.Value {
    switch type {
    case 0: return .null
    case 1...6, 8, 9:
      if type > 6 { return .integer(type - 8) }
      let sign: Int64 = bytes.first.map { $0 & 0x80 != 0 } == true ? -1 : 0
      return .integer(bytes.reduce(sign) { $0 << 8 | Int64($1) })
    case 7: return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    default: return type & 1 == 0 ? .blob(Array(bytes)) : .text(Array(bytes))
    }
  }
}

extension [UInt8] {
  /// Reads a number of one to nine bytes; nil at the end of the bytes.
  fileprivate func varint(_ place: inout Int) -> Int64? {
    var number: UInt64 = 0
    for index in 0..<9 {
      guard place < count else { return nil }
      let byte = self[place]
      place += 1
      if index == 8 { return Int64(bitPattern: number << 8 | UInt64(byte)) }
      number = number << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int64(bitPattern: number) }
    }
    return nil
  }
}

extension Statement {
  /// Binds a value of a page.
  public func bind(_ value: PageRow.Value, _ place: Int) {
    switch value {
    case .null: bindNull(place)
    case .integer(let number): bind(number, place)
    case .real(let number): bind(number, place)
    case .text(let bytes): bind(utf8: bytes, place)
    case .blob(let bytes): bind(bytes, place)
    }
  }
}
