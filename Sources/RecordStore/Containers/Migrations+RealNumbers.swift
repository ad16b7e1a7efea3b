internal import SQLite
internal import StoreFiles

// Format 8: columns of real numbers have the type ANY, which keeps -0.0 (`FieldColumn`), and
// checksums tell it from 0.0.
extension Migrations {
  /// Changes the REAL columns of all types' tables to the type ANY.
  static func widenRealColumns(on connection: Connection) throws(StoreError) {
    let types = try connection.query("SELECT location FROM _type ORDER BY _id")
    var tables: [String] = []
    while try types.next() { tables.append(types.text(0)) }
    for table in tables { try widenRealColumns(of: table, on: connection) }
  }

  /// Replaces -0.0 by 0.0 in lists: earlier checksums did not distinguish them.
  static func dropSignsInLists(on connection: Connection) throws(StoreError) {
    let lists = try connection.query(
      """
      SELECT t.location, f.location FROM _field f JOIN _type t ON t._id = f.type
      WHERE f.kind IN ('LIST<DOUBLE>', 'LIST<NUMBER>')
      """)
    var columns: [(table: String, column: String)] = []
    while try lists.next() {
      columns.append((lists.text(0).quotedIdentifier, lists.text(1).quotedIdentifier))
    }
    for (table, column) in columns {
      // Replaces twice, as neighbors share a comma.
      let inner = "replace(replace(\(column), ',-0.0,', ',0.0,'), ',-0.0,', ',0.0,')"
      let ends = [("[-0.0]", "[0.0]"), ("[-0.0,", "[0.0,"), (",-0.0]", ",0.0]")]
      let text = ends.reduce(inner) { "replace(\($0), '\($1.0)', '\($1.1)')" }
      try connection.perform(
        "UPDATE \(table) SET \(column) = \(text) WHERE instr(\(column), '-0.0') > 0")
    }
  }

  /// Copies a table with REAL columns: SQLite cannot alter a column's type.
  private static func widenRealColumns(
    of table: String, on connection: Connection
  ) throws(StoreError) {
    let columns = try fieldColumns(of: table, on: connection)
    guard columns.contains(where: { $0.type == "REAL" }) else { return }
    let fields = columns.map { ", \($0.name) \($0.type == "REAL" ? "ANY" : $0.type)" }
    let indexes = try indexes(of: table, on: connection)
    let name = table.quotedIdentifier
    try connection.perform(
      """
      CREATE TABLE _upgraded(\(columnsOf8)\(fields.joined())) STRICT;
      INSERT INTO _upgraded SELECT * FROM \(name);
      DROP TABLE \(name);
      ALTER TABLE _upgraded RENAME TO \(name);
      """)
    for index in indexes { try connection.perform(index) }
  }

  private static func fieldColumns(
    of table: String, on connection: Connection
  ) throws(StoreError) -> [FieldColumn.Part] {
    let rows = try connection.query(
      "SELECT name, type FROM pragma_table_xinfo(?) WHERE cid >= 11")
    rows.bind(table, 1)
    var columns: [FieldColumn.Part] = []
    while try rows.next() {
      columns.append(.init(name: rows.text(0).quotedIdentifier, type: rows.text(1)))
    }
    return columns
  }

  /// The statements that make the table's indexes.
  private static func indexes(
    of table: String, on connection: Connection
  ) throws(StoreError) -> [String] {
    let rows = try connection.query(
      "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
    rows.bind(table, 1)
    var indexes: [String] = []
    while try rows.next() { indexes.append(rows.text(0)) }
    return indexes
  }

  private static let columnsOf8 = """
    _id INTEGER PRIMARY KEY, _zone INTEGER NOT NULL, _name TEXT NOT NULL,
    _sequence INTEGER NOT NULL,
    _created INTEGER NOT NULL, _creator INTEGER NOT NULL, _modified INTEGER NOT NULL,
    _modifier INTEGER NOT NULL, _parent TEXT, _share TEXT, _checksum INTEGER NOT NULL
    """
}
