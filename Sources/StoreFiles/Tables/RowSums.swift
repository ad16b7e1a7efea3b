internal import Basics
internal import SQLite

// The table `_sum` has, for each owner of rows in a table, their count and the sum of the lower
// halves of their seals. It reveals rows that a lost write of a page hides: the former contents of
// the page have valid checksums. Triggers of each writer's connection keep it up to date, and roll
// back with the change.
extension Table {
  /// Whose rows are summed.
  public enum Owner: Sendable {
    /// Those with the same value in a column.
    case column(String)
    /// All rows of the table.
    case all

    /// An SQL expression for the owner of a row.
    fileprivate func sql(_ prefix: String) -> String {
      switch self {
      case .column(let name): "CAST(\(prefix)\(name) AS TEXT)"
      case .all: "''"
      }
    }
  }

  /// The table of sums, in databases since a version.
  public static func sums(since version: UInt32) -> Table {
    Table(
      "_sum", "The count and the checksum of an owner's rows in a table", since: version,
      key: .columns(["name", "owner"]),
      [.text("name"), .text("owner"), .integer("rows"), .integer("checksum")], salvage: .rebuilt)
  }

  fileprivate static let half = "4294967295"

  /// SQL that makes the triggers of a connection for this table.
  fileprivate func sumTriggers(_ owner: Owner) -> String {
    let (removal, addition) = (change(-1, "old.", owner), change(1, "new.", owner))
    let empty = """
      DELETE FROM _sum WHERE name = '\(name)' AND owner = \(owner.sql("old.")) AND rows = 0;
      """
    return [
      ("INSERT", addition), ("UPDATE", addition + removal + empty), ("DELETE", removal + empty),
    ].reduce(into: "") {
      $0 += """
        CREATE TEMP TRIGGER IF NOT EXISTS \(name)_\($1.0) AFTER \($1.0) ON \(name)
        BEGIN \($1.1) END;

        """
    }
  }

  private func change(_ count: Int, _ row: String, _ owner: Owner) -> String {
    """
    INSERT INTO _sum(name, owner, rows, checksum) VALUES ('\(name)', \(owner.sql(row)), \(count),
      (\(count) * (\(row)seal & \(Self.half))) & \(Self.half))
    ON CONFLICT(name, owner) DO UPDATE SET rows = rows + excluded.rows,
      checksum = (checksum + excluded.checksum) & \(Self.half);
    """
  }

  /// An SQL query for the owners of the table's rows with their sums.
  private func sums(_ owner: Owner) -> String {
    """
    SELECT \(owner.sql("")), count(*), sum(seal & \(Self.half)) & \(Self.half)
    FROM \(name) GROUP BY 1
    """
  }

  /// SQL that computes the sums of all rows again; empty for a table without sums.
  var resumming: String {
    guard let owner else { return "" }
    return "DELETE FROM _sum WHERE name = '\(name)';\n"
      + "INSERT INTO _sum(name, owner, rows, checksum) SELECT '\(name)', * FROM "
      + "(\(sums(owner))) WHERE true;\n"
  }

  /// Passes the owners whose rows differ from their sums to `body`, with the count that they had
  /// and the count that they have.
  func differingSums(
    on connection: Connection, _ body: (String, Int64, Int64) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard let owner else { return }
    typealias Sum = (count: Int64, checksum: Int64)
    var stored: [String: Sum] = [:]
    let sums = try connection.query("SELECT owner, rows, checksum FROM _sum WHERE name = ?")
    sums.bind(name, 1)
    while try sums.next() { stored[sums.text(0)] = (sums.int64(1), sums.int64(2)) }
    let rows = try connection.query(self.sums(owner))
    while try rows.next() {
      let found: Sum = (rows.int64(1), rows.int64(2))
      let sum = stored.removeValue(forKey: rows.text(0)) ?? (0, 0)
      if sum != found { try body(rows.text(0), sum.count, found.count) }
    }
    for (owner, sum) in stored.sorted(by: { utf8Precedes($0.key, $1.key) }) {
      try body(owner, sum.count, 0)
    }
  }
}

extension OpenDatabase {
  /// Makes the triggers that keep the sums of a table up to date, before its first change.
  func keepSums(of table: Table) throws(StoreError) {
    guard let owner = table.owner, summedTables.insert(table.name).inserted else { return }
    try connection.perform(table.sumTriggers(owner))
  }

  /// Throws `corrupt` if the rows of an owner, all of which are read by an index, are not those
  /// that were written; `subject` names them in the message.
  package func requireAllRows(
    of table: Table, owner: some StoredValue, by index: String, _ subject: () -> String
  ) throws(StoreError) {
    guard case .column(let column)? = table.owner else { return }
    let counts = try first(
      """
      SELECT ifnull(s.rows, 0), f.rows FROM
      (SELECT count(*) AS rows, ifnull(sum(seal & \(Table.half)), 0) & \(Table.half) AS checksum
        FROM \(table.name) INDEXED BY \(index) WHERE \(column) = ?1) f
      LEFT JOIN _sum s ON s.name = '\(table.name)' AND s.owner = CAST(?1 AS TEXT)
      WHERE f.rows <> ifnull(s.rows, 0) OR f.checksum <> ifnull(s.checksum, 0)
      """, [owner]
    ) { ($0.int64(0), $0.int64(1)) }
    guard let (written, found) = counts else { return }
    throw connection.damage(
      written == found
        ? "\(subject()) do not match their checksum"
        : "\(subject()) are damaged: \(written) were written, but \(found) can be found")
  }
}
