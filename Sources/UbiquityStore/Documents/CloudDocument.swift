public import CloudModel
internal import SQLite
public import StoreFiles

/// A document in iCloud, or a folder that was deleted there.
public struct CloudDocument: StoredRow, Sendable {
  package static let table = DocumentTables.document

  /// The row.
  public internal(set) var number: Int64 = 0
  /// The account.
  public let account: Account
  /// The path.
  public var path: DocumentPath
  /// Whether it stands for a folder that was deleted.
  public let isFolder: Bool
  /// When it was created.
  public let created: Timestamp
  /// When it got its path.
  public var placed: Timestamp
  /// The device that gave it its path.
  public var placer: Device
  /// The number of its current version.
  public var current: Int64?
  /// When it was deleted; nil if it was not.
  public var deleted: Timestamp?
  /// The number of the last change to it.
  public internal(set) var sequence: Int64 = 0

  /// Describes a new document.
  public init(
    of account: Account, at path: DocumentPath, isFolder: Bool = false, created: Timestamp,
    placed: Timestamp, by placer: Device
  ) {
    (self.account, self.path, self.isFolder, self.created) = (account, path, isFolder, created)
    (self.placed, self.placer) = (placed, placer)
  }

  package init(_ row: Row) {
    number = row.number
    (account, path) = (row["account"], row["path"])
    (isFolder, created) = (row["isFolder"], row["created"])
    (placed, placer) = (row["placed"], row["placer"])
    (current, deleted, sequence) = (row["current"], row["deleted"], row["sequence"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "account": account, "path": path, "name": path.key, "isFolder": isFolder,
      "created": created, "placed": placed, "placer": placer, "current": current,
      "deleted": deleted, "sequence": sequence,
    ]
  }
}

extension UbiquityStore {
  /// A document in iCloud; nil if it is gone for good.
  public func document(_ number: Int64) throws(StoreError) -> CloudDocument? {
    try row("WHERE _id = ?", [number])
  }

  /// The document at a path, as file systems compare names; nil if there is none.
  public func document(
    at path: DocumentPath, of account: Account
  ) throws(StoreError) -> CloudDocument? {
    try row(
      "WHERE account = ? AND name = ? AND deleted IS NULL AND NOT isFolder", [account, path.key])
  }

  /// The documents and deleted folders that changed after a number, in the order of their changes,
  /// including deleted documents.
  public func documents(
    of account: Account, after sequence: Int64
  ) throws(StoreError) -> [CloudDocument] {
    if sequence == 0 {
      try database.requireAllRows(
        of: DocumentTables.document, owner: account, by: "_document_sequence"
      ) {
        "the documents of account '\(account.name)' in iCloud"
      }
    }
    return try rows("WHERE account = ? AND sequence > ? ORDER BY sequence", [account, sequence])
  }

  /// The deleted documents of an account that can be restored, the last deleted first; `before`
  /// selects those that were deleted until then.
  public func deletedDocuments(
    of account: Account, before time: Timestamp? = nil
  ) throws(StoreError) -> [CloudDocument] {
    try rows(
      """
      WHERE account = ? AND deleted <= ? AND current IS NOT NULL ORDER BY deleted DESC, _id DESC
      """, [account, time?.milliseconds ?? .max])
  }

  /// Whether a document of an account is below a path in iCloud.
  public func hasDocuments(
    below path: DocumentPath, of account: Account
  ) throws(StoreError) -> Bool {
    try database.hasRow(
      """
      SELECT 1 FROM _document WHERE account = ?1 AND name > ?2 || '/' AND name < ?2 || '0'
        AND deleted IS NULL
      """, [account, path.key])
  }

  /// Whether something changed after a number.
  public func hasDocuments(
    of account: Account, after sequence: Int64
  ) throws(StoreError) -> Bool {
    try database.hasRow(
      "SELECT 1 FROM _document WHERE account = ? AND sequence > ?", [account, sequence])
  }

  /// Adds a document under the next number.
  public func add(_ document: CloudDocument) throws(StoreError) -> CloudDocument {
    var document = document
    document.sequence = nextSequence()
    document.number = try insert(document)
    return document
  }

  /// Stores a changed document, under the next number.
  public func update(_ document: inout CloudDocument) throws(StoreError) {
    document.sequence = nextSequence()
    try change(document)
  }

  /// Removes a document for good, with its versions.
  public func erase(_ document: CloudDocument) throws(StoreError) {
    for version in try versions(of: document) { try remove(version) }
    try delete(document)
  }

  /// The bytes of an account's documents in iCloud, with all their versions.
  public func documentBytes(of account: Account) throws(StoreError) -> (count: Int, bytes: Int64) {
    try database.first(
      """
      SELECT count(DISTINCT d._id), ifnull(sum(v.size), 0) FROM _document d
      JOIN _version v ON v.document = d._id
      WHERE d.account = ? AND d.deleted IS NULL AND v.hash IS NOT NULL
      """, [account]
    ) { (Int($0.int64(0)), $0.int64(1)) } ?? (0, 0)
  }
}
