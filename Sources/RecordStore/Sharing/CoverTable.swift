public import CloudModel
internal import SQLite

/// A record of a tree, by its rows.
struct TreeRecord {
  let number: Int64
  let type: Int64
  let name: RecordName

  init(number: Int64, type: Int64, name: RecordName) {
    (self.number, self.type, self.name) = (number, type, name)
  }

  init(_ stored: StoredRecord) {
    self.init(number: stored.number, type: stored.type, name: stored.record.name)
  }
}

// Which share covers a record (R10.1.4): the one whose root it is, or else that of its parent.
extension EnvironmentStore {
  /// The number of the share that covers a record; nil for none, also in a zone that is shared as a
  /// whole. Throws `StoreError`.
  public func cover(of stored: StoredRecord) throws(StoreError) -> Int64? {
    try sql { () throws(SQLiteError) in try cover(ofNumber: stored.number) }
  }

  /// The number of the share that covers the record of a name; nil for none. Throws `StoreError`.
  public func cover(
    of name: RecordName, in zone: StoredZone
  ) throws(StoreError) -> Int64? {
    try sql { () throws(SQLiteError) in try cover(of: name, in: zone.number) }
  }

  func cover(ofNumber number: Int64) throws(SQLiteError) -> Int64? {
    let row = try connection.statement("SELECT share FROM _cover WHERE record = ?")
    row.bind(number, 1)
    defer { row.reset() }
    return try row.step() ? row.int64(0) : nil
  }

  private func cover(of name: RecordName, in zone: Int64) throws(SQLiteError) -> Int64? {
    let row = try connection.statement(
      """
      SELECT c.share FROM _record r JOIN _cover c ON c.record = r._id
      WHERE r.zone = ? AND r.name = ?
      """)
    row.bind(zone, 1)
    row.bind(name.text, 2)
    defer { row.reset() }
    return try row.step() ? row.int64(0) : nil
  }

  /// The shares whose root is a record, or hangs below it. Throws `StoreError`.
  public func shares(inTreeOf stored: StoredRecord) throws(StoreError) -> [Int64] {
    try sql { () throws(SQLiteError) in
      guard try hasSharedHierarchy(stored.zone) else { return [] }
      let row = try connection.transientStatement(
        """
        \(Self.tree())
        SELECT s._id FROM tree CROSS JOIN _cover c ON c.record = tree.record
        CROSS JOIN _share s ON s._id = c.share AND s.root = tree.name ORDER BY s._id
        """)
      Self.bind(TreeRecord(stored), in: stored.zone, to: row)
      var shares: [Int64] = []
      while try row.step() { shares.append(row.int64(0)) }
      return shares
    }
  }

  /// Lets a share cover a record and what hangs below it, of which nothing is shared yet. Throws
  /// `StoreError`.
  ///
  /// There may be a hundred thousand of them, most of them without children: the recursion goes
  /// through the others alone. It ends, since each record has one parent: a cycle would lead
  /// through the root.
  public func cover(_ root: StoredRecord, by share: StoredShare) throws(StoreError) {
    try prepareForBulk()
    try sql { () throws(SQLiteError) in
      let child = "r.zone = ?1 AND r.kind = \(RecordLink.Kind.parent.rawValue) AND r.source <> ?2"
      // To look for a name among a few takes a quarter of the time of a search in the table.
      let hasChildren =
        try hasFewTargets(root.zone)
        ? "r.name IN (SELECT name FROM referred WHERE name IS NOT NULL)"
        : """
        EXISTS (SELECT 1 FROM _reference c WHERE c.zone = ?1 AND c.target = r.name
          AND c.kind = \(RecordLink.Kind.parent.rawValue))
        """
      let row = try connection.transientStatement(
        """
        INSERT INTO _cover(record, share, type)
        WITH RECURSIVE \(Self.targets),
        inner(name) AS (VALUES (?3)
          UNION ALL SELECT r.name FROM inner CROSS JOIN _reference r ON r.target = inner.name
          WHERE \(child) AND \(hasChildren))
        SELECT ?2, ?4, ?5 UNION ALL SELECT r.source, ?4, r.type
        FROM inner CROSS JOIN _reference r ON r.target = inner.name WHERE \(child)
        """)
      row.bind(root.zone, 1)
      row.bind(root.number, 2)
      row.bind(root.record.name.text, 3)
      row.bind(share.number, 4)
      row.bind(root.type, 5)
      try row.run()
    }
  }

  /// The names in zone ?1 that something refers to, one search each; no more than a thousand.
  private static let targets = """
    referred(name, count) AS (SELECT (SELECT min(target) FROM _reference WHERE zone = ?1), 1
      UNION ALL SELECT (SELECT min(target) FROM _reference WHERE zone = ?1
        AND target > referred.name), count + 1
      FROM referred WHERE name IS NOT NULL AND count < 1000)
    """

