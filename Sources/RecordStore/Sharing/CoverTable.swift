public import CloudModel
internal import SQLite
public import StoreFiles

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
//
// `_cover` has a row for each record that others may have as their parent; a record without a row
// has the cover of its parent. A root with a hundred thousand children needs one row.
extension EnvironmentStore {
  /// The number of the share that covers a record; nil for none, and in a zone that is shared as a
  /// whole.
  public func cover(of stored: StoredRecord) throws(StoreError) -> Int64? {
    try cover(ofNumber: stored.number, below: stored.record.parent, in: stored.zone)
  }

  /// The number of the share that covers the record with a name; nil for none.
  public func cover(
    of name: RecordName, in zone: StoredZone
  ) throws(StoreError) -> Int64? {
    guard let record = try treeRecord(name, in: zone.number) else { return nil }
    return try cover(of: record, in: zone.number)
  }

  func cover(of record: TreeRecord, in zone: Int64) throws(StoreError) -> Int64? {
    if let own = try ownCover(record.number) { return own }
    guard try hasSharedHierarchy(zone) else { return nil }
    return try parent(of: record).flatMap { (name) throws(StoreError) in
      try ownCover(of: name, in: zone)
    }
  }

  private func cover(
    ofNumber number: Int64, below parent: RecordName?, in zone: Int64
  ) throws(StoreError) -> Int64? {
    if let own = try ownCover(number) { return own }
    return try parent.flatMap { (name) throws(StoreError) in try ownCover(of: name, in: zone) }
  }

  private func ownCover(_ number: Int64) throws(StoreError) -> Int64? {
    try database.value("SELECT share FROM _cover WHERE record = ?", [number])
  }

  private func ownCover(of name: RecordName, in zone: Int64) throws(StoreError) -> Int64? {
    try database.value(
      """
      SELECT c.share FROM _record r JOIN _cover c ON c.record = r._id
      WHERE r.zone = ? AND r.name = ?
      """, [zone, name.text])
  }

  private func treeRecord(
    _ name: RecordName, in zone: Int64
  ) throws(StoreError) -> TreeRecord? {
    try database.first(
      "SELECT _id, type, name FROM _record WHERE zone = ? AND name = ?", [zone, name.text],
      read: Self.record)
  }

  private func parent(of record: TreeRecord) throws(StoreError) -> RecordName? {
    let parent: String? = try database.value(
      """
      SELECT _parent FROM \(try table(of: record.type).table)
      WHERE _id = ? AND _parent IS NOT NULL
      """, [record.number])
    return parent.map(RecordName.init(stored:))
  }

  /// The shares whose root is a record or hangs below it.
  public func shares(inTreeOf stored: StoredRecord) throws(StoreError) -> [Int64] {
    guard try hasSharedHierarchy(stored.zone) else { return [] }
    return try database.values(
      """
      \(Self.tree())
      SELECT s._id FROM tree CROSS JOIN _cover c ON c.record = tree.record
      CROSS JOIN _share s ON s._id = c.share AND s.root = tree.name ORDER BY s._id
      """, Self.places(TreeRecord(stored), in: stored.zone))
  }

  // MARK: Writing

  /// Makes a share cover a record and what hangs below it, of which nothing is shared yet.
  ///
  /// The recursion ends, since each record has one parent: a cycle would lead through the root.
  public func cover(_ root: StoredRecord, by share: StoredShare) throws(StoreError) {
    try prepareForBulk()
    // A search for a name among a few takes a quarter of the time of a search in the table.
    let hasChildren =
      try hasFewTargets(root.zone)
      ? "r.name IN (SELECT name FROM referred WHERE name IS NOT NULL)"
      : """
      EXISTS (SELECT 1 FROM _reference c WHERE c.zone = ?1 AND c.target = r.name
        AND c.kind = \(RecordLink.Kind.parent.rawValue))
      """
    try database.run(
      """
      INSERT INTO _cover(record, share, type, name)
      WITH RECURSIVE \(Self.targets),
      inner(record, type, name) AS (VALUES (?2, ?5, ?3)
        UNION ALL SELECT r.source, r.type, r.name
        FROM inner CROSS JOIN _reference r ON r.target = inner.name
        WHERE r.zone = ?1 AND r.kind = \(RecordLink.Kind.parent.rawValue) AND r.source <> ?2
          AND \(hasChildren))
      SELECT record, ?4, type, name FROM inner
      """, [root.zone, root.number, root.record.name.text, share.number, root.type])
  }

