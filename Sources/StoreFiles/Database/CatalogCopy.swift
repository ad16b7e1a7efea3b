package import Basics
package import SQLite

/// A copy of what every other row depends on: the rows of a few tables, such as types and zones, or
/// devices, and the root page and columns of each table. It is a text file next to the database, so
/// that no page of the database can damage both.
///
/// It is written, if possible, after each commit that changes any of these; during a batch it
/// can lack a few of the newest rows. A store without it, or with a slightly older one, is sound.
/// Its lines are JSON arrays, `["_zone",3,2,1,"Notes",17]` for
/// a row and `["table","Note",22,"CREATE TABLE …"]` for a table with its root page; the last line
/// is the checksum of the others.
package struct CatalogCopy {
  /// A table and the columns that are copied, the row number first.
  package typealias Part = (table: String, columns: [String])

  /// The rows of a table, with the columns of its part.
  package private(set) var rows: [String: [[JSONValue]]] = [:]
  /// The tables.
  package private(set) var tables: [PageTables.Root] = []

  /// Reads the copy of a database's catalog. Throws `StoreError` if there is none or it does not
  /// match its checksum.
  package init(of file: DatabaseFile) throws(StoreError) {
    let path = file.catalogCopyPath
    let damaged = StoreError(.corrupt, "\(path) is damaged")
    let bytes = try onDisk { () throws(SystemError) in
      try FileSystem.contents(ofOwn: path, atMostMegabytes: Self.mostMegabytes)
    }
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.popLast()?.isEmpty == true, let seal = lines.popLast(),
      Array(seal) == Self.seal(of: bytes[..<seal.startIndex])
    else { throw damaged }
    for line in lines {
      guard let values = (try? JSONParser.parse(String(decoding: line, as: UTF8.self)))?.array,
        let kind = values.first?.string
      else { throw damaged }
      add(kind, Array(values.dropFirst()))
    }
  }

  private static let mostMegabytes = 256

  private mutating func add(_ kind: String, _ values: [JSONValue]) {
    guard kind == "table" else { return rows[kind, default: []].append(values) }
    guard values.count == 3, let name = values[0].string, case .int(let root) = values[1],
      let root = UInt32(exactly: root), let creation = values[2].string
    else { return }
    tables.append(.init(name: name, root: root, creation: creation))
  }

  /// The text for the current state of a database.
  package static func text(
    of connection: Connection, _ parts: [Part]
  ) throws(StoreError) -> [UInt8] {
    var text: [UInt8] = []
    for (table, columns) in parts {
      let list = columns.joined(separator: ", ")
      try append("SELECT json_array('\(table)', \(list)) FROM \(table)", on: connection, to: &text)
    }
    try append(
      """
      SELECT json_array('table', name, rootpage, sql) FROM sqlite_schema
      WHERE type = 'table' AND sql IS NOT NULL
      """, on: connection, to: &text)
    return text + seal(of: text[...]) + [UInt8(ascii: "\n")]
  }

  private static func append(
    _ query: String, on connection: Connection, to text: inout [UInt8]
  ) throws(StoreError) {
    let rows = try connection.query(query)
    while try rows.next() {
      text.append(contentsOf: rows.utf8(0))
      text.append(UInt8(ascii: "\n"))
    }
  }

  private static func seal(of text: ArraySlice<UInt8>) -> [UInt8] {
    Array(String(Checksum64.hash(Array(text), seed: 7), radix: 16).utf8)
  }

  /// Inserts the rows that a salvaged database lacks, and seals them. Returns how many there were.
  func restore(_ part: Part, of table: Table, into new: Connection) throws(StoreError) -> Int {
    let marks = part.columns.map { _ in "?" }.separated(by: ", ")
    let insertion = try new.prepared(
      "INSERT OR IGNORE INTO \(part.table)(\(part.columns.separated(by: ", ")), "
        + "\(Column.sealName)) VALUES (\(marks), 0)")
    var count = 0
    for values in rows[part.table] ?? [] where values.count == part.columns.count {
      for (place, value) in values.enumerated() { insertion.bind(value, place + 1) }
      try insertion.perform()
      count += new.changedRows
    }
    if count > 0 { try new.perform(table.sealing()) }
    return count
  }
}

extension Statement {
  /// Binds a value of the copy.
  package func bind(_ value: JSONValue, _ place: Int) {
    switch value {
    case .int(let number): bind(number, place)
    case .string(let text): bind(text, place)
    case .null, .bool, .double, .outOfRange, .array, .object: bindNull(place)
    }
  }
}

extension DatabaseFile {
  /// The path of the copy of the catalog.
  package var catalogCopyPath: String { folder + "/catalog" }
  private var catalogDraftPath: String { folder + "/catalog.new" }

  /// Writes the copy of the catalog, while no other process writes. While the database is intact,
  /// nothing depends on it: a failure, a power loss or a damaged page leaves the former copy.
  /// Returns its number of lines; nil if it was not written.
  @discardableResult
  package func writeCatalogCopy(of connection: Connection) -> Int? {
    guard let text = try? CatalogCopy.text(of: connection, format.catalog),
      connection.damagedPages.isEmpty
    else { return nil }
    do throws(SystemError) {
      try FileSystem.remove(catalogDraftPath)
      let draft = try FileHandle(create: catalogDraftPath)
      try draft.writeAll(text)
      try draft.synchronize()
      try FileSystem.rename(catalogDraftPath, to: catalogCopyPath)
      return text.count { $0 == UInt8(ascii: "\n") }
    } catch {
      try? FileSystem.remove(catalogDraftPath)
      return nil
    }
  }
}