  /// Whether `targets` has all of a zone.
  private func hasFewTargets(_ zone: Int64) throws(SQLiteError) -> Bool {
    let row = try connection.transientStatement(
      "WITH RECURSIVE \(Self.targets) SELECT count(*) FROM referred WHERE name IS NULL")
    row.bind(zone, 1)
    guard try row.step() else { return false }
    return row.int64(0) > 0
  }

  /// Lets a share cover its own record. Throws `StoreError`.
  public func coverShare(_ share: StoredShare, type: TypeTable) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let record = TreeRecord(number: share.number, type: type.number, name: share.name)
      try setCover(share.number, of: record)
    }
  }

  /// Gives a new record to the share that covers its parent, and with it what hangs below its name
  /// already.
  func cover(
    new record: (number: Int64, name: RecordName), _ table: TypeTable, in zone: Int64,
    below parent: RecordName
  ) throws(SQLiteError) {
    let row = try connection.statement(
      """
      INSERT INTO _cover(record, share, type) SELECT ?1, c.share, ?2
      FROM _record r CROSS JOIN _cover c ON c.record = r._id WHERE r.zone = ?3 AND r.name = ?4
      """)
    row.bind(record.number, 1)
    row.bind(table.number, 2)
    row.bind(zone, 3)
    row.bind(parent.text, 4)
    try row.run()
    guard connection.changedRows > 0, try hasChildren(record.name, in: zone) else { return }
    let root = TreeRecord(number: record.number, type: table.number, name: record.name)
    try setCover(nil, of: root)
    try coverTree(of: record, table, in: zone, below: parent)
  }

  private func hasChildren(_ name: RecordName, in zone: Int64) throws(SQLiteError) -> Bool {
    let row = try connection.statement(
      """
      SELECT 1 FROM _reference
      WHERE zone = ? AND target = ? AND kind = \(RecordLink.Kind.parent.rawValue) LIMIT 1
      """)
    row.bind(zone, 1)
    row.bind(name.text, 2)
    defer { row.reset() }
    return try row.step()
  }

  /// Gives a record and what hangs below it to the share that covers its parent, after it got
  /// another parent. The root of a share stays with it, whatever its parent is.
  func coverTree(
    of record: (number: Int64, name: RecordName), _ table: TypeTable, in zone: Int64,
    below parent: RecordName?
  ) throws(SQLiteError) {
    guard try hasSharedHierarchy(zone) else { return }
    let old = try cover(ofNumber: record.number)
    if let old, try isRoot(record.name, of: old) { return }
    var new: Int64?
    if let parent { new = try cover(of: parent, in: zone) }
    // Below itself it hangs below no root.
    if let old, old == new, let parent, try isBelow(record.name, parent, of: old, in: zone) {
      new = nil
    }
    guard old != new else { return }
    let root = TreeRecord(number: record.number, type: table.number, name: record.name)
    let moved = try tree(of: root, in: zone, coveredBy: old)
    for record in moved { try setCover(new, of: record) }
    try noteVisibility(of: moved, in: zone, from: old, to: new, changed: record.number)
  }

  /// Whether a record is another one, or hangs below it, before the root of a share is met.
  private func isBelow(
    _ above: RecordName, _ name: RecordName, of share: Int64, in zone: Int64
  ) throws(SQLiteError) -> Bool {
    let place = try connection.statement(
      "SELECT _id, type FROM _record WHERE zone = ? AND name = ?")
    var met: Set<RecordName> = []
    var next: RecordName? = name
    while let name = next, met.insert(name).inserted {
      if name == above { return true }
      if try isRoot(name, of: share) { return false }
      place.bind(zone, 1)
      place.bind(name.text, 2)
      guard try place.step() else { return false }
      let (number, type) = (place.int64(0), place.int64(1))
      place.reset()
      let row = try connection.statement(
        "SELECT _parent FROM \(try table(of: type).table) WHERE _id = ?")
      row.bind(number, 1)
      guard try row.step() else { return false }
      next = row.isNull(0) ? nil : RecordName(stored: row.text(0))
      row.reset()
    }
    return false
  }

  func setCover(_ share: Int64?, of record: TreeRecord) throws(SQLiteError) {
    guard let share else {
      let row = try connection.statement("DELETE FROM _cover WHERE record = ?")
      row.bind(record.number, 1)
      return try row.run()
    }
    let row = try connection.statement(
      "INSERT OR REPLACE INTO _cover(record, share, type) VALUES (?, ?, ?)")
    row.bind(record.number, 1)
    row.bind(share, 2)
    row.bind(record.type, 3)
    try row.run()
  }

  /// Whether a zone has shared hierarchies.
  func hasSharedHierarchy(_ zone: Int64) throws(SQLiteError) -> Bool {
    if let known = changes?.areShared[zone] { return known }
    let row = try connection.statement(
      "SELECT 1 FROM _share WHERE zone = ? AND root IS NOT NULL LIMIT 1")
    row.bind(zone, 1)
    defer { row.reset() }
    let isShared = try row.step()
    changes?.areShared[zone] = isShared
    return isShared
  }

  private func isRoot(_ name: RecordName, of share: Int64) throws(SQLiteError) -> Bool {
    let row = try connection.statement("SELECT 1 FROM _share WHERE _id = ? AND root = ?")
    row.bind(share, 1)
    row.bind(name.text, 2)
    defer { row.reset() }
    return try row.step()
  }

  /// All that `_cover` has, as a query of the shares and the links of the records: the numbers of
  /// the record, the share and the type. A root below another one stays with its own share.
  static let allCovers = """
    WITH RECURSIVE tree(record, share, type, name, zone) AS (
      SELECT r._id, s._id, r.type, r.name, s.zone FROM _share s
      JOIN _record r ON r.zone = s.zone AND r.name = s.root
      UNION SELECT l.source, t.share, l.type, l.name, t.zone FROM tree t JOIN _reference l
      ON l.zone = t.zone AND l.target = t.name AND l.kind = \(RecordLink.Kind.parent.rawValue)
      WHERE (l.zone, l.name) NOT IN (SELECT zone, root FROM _share WHERE root IS NOT NULL))
    SELECT record, share, type FROM tree
    UNION SELECT s._id, s._id, r.type FROM _share s
    JOIN _record r ON r.zone = s.zone AND r.name = s.name
    """

  // MARK: Trees

  /// What hangs below a record by `parent`, as the table `tree` of a statement whose first four
  /// bindings `bind` sets; `condition` is on the links `r` to the next ones.
  private static func tree(_ condition: String = "") -> String {
    """
    WITH RECURSIVE tree(record, type, name) AS (VALUES (?1, ?2, ?3)
      UNION SELECT r.source, r.type, r.name FROM tree JOIN _reference r
      ON r.zone = ?4 AND r.target = tree.name AND r.kind = \(RecordLink.Kind.parent.rawValue)
      \(condition))
    """
  }

  private static func bind(_ root: TreeRecord, in zone: Int64, to row: Statement) {
    row.bind(root.number, 1)
    row.bind(root.type, 2)
    row.bind(root.name.text, 3)
    row.bind(zone, 4)
  }

  /// A record and what hangs below it, as far as the same share covers it, without its root: that
  /// stays with the share, though it may hang below what is in it.
  private func tree(
    of root: TreeRecord, in zone: Int64, coveredBy share: Int64?
  ) throws(SQLiteError) -> [TreeRecord] {
    let sameCover = """
      WHERE (SELECT c.share FROM _cover c WHERE c.record = r.source) IS ?5
        AND r.name IS NOT (SELECT s.root FROM _share s WHERE s._id = ?5)
      """
    let row = try connection.transientStatement(
      "\(Self.tree(sameCover)) SELECT record, type, name FROM tree")
    Self.bind(root, in: zone, to: row)
    if let share { row.bind(share, 5) } else { row.bindNull(5) }
    var records: [TreeRecord] = []
    while try row.step() { records.append(Self.record(in: row)) }
    return records
  }

  private static func record(in row: Statement) -> TreeRecord {
    TreeRecord(
      number: row.int64(0), type: row.int64(1), name: RecordName(stored: row.text(2)))
  }

  /// The records that a share covers. Throws `StoreError`.
  func covered(by share: StoredShare) throws(StoreError) -> [TreeRecord] {
    try sql { () throws(SQLiteError) in try covered(by: share.number, in: share.zone) }
  }

  func covered(by share: Int64, in zone: Int64) throws(SQLiteError) -> [TreeRecord] {
    var records: [TreeRecord] = []
    for table in try coveredTables(share) {
      let row = try connection.transientStatement(
        """
        SELECT t._id, \(table.number), t._name FROM _cover c
        CROSS JOIN \(table.table) t ON t._id = c.record WHERE c.share = ? AND c.type = ?
        """)
      row.bind(share, 1)
      row.bind(table.number, 2)
      while try row.step() { records.append(Self.record(in: row)) }
    }
    return records
  }

  private func coveredTables(_ share: Int64) throws(SQLiteError) -> [TypeTable] {
    let row = try connection.transientStatement(
      "SELECT DISTINCT type FROM _cover WHERE share = ?")
    row.bind(share, 1)
    var types: [Int64] = []
    while try row.step() { types.append(row.int64(0)) }
    return try types.map { (type) throws(SQLiteError) -> TypeTable in try table(of: type) }
  }
}
