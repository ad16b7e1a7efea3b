internal import Basics
internal import CloudModel
internal import SQLite

// The tables and indexes that the file should have.
extension DatabaseCheck {
  /// A database with the tables and indexes that we would make of the catalog.
  func model() throws(SQLiteError) -> Connection {
    let model = try Connection(path: ":memory:", mode: .readWrite)
    try Migrations.create(on: model)
    try Catalog(model).addWordFunctions()
    if try store.catalog.hasIndex(FeedIndexes.tombstones) {
      try model.execute(FeedIndexes.tombstoneCreation)
    }
    for type in try store.catalog.types() {
      guard let table = try store.catalog.table(type) else { continue }
      if type == .users { try model.execute("DROP TABLE \(table.table)") }
      try model.execute(Catalog.creation(of: table, orderedParts(of: table)))
      let names = try store.catalog.indexNames(of: table)
      for index in table.possibleIndexes where names.contains(index.name) {
        try model.execute(index.creation(on: table))
      }
    }
    return model
  }

  /// The columns of a type's fields in the order that they have in the file.
  private func orderedParts(of table: TypeTable) throws(SQLiteError) -> [FieldColumn.Part] {
    let rows = try connection.transientStatement("SELECT name FROM pragma_table_xinfo(?)")
    rows.bind(table.location, 1)
    var places: [String: Int] = [:]
    while try rows.step() { places[rows.text(0).quotedIdentifier] = places.count }
    return table.columns.flatMap(\.parts).sorted {
      places[$0.name, default: .max] < places[$1.name, default: .max]
    }
  }
}
