internal import Basics
internal import CloudModel
package import SQLite
package import StoreFiles

// The tables and indexes that the file should have.
extension EnvironmentStore {
  /// A database with the tables and indexes that this version would make from the catalog.
  package func model() throws(StoreError) -> Connection {
    let model = try Connection.open()
    try DatabaseFormat.records.create(model)
    try Catalog.addWordFunctions(to: model)
    if try catalog.hasIndex(FeedIndexes.tombstones) {
      try model.perform(FeedIndexes.tombstoneCreation)
    }
    for type in try catalog.types() {
      guard let table = try catalog.table(type) else { continue }
      if type == .users { try model.perform("DROP TABLE \(table.table)") }
      try model.perform(Catalog.creation(of: table, orderedParts(of: table)))
      let names = try catalog.indexNames(of: table)
      for index in table.possibleIndexes where names.contains(index.name) {
        try model.perform(index.creation(on: table))
      }
    }
    return model
  }

  /// The columns of a type's fields in their order in the file.
  private func orderedParts(of table: TypeTable) throws(StoreError) -> [FieldColumn.Part] {
    let names: [String] = try database.values(
      "SELECT name FROM pragma_table_xinfo(?)", [table.location])
    var places: [String: Int] = [:]
    for name in names { places[name.quotedIdentifier] = places.count }
    return table.columns.flatMap(\.parts).sorted {
      places[$0.name, default: .max] < places[$1.name, default: .max]
    }
  }
}
