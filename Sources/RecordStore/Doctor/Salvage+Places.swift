internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

// Which tables and columns types and fields have: no table and no column belongs to two.
extension Salvage {
  /// Gives each type a table and each field columns of its own: those that the catalog names, or
  /// else those of its own name. A type or field that can have neither is dropped.
  func mendPlaces() throws(StoreError) {
    var claims = Claims(claimed: []) { [walk] in walk.tables?[$0] != nil }
    for row in try placedRows("_type") {
      let places = [row.location, row.name].filter { !Self.isReserved($0) }
      try settle(row, in: "_type", claims.claim(places.map { ($0, [$0]) }))
    }
    for type in try placedRows("_type") { try mendColumns(of: type) }
  }

  /// Whether a table of this name can belong only to SQLite or ckdb.
  private static func isReserved(_ name: String) -> Bool {
    name.isEmpty || name.hasPrefix("_") || name.lowercased().hasPrefix("sqlite_")
  }

  private func mendColumns(of type: PlacedRow) throws(StoreError) {
    let columns = Set(walk.tables?[type.location]?.columns ?? [])
    var claims = Claims(claimed: Set(SystemColumns.names)) { columns.contains($0) }
    for row in try placedRows("_field", ", kind", "WHERE type = \(type.number)") {
      guard let kind = FieldType(schemaName: row.kind) else { continue }
      let places = [row.location, row.name].filter { !$0.isEmpty }
      try settle(
        row, in: "_field", claims.claim(places.map { ($0, FieldColumn.names(of: kind, at: $0)) }))
    }
  }

  /// A row of the catalog that says where something is stored.
  private struct PlacedRow {
    let number: Int64
    let name: String
    let location: String
    let kind: String
  }

  /// Rows of the catalog; rows whose place matches their name come first.
  private func placedRows(
    _ table: String, _ kind: String = ", ''", _ condition: String = ""
  ) throws(StoreError) -> [PlacedRow] {
    let statement = try new.connection.query(
      """
      SELECT _id, name, location\(kind) FROM \(table) \(condition) ORDER BY name <> location, _id
      """)
    var rows: [PlacedRow] = []
    while try statement.next() {
      rows.append(
        PlacedRow(
          number: statement.int64(0), name: statement.text(1), location: statement.text(2),
          kind: statement.text(3)))
    }
    return rows
  }

  /// Writes the place that a row was given; drops a row without one.
  private func settle(
    _ row: PlacedRow, in table: String, _ place: String?
  ) throws(StoreError) {
    if place == row.location { return }
    lose(
      .row, table,
      "\(row.name.visible) cannot be in \(row.location.visible): that belongs to another")
    guard let place else {
      return try new.connection.perform("DELETE FROM \(table) WHERE _id = \(row.number)")
    }
    try new.database.run("UPDATE \(table) SET location = ? WHERE _id = ?", [place, row.number])
  }

  /// Names that must be unique, as SQLite compares them.
  private struct Claims {
    var claimed: Set<String>
    let isThere: (String) -> Bool

    /// Takes the first place whose names exist, or else the first whose names are free; nil if
    /// there is none.
    mutating func claim(_ places: [(place: String, names: [String])]) -> String? {
      let free = places.filter { $0.names.allSatisfy { !claimed.contains($0.lowercased()) } }
      guard let found = free.first(where: { $0.names.allSatisfy(isThere) }) ?? free.first else {
        return nil
      }
      claimed.formUnion(found.names.map { $0.lowercased() })
      return found.place
    }
  }
}
