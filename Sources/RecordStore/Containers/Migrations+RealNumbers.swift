internal import SQLite

// Format 8: columns of real numbers have the type ANY, which keeps -0.0 (`FieldColumn`), and
// checksums tell it from 0.0.
extension Migrations {
  /// Gives the REAL columns of all types' tables the type ANY.
  static func widenRealColumns(on connection: Connection) throws(SQLiteError) {
    let types = try connection.transientStatement("SELECT location FROM _type ORDER BY _id")
    var tables: [String] = []
    while try types.step() { tables.append(types.text(0)) }
    for table in tables { try widenRealColumns(of: table, on: connection) }
  }

  /// Writes 0.0 for -0.0 in lists: the checksums of before took one for the other.
  static func dropSignsInLists(on connection: Connection) throws(SQLiteError) {
    let lists = try connection.transientStatement(
      """
      SELECT t.location, f.location FROM _field f JOIN _type t ON t._id = f.type
      WHERE f.kind IN ('LIST<DOUBLE>', 'LIST<NUMBER>')
      """)
    var columns: [(table: String, column: String)] = []
    while try lists.step() {
      columns.append((lists.text(0).quotedIdentifier, lists.text(1).quotedIdentifier))
    }
    for (table, column) in columns {
      // Twice, as neighbours share a comma.
      let inner = "replace(replace(\(column), ',-0.0,', ',0.0,'), ',-0.0,', ',0.0,')"
      let ends = [("[-0.0]", "[0.0]"), ("[-0.0,", "[0.0,"), (",-0.0]", ",0.0]")]
      let text = ends.reduce(inner) { "replace(\($0), '\($1.0)', '\($1.1)')" }
      try connection.execute(
        "UPDATE \(table) SET \(column) = \(text) WHERE instr(\(column), '-0.0') > 0")
    }
  }

  /// Copies a table with REAL columns: SQLite cannot alter a column's type.
  private static func widenRealColumns(
    of table: String, on connection: Connection
  ) throws(SQLiteError) {
    let columns = try fieldColumns(of: table, on: connection)
    guard columns.contains(where: { $0.type == "REAL" }) else { return }
    let fields = columns.map { ", \($0.name) \($0.type == "REAL" ? "ANY" : $0.type)" }
    let indexes = try indexes(of: table, on: connection)
    let name = table.quotedIdentifier
    try connection.execute(
      """
      CREATE TABLE _upgraded(\(systemColumns)\(fields.joined())) STRICT;
      INSERT INTO _upgraded SELECT * FROM \(name);
      DROP TABLE \(name);
      ALTER TABLE _upgraded RENAME TO \(name);
      """)
    for index in indexes { try connection.execute(index) }
  }

  private static func fieldColumns(
    of table: String, on connection: Connection
  ) throws(SQLiteError) -> [FieldColumn.Part] {
    let rows = try connection.transientStatement(
      "SELECT name, type FROM pragma_table_xinfo(?) WHERE cid >= \(SystemColumns.count)")
    rows.bind(table, 1)
    var columns: [FieldColumn.Part] = []
    while try rows.step() {
      columns.append(.init(name: rows.text(0).quotedIdentifier, type: rows.text(1)))
    }
    return columns
  }

  /// The statements that make the table's indexes.
  private static func indexes(
    of table: String, on connection: Connection
  ) throws(SQLiteError) -> [String] {
    let rows = try connection.transientStatement(
      "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
    rows.bind(table, 1)
    var indexes: [String] = []
    while try rows.step() { indexes.append(rows.text(0)) }
    return indexes
  }
}
