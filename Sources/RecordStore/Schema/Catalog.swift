internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

/// The record types of an environment file, read when they are first requested.
final class Catalog {
  let database: OpenDatabase
  var connection: Connection { database.connection }
  /// The known tables, in the byte order of their types' names.
  private var tables: [TypeTable] = []
  /// The same tables, in the order of their numbers.
  private var tablesByNumber: [TypeTable] = []
  /// The names of all types, in byte order, once they were read.
  private var names: [RecordType]?
  /// The names of all tables in lower case, once they were read.
  private var takenLocations: Set<String>?
  /// Types whose tables are not made yet: SQLite reads its whole schema again for each column that
  /// is added to a table, but not for a table.
  private var pending: [TypeTable] = []
  /// The last table that was requested by its number.
  private var last: TypeTable?
  /// The number of the known schema; -1 for none.
  private(set) var version: Int64 = -1
  /// The names of the physical indexes of all types, by table, once they were read.
  var indexNames: [String: Set<String>]?
  /// Whether SQLite has the functions that split texts into words.
  var hasWordFunctions = false

  /// Whether damaged rows are read as they are.
  private let allowsDamage: Bool

  init(_ database: OpenDatabase, allowsDamage: Bool = false) {
    self.database = database
    self.allowsDamage = allowsDamage
  }

  /// Whether nothing is known that could have changed.
  var isEmpty: Bool { tables.isEmpty && names == nil && indexNames == nil }

  /// Forgets everything if another process has changed the schema.
  func synchronize(version: Int64) {
    guard version != self.version else { return }
    forget()
    self.version = version
  }

  /// Forgets everything, as after a rollback.
  func forget() {
    tables.removeAll()
    tablesByNumber.removeAll()
    names = nil
    takenLocations = nil
    pending.removeAll()
    last = nil
    indexNames = nil
    version = -1
  }

  /// Notes a change by this process.
  func changed() throws(StoreError) {
    try connection.prepared(Self.countingUp).perform()
    version += 1
    database.catalogCopy.change()
  }

  private static let countingUp = EnvironmentTables.state.update(["catalog": "catalog + 1"])

  func known(_ type: RecordType) -> TypeTable? {
    let place = place(of: type)
    guard place < tables.count, tables[place].schema.name == type else { return nil }
    return tables[place]
  }

  /// The place of a type's table among the known ones, or where it would be inserted.
  private func place(of type: RecordType) -> Int {
    tables.firstPlace { utf8Precedes($0.schema.name.text, type.text) }
  }

  func table(_ type: RecordType) throws(StoreError) -> TypeTable? {
    try makePendingTables()
    if let table = known(type) { return table }
    let statement = try connection.prepared(
      "SELECT \(Self.typeColumns) FROM _type WHERE name = ?")
    statement.bind(type.text, 1)
    return try load(statement)
  }

  func table(number: Int64) throws(StoreError) -> TypeTable? {
    if !pending.isEmpty { try makePendingTables() }
    if let last, last.number == number { return last }
    let place = place(of: number)
    if place < tablesByNumber.count, tablesByNumber[place].number == number {
      last = tablesByNumber[place]
      return last
    }
    let statement = try connection.prepared(
      "SELECT \(Self.typeColumns) FROM _type WHERE _id = ?")
    statement.bind(number, 1)
    return try load(statement)
  }

  /// The place of a table with a number among the known ones, or where it would be inserted.
  private func place(of number: Int64) -> Int {
    tablesByNumber.firstPlace { $0.number < number }
  }

  private static let typeColumns = EnvironmentTables.type.selection()
  private static let fieldsOfType =
    "SELECT \(EnvironmentTables.field.selection()) FROM _field WHERE type = ? ORDER BY name"

  /// A row. Throws for a damaged one, unless damage is allowed.
  private func row(_ table: Table, in statement: Statement) throws(StoreError) -> Row {
    allowsDamage ? Row(damaged: table, in: statement) : try Row(table, in: statement)
  }

  /// The type of a row of `_type`; nil for none.
  private func load(_ statement: Statement) throws(StoreError) -> TypeTable? {
    guard try statement.next() else { return nil }
    defer { statement.reset() }
    let row = try row(EnvironmentTables.type, in: statement)
    let table = try load(row.number, row["name"], row["location"])
    table.set(Grants(text: row["grants"]) ?? Grants())
    return table
  }

