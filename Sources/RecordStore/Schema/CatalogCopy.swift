internal import Basics
internal import SQLite
internal import StoreFiles

/// The second copy of what no record can be read without: types, fields, zones, users, and the
/// place and the columns of each table. It is a text next to the database, so that no page of the
/// database takes both with it.
///
/// It is written after each commit that changes any of these, as far as that can be done: a store
/// without it, or with one of a moment before, is sound. Its lines are JSON arrays,
/// `["_zone",3,2,1,"Notes",17]` for a row and `["table","Note",22,"CREATE TABLE …"]` for a table
/// with its root page; the last line is the checksum of the others.
struct CatalogCopy {
  /// The columns of each of our own tables that are copied, its row number first.
  static let columns: [(table: String, columns: [String])] = [
    ("_user", ["_id", "account", "name"]),
    ("_author", ["_id", "user", "device"]),
    ("_zone", ["_id", "scope", "owner", "name", "made"]),
    ("_type", ["_id", "name", "location", "grants"]),
    ("_field", ["_id", "type", "name", "kind", "location", "indexes"]),
  ]

  /// The rows of a table, with the columns above.
  private(set) var rows: [String: [[JSONValue]]] = [:]
  private(set) var tables: [PageTables.Root] = []

  /// Reads a database's copy. Throws `StoreError` where there is none, and for one that is
  /// not what was written.
  init(of file: EnvironmentFile) throws(StoreError) {
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

  /// The text of a database as it is now.
  static func text(of connection: Connection) throws(StoreError) -> [UInt8] {
    var text: [UInt8] = []
    for (table, columns) in columns {
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
}

extension EnvironmentFile {
  var catalogCopyPath: String { folder + "/catalog" }
  private var catalogDraftPath: String { folder + "/catalog.new" }

  /// Writes the second copy of the catalog, while nobody else writes. Nothing depends on it as long
  /// as the database is whole: a failure, a power loss or a damaged page leaves the former one.
  func writeCatalogCopy(of connection: Connection) {
    guard let text = try? CatalogCopy.text(of: connection), connection.damagedPages.isEmpty else {
      return
    }
    do throws(SystemError) {
      try FileSystem.remove(catalogDraftPath)
      let draft = try FileHandle(create: catalogDraftPath)
      try draft.writeAll(text)
      try draft.synchronize()
      try FileSystem.rename(catalogDraftPath, to: catalogCopyPath)
    } catch {
      try? FileSystem.remove(catalogDraftPath)
    }
  }
}
