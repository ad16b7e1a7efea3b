internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

// Compares the maintained indexes with what they would contain if they were made now.
extension DatabaseCheck {
  func checkIndexes(of table: TypeTable) throws(StoreError) {
    for index in try store.catalog.keptIndexes(of: table) {
      let wanted = try entries(of: index, index.contents(of: table))
      let found = try entries(of: index, contents(of: index))
      if wanted != found {
        add(.index, index.name, "this index does not match the records")
      }
    }
    let names = try store.catalog.indexNames(of: table)
    let kept = table.possibleIndexes.count { $0.isKept && names.contains($0.name) }
    let counted = try connection.number("SELECT kept FROM _type WHERE _id = \(table.number)")
    if counted != Int64(kept) {
      add(.index, table.location, "it has \(kept) kept indexes but counts \(counted ?? 0)")
    }
  }

  /// A query for the values of an index with the numbers of their records.
  private func contents(of index: PhysicalIndex) throws(StoreError) -> String {
    guard case .words = index.kind else { return "SELECT value, _id FROM \(index.identifier)" }
    // The words of an index without contents can be read through a table of its own.
    let name = index.name.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "''")
    try connection.perform(
      """
      DROP TABLE IF EXISTS temp._words;
      CREATE VIRTUAL TABLE temp._words USING fts5vocab(main, '\(name)', 'instance')
      """)
    return "SELECT term, doc FROM temp._words"
  }

  /// The values that a query returns, each once for a record; texts are split into words.
  private func entries(of index: PhysicalIndex, _ query: String) throws(StoreError) -> RowSum {
    let rows = try connection.query(query)
    var sum = RowSum()
    var record: Int64?
    var seen: Set<[UInt8]> = []
    let isWords = if case .words = index.kind { true } else { false }
    while try rows.next() {
      // Lists and texts come record by record; an index has each pair once anyway.
      if rows.int64(1) != record {
        record = rows.int64(1)
        seen.removeAll(keepingCapacity: true)
      }
      let value = Array(rows.utf8(0))
      let parts = isWords ? value.split(separator: 0x20).map(Array.init) : [value]
      for part in parts where seen.insert(part).inserted {
        var row = Checksum64(seed: UInt64(bitPattern: rows.int64(1)))
        part.withUnsafeBytes { row.add($0) }
        sum.add(row)
      }
    }
    return sum
  }
}