  private func load(
    _ number: Int64, _ type: RecordType, _ location: String
  ) throws(StoreError) -> TypeTable {
    let statement = try connection.prepared(Self.fieldsOfType)
    statement.bind(number, 1)
    var columns: [FieldColumn] = []
    var systemIndexes: [(key: SystemKey, indexes: FieldIndexes)] = []
    while try statement.next() {
      let row = try row(EnvironmentTables.field, in: statement)
      let (name, indexes) = (row["name"] as FieldName, FieldIndexes(rawValue: row["indexes"]))
      guard let kind = FieldType(schemaName: row["kind"]) else {
        // A system field has no column of its own, only indexes.
        if let key = SystemKey(name.text) { systemIndexes.append((key, indexes)) }
        continue
      }
      columns.append(
        FieldColumn(
          FieldSchema(name: name, type: kind, indexes: indexes), number: row.number,
          location: row["location"]))
    }
    let table = TypeTable(number: number, name: type, location: location, columns: columns)
    for (key, indexes) in systemIndexes { table.set(indexes, of: key) }
    tables.insert(table, at: place(of: type))
    tablesByNumber.insert(table, at: place(of: number))
    last = table
    return table
  }

  func types() throws(StoreError) -> [RecordType] {
    if let names { return names }
    let statement = try connection.prepared(
      "SELECT \(Self.typeColumns) FROM _type NOT INDEXED ORDER BY name")
    var types: [RecordType] = []
    while try statement.next() {
      types.append(try row(EnvironmentTables.type, in: statement)["name"])
    }
    names = types
    return types
  }

  // MARK: Growth

  func addType(
    _ type: RecordType, _ grants: Grants = .ofNewType
  ) throws(StoreError) -> TypeTable {
    // SQLite reserves names that begin with sqlite_.
    let wanted = type.text.lowercased().hasPrefix("sqlite_") ? "~" + type.text : type.text
    let location = try freeLocation(wanted)
    let number = try database.insert(
      EnvironmentTables.type,
      ["name": type, "location": location, "kept": 0, "grants": grants.text])
    try changed()
    let table = try load(number, type, location)
    table.set(grants)
    table.isPending = true
    pending.append(table)
    names = nil
    return table
  }

  /// Makes the tables of new types, before anything else is done with them.
  func makePendingTables() throws(StoreError) {
    for table in pending where table.isPending { try make(table) }
    pending.removeAll()
  }

  /// Makes the table of a type if that has not happened yet.
  func make(_ table: TypeTable) throws(StoreError) {
    guard table.isPending else { return }
    try connection.perform(Self.creation(of: table))
    table.isPending = false
  }

  /// The statement that makes the table of a type with all its columns.
  static func creation(of table: TypeTable, _ parts: [FieldColumn.Part]? = nil) -> String {
    let parts = parts ?? table.columns.flatMap(\.parts)
    let columns = parts.map { ", \($0.name) \($0.type)" }.joined()
    return "CREATE TABLE \(table.table)(\(Migrations.systemColumns)\(columns)) STRICT"
  }

  /// The wanted name of a table, or another one if it is taken.
  private func freeLocation(_ wanted: String) throws(StoreError) -> String {
    if takenLocations == nil {
      let locations: [String] = try database.values("SELECT location FROM _type")
      takenLocations = Set(locations.map { $0.lowercased() })
    }
    let name = Self.freeName(wanted, takenLocations ?? [])
    takenLocations?.insert(name.lowercased())
    return name
  }

  func addField(_ field: FieldSchema, to table: TypeTable) throws(StoreError) {
    let location = Self.freeName(
      field.name.text, Set(table.columns.map { $0.location.lowercased() }))
    let number = try database.insert(
      EnvironmentTables.field,
      [
        "type": table.number, "name": field.name, "kind": field.type.schemaName,
        "location": location, "indexes": field.indexes.rawValue,
      ])
    let column = FieldColumn(field, number: number, location: location)
    if !table.isPending {
      for part in column.parts {
        try connection.perform("ALTER TABLE \(table.table) ADD COLUMN \(part.name) \(part.type)")
      }
    }
    try changed()
    let place = table.columns.firstIndex { !utf8Precedes($0.schema.name.text, field.name.text) }
    var columns = table.columns
    columns.insert(column, at: place ?? columns.count)
    table.set(columns)
  }

  /// Drops a type whose records are deleted.
  func drop(_ table: TypeTable) throws(StoreError) {
    try make(table)
    connection.forgetStatements()
    table.forgetStatements()
    try connection.perform(
      """
      DROP TABLE \(table.table);
      DELETE FROM _field WHERE type = \(table.number);
      DELETE FROM _type WHERE _id = \(table.number);
      """)
    tables.removeAll { $0.number == table.number }
    tablesByNumber.removeAll { $0.number == table.number }
    names = nil
    takenLocations = nil
    last = nil
    try changed()
  }