  /// The names in zone ?1 that are targets, one search each; at most a thousand.
  private static let targets = """
    referred(name, count) AS (SELECT (SELECT min(target) FROM _reference WHERE zone = ?1), 1
      UNION ALL SELECT (SELECT min(target) FROM _reference WHERE zone = ?1
        AND target > referred.name), count + 1
      FROM referred WHERE name IS NOT NULL AND count < 1000)
    """

  /// Whether `targets` is complete for a zone.
  private func hasFewTargets(_ zone: Int64) throws(StoreError) -> Bool {
    try database.hasRow(
      "WITH RECURSIVE \(Self.targets) SELECT 1 FROM referred WHERE name IS NULL", [zone])
  }

  /// Makes a share cover its own record.
  public func coverShare(_ share: StoredShare, type: TypeTable) throws(StoreError) {
    let record = TreeRecord(number: share.number, type: type.number, name: share.name)
    try setCover(share.number, of: record)
  }

  /// Adds a new record to the share that covers its parent, with everything that already hangs
  /// below its name.
  func cover(
    new record: TreeRecord, in zone: Int64, below parent: RecordName
  ) throws(StoreError) {
    guard try hasSharedHierarchy(zone), try coverAsParent(parent, in: zone) != nil,
      try hasChildren(record.name, in: zone)
    else { return }
    try coverTree(of: record, in: zone, below: parent, before: nil)
  }

  /// Adds a record and what hangs below it to the share that covers its parent, after its parent
  /// changed. The root of a share stays with the share, whatever its parent is.
  func coverTree(
    of record: TreeRecord, in zone: Int64, below parent: RecordName?, before: RecordName?
  ) throws(StoreError) {
    guard try hasSharedHierarchy(zone) else { return }
    let old = try cover(ofNumber: record.number, below: before, in: zone)
    if let old, try isRoot(record.name, of: old) { return }
    var new = try parent.flatMap { (name) throws(StoreError) in
      try coverAsParent(name, in: zone)
    }
    // A record below itself is below no root.
    if let old, old == new, let parent, try isBelow(record.name, parent, of: old, in: zone) {
      new = nil
    }
    guard old != new else { return }
    let moved = try tree(of: record, in: zone, coveredBy: old)
    for record in moved {
      try setCover(try hasChildren(record.name, in: zone) ? new : nil, of: record)
    }
    try noteVisibility(of: moved, in: zone, from: old, to: new, changed: record.number)
  }

  /// The share that covers a record that gets its first child: a row must say so.
  private func coverAsParent(_ name: RecordName, in zone: Int64) throws(StoreError) -> Int64? {
    if let own = try ownCover(of: name, in: zone) { return own }
    guard let record = try treeRecord(name, in: zone),
      let share = try cover(of: record, in: zone)
    else { return nil }
    try setCover(share, of: record)
    return share
  }

  private func hasChildren(_ name: RecordName, in zone: Int64) throws(StoreError) -> Bool {
    try database.hasRow(
      """
      SELECT 1 FROM _reference
      WHERE zone = ? AND target = ? AND kind = \(RecordLink.Kind.parent.rawValue) LIMIT 1
      """, [zone, name.text])
  }

  /// Whether a record is another one or hangs below it, before the root of a share.
  private func isBelow(
    _ above: RecordName, _ name: RecordName, of share: Int64, in zone: Int64
  ) throws(StoreError) -> Bool {
    var met: Set<RecordName> = []
    var next: RecordName? = name
    while let name = next, met.insert(name).inserted {
      if name == above { return true }
      if try isRoot(name, of: share) { return false }
      next = try treeRecord(name, in: zone).flatMap { (record) throws(StoreError) in
        try self.parent(of: record)
      }
    }
    return false
  }

  func setCover(_ share: Int64?, of record: TreeRecord) throws(StoreError) {
    guard let share else {
      try database.delete(from: EnvironmentTables.cover, "record = ?", [record.number])
      return
    }
    try database.insert(
      EnvironmentTables.cover, ["share": share, "type": record.type, "name": record.name.text],
      number: record.number, .replace)
  }

  /// Whether a zone has shared hierarchies.
  func hasSharedHierarchy(_ zone: Int64) throws(StoreError) -> Bool {
    if let known = state.changes?.areShared[zone] { return known }
    let isShared = try database.hasRow(
      "SELECT 1 FROM _share WHERE zone = ? AND root IS NOT NULL LIMIT 1", [zone])
    state.changes?.areShared[zone] = isShared
    return isShared
  }

