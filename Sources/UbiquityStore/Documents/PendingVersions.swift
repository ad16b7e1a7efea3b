public import CloudModel
internal import SQLite
public import StoreFiles

/// A version of a document that lost on the device itself, and that iCloud does not have yet.
public struct DraftVersion: StoredRow, Sendable {
  package static let table = DocumentTables.draft

  /// The row.
  public internal(set) var number: Int64 = 0
  let item: Int64
  /// The contents.
  public let contents: DocumentContents
  /// When they were saved.
  public let at: Timestamp

  /// Describes a version of a document.
  public init(of item: DeviceItem, _ contents: DocumentContents, at: Timestamp) {
    (self.item, self.contents, self.at) = (item.number, contents, at)
  }

  package init(_ row: Row) {
    (number, item, at) = (row.number, row["item"], row["at"])
    contents = DocumentContents(required: row)
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "item": item, "hash": contents.asset.sha256, "size": contents.asset.size, "at": at,
      "mode": contents.mode,
    ]
  }
}

/// A decision about a version, which iCloud does not have yet.
public struct Resolution: StoredRow, Sendable {
  package static let table = DocumentTables.resolution

  /// The row.
  public internal(set) var number: Int64 = 0
  let item: Int64
  /// The version.
  public let version: Int64
  /// Whether the version is kept.
  public let keeps: Bool

  init(item: Int64, version: Int64, keeps: Bool) {
    (self.item, self.version, self.keeps) = (item, version, keeps)
  }

  package init(_ row: Row) {
    (number, item) = (row.number, row["item"])
    (version, keeps) = (row["version"], row["keeps"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    ["item": item, "version": version, "keeps": keeps]
  }
}

extension UbiquityStore {
  /// The versions of a document that lost on the device, oldest first.
  public func drafts(of item: DeviceItem) throws(StoreError) -> [DraftVersion] {
    try rows("WHERE item = ? ORDER BY _id", [item.number])
  }

  /// Adds one.
  public func add(_ draft: DraftVersion) throws(StoreError) { try insert(draft) }

  /// Removes one.
  public func remove(_ draft: DraftVersion) throws(StoreError) {
    release(draft.contents)
    try delete(draft)
  }

  /// The decisions on the device about a document's versions.
  public func resolutions(of item: DeviceItem) throws(StoreError) -> [Resolution] {
    try rows("WHERE item = ? ORDER BY _id", [item.number])
  }

  /// Notes a decision.
  public func decide(
    on version: CloudVersion, of item: DeviceItem, keeps: Bool
  ) throws(StoreError) {
    try insert(Resolution(item: item.number, version: version.number, keeps: keeps))
  }

  /// Forgets a decision.
  public func remove(_ resolution: Resolution) throws(StoreError) { try delete(resolution) }

  /// The versions of a document that a device knows and that wait for a decision, oldest first.
  public func conflicts(
    of item: DeviceItem, in replica: Replica
  ) throws(StoreError) -> [CloudVersion] {
    guard let document = item.document else { return [] }
    let decided = Set(try resolutions(of: item).map(\.version))
    let versions: [CloudVersion] = try rows(
      """
      WHERE document = ?1 AND isConflict AND since <= ?2 AND (until IS NULL OR until > ?2)
      ORDER BY _id
      """, [document, replica.known])
    return versions.filter { !decided.contains($0.number) }
  }

  /// The rows of the documents of a device that have such versions.
  public func conflicted(in replica: Replica) throws(StoreError) -> Set<Int64> {
    Set(
      try database.values(
        """
        SELECT i._id FROM _version v JOIN _item i ON i.replica = ?1 AND i.document = v.document
        WHERE v.isConflict AND v.since <= ?2 AND (v.until IS NULL OR v.until > ?2)
          AND NOT EXISTS (SELECT 1 FROM _resolution r WHERE r.item = i._id AND r.version = v._id)
        UNION SELECT d.item FROM _draft d JOIN _item i ON i._id = d.item WHERE i.replica = ?1
        """, [replica.number, replica.known]))
  }
}
