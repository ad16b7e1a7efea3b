internal import SQLite
internal import StoreFiles

// What the steps of an upgrade do apart from adding tables and columns. A step is frozen: it names
// tables and texts as they were in its version.
extension Migrations {
  /// Completes the step to a version, in a file that already has the tables of that version.
  static func finish(_ connection: Connection, _ version: UInt32) throws(StoreError) {
    switch version {
    case 6:
      try connection.perform(
        #"UPDATE _type SET grants = '{"_creator":"WRITE","_world":"READ"}' WHERE _id = 1"#)
    case 7:
      let identity = Int64.random(in: .min ... .max)
      try connection.perform(
        "INSERT INTO _incarnation(identity, until) VALUES (\(identity), NULL)")
    case 8:
      try widenRealColumns(on: connection)
      try dropSignsInLists(on: connection)
    case 12: try connection.perform(coverTableOf12)
    case 13: try sumRecords(on: connection)
    default: break
    }
  }

  /// Covers of version 11 had no names.
  private static let coverTableOf12 = """
    DROP TABLE _cover;
    CREATE TABLE _cover(record INTEGER PRIMARY KEY, share INTEGER NOT NULL,
      type INTEGER NOT NULL, name TEXT NOT NULL) STRICT;
    CREATE INDEX _cover_share ON _cover(share);
    INSERT INTO _cover(record, share, type, name)
    WITH RECURSIVE tree(record, share, type, name, zone) AS (
      SELECT r._id, s._id, r.type, r.name, s.zone FROM _share s
      JOIN _record r ON r.zone = s.zone AND r.name = s.root
      UNION SELECT l.source, t.share, l.type, l.name, t.zone FROM tree t JOIN _reference l
      ON l.zone = t.zone AND l.target = t.name AND l.kind = 3
      WHERE (l.zone, l.name) NOT IN (SELECT zone, root FROM _share WHERE root IS NOT NULL))
    SELECT record, share, type, name FROM tree
    UNION SELECT s._id, s._id, r.type, r.name FROM _share s
    JOIN _record r ON r.zone = s.zone AND r.name = s.name
    """

  /// Sums the records of each type, for a column that is new in version 13.
  private static func sumRecords(on connection: Connection) throws(StoreError) {
    let types = try connection.query("SELECT _id, location FROM _type ORDER BY _id")
    while try types.next() {
      try connection.perform(
        """
        UPDATE _zone SET types = types || ' ' || t.sum FROM (
          SELECT _zone, \(types.int64(0)) || ':' || count(*) || ':'
            || (sum(_checksum & 4294967295) & 4294967295) AS sum
          FROM \(types.text(1).quotedIdentifier) GROUP BY _zone) t WHERE t._zone = _zone._id;
        """)
    }
    try connection.perform("UPDATE _zone SET types = trim(types)")
  }
}
