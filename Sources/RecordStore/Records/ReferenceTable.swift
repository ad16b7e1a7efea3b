public import CloudModel
internal import SQLite
public import StoreFiles

/// A link of a record that matters when its target is deleted: references that delete or forbid,
/// and the parent. Plain references are not stored; they may have no target (R5.7).
public struct RecordLink: Sendable, Equatable {
  /// The name of the target, which is in the same zone (R5.11).
  public let target: RecordName
  /// What happens when the target is deleted.
  public let kind: Kind

  /// What the deletion of a target means for the record with the link.
  public enum Kind: Int64, Sendable {
    /// It is deleted, too (R5.4).
    case deleteSelf = 1
    /// The target must not be deleted (R5.1).
    case validate = 2
    /// The target must not be deleted, as it is the parent of a record (R5.9).
    case parent = 3
  }
}

extension Record {
  /// The links of the record, each once.
  public var links: [RecordLink] {
    var links: [RecordLink] = []
    if let parent { links.append(RecordLink(target: parent, kind: .parent)) }
    for entry in fields.entries { entry.value.addLinks(to: &links) }
    return links
  }
}

extension FieldValue {
  fileprivate func addLinks(to links: inout [RecordLink]) {
    if case .list(let members) = self, case .reference? = members.first {
      for member in members { member.addLinks(to: &links) }
    }
    guard case .reference(let reference) = self,
      let kind = RecordLink.Kind(rawValue: Int64(reference.action.rawValue))
    else { return }
    let link = RecordLink(target: reference.name, kind: kind)
    if !links.contains(link) { links.append(link) }
  }
}

extension EnvironmentStore {
  /// Replaces the links of a record. Both lists come from the record's contents, so that each row
  /// is found by its key.
  func changeLinks(
    of record: (number: Int64, name: RecordName), _ table: TypeTable, in zone: Int64,
    from old: [RecordLink], to new: [RecordLink]
  ) throws(StoreError) {
    for link in old where !new.contains(link) {
      let sql = "DELETE FROM _reference WHERE zone = ? AND target = ? AND kind = ? AND source = ?"
      try statement(sql, link, of: record.number, in: zone).perform()
    }
    for link in new where !old.contains(link) {
      let statement = try statement(
        """
        INSERT INTO _reference(zone, target, kind, source, type, name)
        VALUES (?, ?, ?, ?, ?, ?)
        """, link, of: record.number, in: zone)
      statement.bind(table.number, 5)
      statement.bind(record.name.text, 6)
      try statement.perform()
    }
  }

  private func statement(
    _ sql: String, _ link: RecordLink, of number: Int64, in zone: Int64
  ) throws(StoreError) -> Statement {
    let statement = try connection.prepared(sql)
    statement.bind(zone, 1)
    statement.bind(link.target.text, 2)
    statement.bind(link.kind.rawValue, 3)
    statement.bind(number, 4)
    return statement
  }

  /// Whether a record refers to a name by a kind of link.
  public func hasSources(
    of target: RecordName, in zone: StoredZone, _ kind: RecordLink.Kind
  ) throws(StoreError) -> Bool {
    let sql = "SELECT 1 FROM _reference WHERE zone = ? AND target = ? AND kind = ? LIMIT 1"
    let statement = try sources(sql, of: target, in: zone, kind)
    defer { statement.reset() }
    return try statement.next()
  }

  /// How many records refer to a name.
  public func sourceCount(
    of target: RecordName, in zone: StoredZone, _ kind: RecordLink.Kind
  ) throws(StoreError) -> Int {
    let sql = "SELECT count(*) FROM _reference WHERE zone = ? AND target = ? AND kind = ?"
    let statement = try sources(sql, of: target, in: zone, kind)
    defer { statement.reset() }
    return try statement.next() ? Int(statement.int64(0)) : 0
  }

  /// The records whose links lead to a name, by kind and age, at most `limit`.
  public func sources(
    of target: RecordName, in zone: StoredZone, atMost limit: Int
  ) throws(StoreError) -> [(name: RecordName, kind: RecordLink.Kind)] {
    let statement = try connection.prepared(
      """
      SELECT name, kind FROM _reference WHERE zone = ? AND target = ? ORDER BY kind DESC, source
      LIMIT ?
      """)
    statement.bind(zone.number, 1)
    statement.bind(target.text, 2)
    statement.bind(Int64(limit), 3)
    defer { statement.reset() }
    var sources: [(name: RecordName, kind: RecordLink.Kind)] = []
    while try statement.next() {
      guard let kind = RecordLink.Kind(rawValue: statement.int64(1)) else { continue }
      sources.append((RecordName(stored: statement.text(0)), kind))
    }
    return sources
  }

  private func sources(
    _ sql: String, of target: RecordName, in zone: StoredZone, _ kind: RecordLink.Kind
  ) throws(StoreError) -> Statement {
    let statement = try connection.prepared(sql)
    statement.bind(zone.number, 1)
    statement.bind(target.text, 2)
    statement.bind(kind.rawValue, 3)
    return statement
  }

  /// Whether a zone has a record of a name.
  public func hasRecord(_ name: RecordName, in zone: StoredZone) throws(StoreError) -> Bool {
    let statement = try connection.prepared(
      "SELECT 1 FROM _record WHERE zone = ? AND name = ?")
    statement.bind(zone.number, 1)
    statement.bind(name.text, 2)
    defer { statement.reset() }
    return try statement.next()
  }

  /// The records of a type that others refer to, by zone, without their fields; all of a type if a
  /// zone has shares.
  ///
  /// A participant sees a record by the share of its parent: a hierarchy is deleted as a whole,
  /// since the rest could not be reported as lost (R9.3).
  public func targets(of table: TypeTable) throws -> [(StoredZone, [StoredRecord])] {
    let statement = try connection.query(
      """
      SELECT t._zone, t._name FROM \(table.table) t
      WHERE t._zone IN (SELECT zone FROM _share) OR EXISTS
        (SELECT 1 FROM _reference l WHERE l.zone = t._zone AND l.target = t._name)
      """)
    var names: [Int64: [RecordName]] = [:]
    while try statement.next() {
      names[statement.int64(0), default: []].append(RecordName(stored: statement.text(1)))
    }
    var targets: [(StoredZone, [StoredRecord])] = []
    for (number, names) in names.sorted(by: { $0.key < $1.key }) {
      let zone = StoredZone(unnamed: number)
      var records: [StoredRecord] = []
      try naming(number) {
        for name in names {
          if let record = try record(name, in: zone, keys: []) { records.append(record) }
        }
      }
      targets.append((zone, records))
    }
    return targets
  }
}
