internal import Basics
internal import CloudModel
internal import SQLite

// The tables and indexes of the file against those that we would make of its catalog.
extension DatabaseCheck {
  /// Each table is the one that we would make, and there is nothing else.
  func checkTables() {
    attempt("sqlite_schema") { () throws(SQLiteError) in
      let found = try Self.objects(of: connection)
      let expected = try expectedObjects()
      for (key, sql) in expected {
        guard let other = found[key] else {
          add(key.kind == "index" ? .index : .table, key.name, "this \(key.kind) is missing")
          continue
        }
        if other != sql { add(.table, key.name, "the definition of this \(key.kind) was changed") }
      }
      for key in found.keys.sorted(by: { utf8Precedes($0.name, $1.name) })
      where expected[key] == nil {
        let isTable = key.kind == "table"
        add(isTable ? .stranger : .object, key.name, "this \(key.kind) is not ckdb's")
      }
    }
  }

  /// A table, index, trigger or view.
  struct ObjectKey: Hashable {
    let kind: String
    let name: String
  }

  /// The objects of a database with the statements that made them, without blanks.
  static func objects(of connection: Connection) throws(SQLiteError) -> [ObjectKey: String] {
    let rows = try connection.transientStatement("SELECT type, name, sql FROM sqlite_schema")
    var objects: [ObjectKey: String] = [:]
    while try rows.step() {
      let key = ObjectKey(kind: rows.text(0), name: rows.text(1))
      objects[key] = String(rows.text(2).filter { !$0.isWhitespace })
    }
    return objects
  }

  /// What a database has that is made anew from the catalog.
  private func expectedObjects() throws(SQLiteError) -> [ObjectKey: String] {
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
    return try Self.objects(of: model)
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