  private func isRoot(_ name: RecordName, of share: Int64) throws(StoreError) -> Bool {
    try database.hasRow("SELECT 1 FROM _share WHERE _id = ? AND root = ?", [share, name.text])
  }

  /// The covered records, derived from the roots of shares and the links of records, as a query:
  /// the numbers of the record, the share and the type, and the name. A root below another one
  /// stays with its own share.
  static let allCovers = """
    WITH RECURSIVE tree(record, share, type, name, zone) AS (
      SELECT r._id, s._id, r.type, r.name, s.zone FROM _share s
      JOIN _record r ON r.zone = s.zone AND r.name = s.root
      UNION SELECT l.source, t.share, l.type, l.name, t.zone FROM tree t JOIN _reference l
      ON l.zone = t.zone AND l.target = t.name AND l.kind = \(RecordLink.Kind.parent.rawValue)
      WHERE (l.zone, l.name) NOT IN (SELECT zone, root FROM _share WHERE root IS NOT NULL))
    SELECT record, share, type, name FROM tree
    UNION SELECT s._id, s._id, r.type, r.name FROM _share s
    JOIN _record r ON r.zone = s.zone AND r.name = s.name
    """

  /// The columns of the query `covers`.
  struct CoverColumns {
    let record, type, name: String
    let share = "some.share"
    let zone = "some.zone"
  }

  /// The records that the shares of a table `some(share, zone)` cover, as a query: those with rows
  /// in `_cover`, and those below them that have none. `type` limits them to a type.
  static func covers(
    of type: TypeTable? = nil, _ columns: (CoverColumns) -> String
  ) -> String {
    func isType(_ column: String) -> String {
      type.map { " AND \(column) = \($0.number)" } ?? ""
    }
    let own = CoverColumns(record: "c.record", type: "c.type", name: "c.name")
    let below = CoverColumns(record: "r.source", type: "r.type", name: "r.name")
    return """
      SELECT \(columns(own)) FROM some
      CROSS JOIN _cover c ON c.share = some.share\(isType(own.type))
      UNION ALL SELECT \(columns(below)) FROM some
      CROSS JOIN _cover c ON c.share = some.share
      CROSS JOIN _reference r ON r.zone = some.zone AND r.target = c.name
        AND r.kind = \(RecordLink.Kind.parent.rawValue)\(isType(below.type))
      WHERE r.source NOT IN (SELECT record FROM _cover)
      """
  }

  // MARK: Trees

  /// What hangs below a record by `parent`, as the table `tree` of a statement whose first four
  /// values are `places`; `condition` restricts the links `r` to the next records.
  private static func tree(_ condition: String = "") -> String {
    """
    WITH RECURSIVE tree(record, type, name) AS (VALUES (?1, ?2, ?3)
      UNION SELECT r.source, r.type, r.name FROM tree JOIN _reference r
      ON r.zone = ?4 AND r.target = tree.name AND r.kind = \(RecordLink.Kind.parent.rawValue)
      \(condition))
    """
  }

  private static func places(_ root: TreeRecord, in zone: Int64) -> [any StoredValue] {
    [root.number, root.type, root.name.text, zone]
  }

  /// A record and what hangs below it and has the same cover, without the share's root, which stays
  /// with the share even if it hangs below one of these.
  private func tree(
    of root: TreeRecord, in zone: Int64, coveredBy share: Int64?
  ) throws(StoreError) -> [TreeRecord] {
    let sameCover = """
      WHERE ifnull((SELECT c.share FROM _cover c WHERE c.record = r.source), ?5) IS ?5
        AND r.name IS NOT (SELECT s.root FROM _share s WHERE s._id = ?5)
      """
    return try database.all(
      "\(Self.tree(sameCover)) SELECT record, type, name FROM tree",
      Self.places(root, in: zone) + [share], read: Self.record)
  }

  private static func record(in row: Statement) -> TreeRecord {
    TreeRecord(
      number: row.int64(0), type: row.int64(1), name: RecordName(stored: row.text(2)))
  }

  /// The records that a share covers.
  func covered(by share: StoredShare) throws(StoreError) -> [TreeRecord] {
    try covered(by: share.number, in: share.zone)
  }

  func covered(by share: Int64, in zone: Int64) throws(StoreError) -> [TreeRecord] {
    try database.all(
      """
      WITH some(share, zone) AS (VALUES (?, ?))
      \(Self.covers { "\($0.record), \($0.type), \($0.name)" })
      """, [share, zone], read: Self.record)
  }
}