  /// Drops a field with its columns.
  func drop(_ column: FieldColumn, of table: TypeTable) throws(StoreError) {
    try make(table)
    connection.forgetStatements()
    table.forgetStatements()
    try dropIndexes(of: column, table)
    for part in column.parts {
      try connection.perform("ALTER TABLE \(table.table) DROP COLUMN \(part.name)")
    }
    try connection.perform("DELETE FROM _field WHERE _id = \(column.number)")
    try changed()
    table.set(table.columns.filter { $0.number != column.number })
  }

  /// Drops the physical indexes that have values of a field.
  private func dropIndexes(of column: FieldColumn, _ table: TypeTable) throws(StoreError) {
    var indexes = table.index(of: column.schema.name.text).map { [$0] } ?? []
    if column.schema.type.base == .string, let words = table.wordIndex { indexes.append(words) }
    for index in indexes { try connection.perform(index.dropping) }
    try changed(indexesOf: table)
  }

  /// Changes the declared indexes of a field.
  func setIndexes(
    _ indexes: FieldIndexes, of name: FieldName, in table: TypeTable
  ) throws(StoreError) {
    try change(name, of: table) { $0.indexes = indexes }
  }

  /// Changes the type of a field whose values are stored in the same way.
  func setType(
    _ type: FieldType, of name: FieldName, in table: TypeTable
  ) throws(StoreError) {
    try change(name, of: table) { $0.type = type }
  }

  private func change(
    _ name: FieldName, of table: TypeTable, _ work: (inout FieldSchema) -> Void
  ) throws(StoreError) {
    guard let place = table.place(of: name) else { return }
    var columns = table.columns
    var schema = columns[place].schema
    work(&schema)
    columns[place] = FieldColumn(
      schema, number: columns[place].number, location: columns[place].location)
    try database.run(
      EnvironmentTables.field.update(["kind": "?1", "indexes": "?2"]) + " WHERE _id = ?3",
      [schema.type.schemaName, schema.indexes.rawValue, columns[place].number])
    try changed()
    table.set(columns)
  }

  /// Changes the declared indexes of a system field, which has a row in the catalog for them.
  func setIndexes(
    _ indexes: FieldIndexes, of key: SystemKey, in table: TypeTable
  ) throws(StoreError) {
    try database.insert(
      EnvironmentTables.field,
      [
        "type": table.number, "name": key.schemaName ?? key.rawValue, "kind": "SYSTEM",
        "location": "", "indexes": indexes.rawValue,
      ], .update)
    try changed()
    table.set(indexes, of: key)
  }

  /// Changes the grants of a type in the public database.
  func setGrants(_ grants: Grants, of table: TypeTable) throws(StoreError) {
    try database.run(
      EnvironmentTables.type.update(["grants": "?1"]) + " WHERE _id = ?2",
      [grants.text, table.number])
    try changed()
    table.set(grants)
  }

  /// Turns an INT64 field into a DOUBLE field, including its values.
  ///
  /// The field keeps its column's name: a new column replaces the old one under it.
  func widen(_ name: FieldName, of table: TypeTable) throws(StoreError) {
    guard let place = table.place(of: name) else { return }
    try make(table)
    let old = table.columns[place]
    let draft = (old.location + ".wide").quotedIdentifier
    let column = old.location.quotedIdentifier
    try dropIndexes(of: old, table)
    try connection.perform(
      """
      ALTER TABLE \(table.table) ADD COLUMN \(draft) ANY;
      UPDATE \(table.table) SET \(draft) = CAST(\(column) AS REAL) WHERE \(column) IS NOT NULL;
      ALTER TABLE \(table.table) DROP COLUMN \(column);
      ALTER TABLE \(table.table) RENAME COLUMN \(draft) TO \(column);
      \(EnvironmentTables.field.update(["kind": "'DOUBLE'"])) WHERE _id = \(old.number);
      """)
    var schema = old.schema
    schema.type.base = .double
    var columns = table.columns
    columns[place] = FieldColumn(schema, number: old.number, location: old.location)
    try changed()
    table.set(columns)
  }

  /// The wanted name, or `name~2` and so on if SQLite, which ignores case, has it already.
  private static func freeName(_ wanted: String, _ taken: Set<String>) -> String {
    var name = wanted
    var number = 2
    while taken.contains(name.lowercased()) {
      name = "\(wanted)~\(number)"
      number += 1
    }
    return name
  }
}
