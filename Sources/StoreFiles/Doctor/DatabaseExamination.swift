internal import Basics
internal import CloudModel
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A check of what every database has, whatever its tables: pages, definitions, seals, modes. What
/// cannot be read is a finding, and the check continues.
struct DatabaseExamination {
  private let file: DatabaseFile
  private let connection: Connection
  /// The findings.
  var list = FindingList()

  /// Checks an open database, within a transaction.
  init(_ file: DatabaseFile, _ connection: Connection) {
    (self.file, self.connection) = (file, connection)
  }

  /// Reads something; if that fails, the failure is a finding about `subject`.
  mutating func attempt(
    _ subject: String, _ work: (inout FindingList) throws(StoreError) -> Void
  ) {
    do throws(StoreError) { try work(&list) } catch {
      list.add(error, subject)
    }
  }

  // MARK: Pages

  /// Checks all pages; `isDeep` also compares indexes with their tables.
  mutating func checkPages(isDeep: Bool) {
    let pragma = isDeep ? "integrity_check" : "quick_check"
    let (file, connection) = (file, connection)
    attempt(file.name) { (list) throws(StoreError) in
      let rows = try connection.query("PRAGMA \(pragma)(100)")
      while try rows.next() {
        // It reports on pages in one text, under a headline.
        for text in rows.text(0).split(separator: "\n").map(String.init)
        where text != "ok" && !text.hasPrefix("*** in database") {
          list.add(Self.isAboutIndex(text) ? .index : .page, file.name, text)
        }
      }
    }
    // SQLite has read all pages except those without rows.
    var damaged = Set(connection.damagedPages)
    if isDeep, let pages = try? DatabasePages(file) { damaged.formUnion(pages.damagedPages()) }
    for page in damaged.sorted() {
      list.add(.page, file.name, "page \(page) does not match its checksum")
    }
  }

  /// Whether the rows exist and only an SQLite index lacks them.
  private static func isAboutIndex(_ text: String) -> Bool {
    text.hasPrefix("wrong # of entries in index")
      || text.hasPrefix("row ") && text.contains(" missing from index ")
      || text.hasPrefix("non-unique entry in index")
  }

  // MARK: Tables

  /// Checks that each row matches its seal.
  mutating func checkSeals() {
    let connection = connection
    for table in file.format.tables where table.isSealed {
      let columns = table.values.joined(separator: ", ")
      attempt(table.name) { (list) throws(StoreError) in
        let rows = try connection.query(
          "SELECT \(columns) FROM \(table.name) WHERE NOT (\(table.fits()))")
        while try rows.next() {
          let values = table.values.indices.map { rows.text($0).visible }.joined(separator: " ")
          list.add(.row, table.name, "this row does not match its checksum: \(values)")
        }
      }
    }
  }

  /// Checks that each table has all rows that were written.
  mutating func checkSums() {
    let connection = connection
    for table in file.format.tables {
      attempt(table.name) { (list) throws(StoreError) in
        try table.differingSums(on: connection) { (owner, written, found) throws(StoreError) in
          list.add(.table, table.name, Self.difference(owner, written, found))
        }
      }
    }
  }

  /// A finding about rows that differ from their sum.
  static func difference(_ owner: String, _ written: Int64, _ found: Int64) -> String {
    let owner = owner.isEmpty ? "" : " of \(owner.visible)"
    return written == found
      ? "the rows\(owner) do not match their checksum"
      : "\(written.counted("row"))\(owner) were written, but \(found) can be found"
  }

  /// Checks that each table and index is as in a model, and that there are no others.
  mutating func checkObjects(
    against model: () throws(StoreError) -> Connection
  ) {
    let connection = connection
    attempt("sqlite_schema") { (list) throws(StoreError) in
      let found = try Self.objects(of: connection)
      let expected = try Self.objects(of: model())
      for (key, sql) in expected {
        guard let other = found[key] else {
          list.add(
            key.kind == "index" ? .index : .table, key.name, "this \(key.kind) is missing")
          continue
        }
        if other != sql {
          list.add(.table, key.name, "the definition of this \(key.kind) was changed")
        }
      }
      for key in found.keys.sorted(by: { utf8Precedes($0.name, $1.name) })
      where expected[key] == nil {
        let isTable = key.kind == "table"
        list.add(isTable ? .stranger : .object, key.name, "this \(key.kind) is not part of ckdb")
      }
    }
  }

  /// A table, index, trigger or view.
  private struct ObjectKey: Hashable {
    let kind: String
    let name: String
  }

  /// The objects of a database with the statements that made them, without blanks.
  private static func objects(of connection: Connection) throws(StoreError) -> [ObjectKey: String] {
    let rows = try connection.query("SELECT type, name, sql FROM sqlite_schema")
    var objects: [ObjectKey: String] = [:]
    while try rows.next() {
      let key = ObjectKey(kind: rows.text(0), name: rows.text(1))
      objects[key] = String(rows.text(2).filter { !$0.isWhitespace })
    }
    return objects
  }

  /// Checks that the last committed change is in the database.
  mutating func checkLastChange(noted: Int64) {
    let (file, connection) = (file, connection)
    attempt(file.name) { (list) throws(StoreError) in
      let last = try connection.number(file.format.lastSequence) ?? 0
      guard last < noted else { return }
      list.add(
        .lostChanges, file.name,
        "it ends at change \(last), but change \(noted) was made: its log is missing or belongs to "
          + "another database, or it is an older copy")
    }
  }
}

extension FindingList {
  /// Only the owner may read or write a store: checks the mode of a file in a folder, or of the
  /// folder.
  public mutating func checkMode(_ path: String, in folder: String) {
    guard let mode = FileSystem.modeForOthers(of: path) else { return }
    let subject = path == folder ? "." : String(path.dropFirst(folder.count + 1))
    add(.mode, subject, "other users can read or write it (mode \(String(mode, radix: 8)))")
  }
}
