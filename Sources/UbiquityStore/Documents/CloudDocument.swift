public import CloudModel
internal import SQLite
public import StoreFiles

/// A document in iCloud, or a folder that was deleted there.
public struct CloudDocument: SealedRow, Sendable {
  static let table = DocumentTables.document

  /// The row.
  public internal(set) var number: Int64 = 0
  /// Whose it is.
  public let account: Account
  /// Where it is.
  public var path: DocumentPath
  /// Whether it is the note that a folder was deleted.
  public let isFolder: Bool
  /// When it was made.
  public let created: Timestamp
  /// When it got its path.
  public var placed: Timestamp
  /// The device that gave it its path.
  public var placer: Device
  /// The number of its current version.
  public var current: Int64?
  /// When it was deleted; nil for one that is there.
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

  init(_ row: Statement) {
    number = row.int64(0)
    account = Account(stored: row.text(1))
    path = DocumentPath(stored: row.text(2))
    isFolder = row.flag(4)
    created = row.time(5)
    placed = row.time(6)
    placer = Device(stored: row.text(7))
    current = row.integer(8)
    deleted = row.isNull(9) ? nil : row.time(9)
    sequence = row.int64(10)
  }

  var values: [SealedValue] {
    [
      .text(account.name), .text(path.text), .text(path.key), .flag(isFolder), .time(created),
      .time(placed), .text(placer.name), .integer(current), .time(deleted), .integer(sequence),
    ]
  }
}

extension UbiquityStore {
  /// A document in iCloud; nil for one that is gone for good.
  public func document(_ number: Int64) throws(StoreError) -> CloudDocument? {
    try row("WHERE _id = ?", .integer(number))
  }

  /// The document at a path, as file systems compare names; nil for none.
  public func document(
    at path: DocumentPath, of account: Account
  ) throws(StoreError) -> CloudDocument? {
    try row(
      "WHERE account = ? AND name = ? AND deleted IS NULL AND NOT isFolder", .text(account.name),
      .text(path.key))
  }

  /// The documents and deleted folders that changed after a number, in the order of the changes;
  /// deleted ones, too.
  public func documents(
    of account: Account, after sequence: Int64
  ) throws(StoreError) -> [CloudDocument] {
    try rows(
      "WHERE account = ? AND sequence > ? ORDER BY sequence", .text(account.name),
      .integer(sequence))
  }

  /// The documents of an account that were deleted and can be restored, the last first; `before`
  /// names those that were deleted until then.
  public func deletedDocuments(
    of account: Account, before time: Timestamp? = nil
  ) throws(StoreError) -> [CloudDocument] {
    try rows(
      """
      WHERE account = ? AND deleted <= ? AND current IS NOT NULL ORDER BY deleted DESC, _id DESC
      """, .text(account.name), .integer(time?.milliseconds ?? .max))
  }

  /// Whether a document of an account is below a path in iCloud.
  public func hasDocuments(
    below path: DocumentPath, of account: Account
  ) throws(StoreError) -> Bool {
    let found: [CloudDocument] = try rows(
      """
      WHERE account = ?1 AND name > ?2 || '/' AND name < ?2 || '0' AND deleted IS NULL LIMIT 1
      """, .text(account.name), .text(path.key))
    return !found.isEmpty
  }

  /// Whether something changed after a number.
  public func hasDocuments(
    of account: Account, after sequence: Int64
  ) throws(StoreError) -> Bool {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        "SELECT 1 FROM _document WHERE account = ? AND sequence > ? LIMIT 1")
      row.bind(account.name, 1)
      row.bind(sequence, 2)
      defer { row.reset() }
      return try row.step()
    }
  }

  /// Adds a document under the next number.
  public func add(_ document: CloudDocument) throws(StoreError) -> CloudDocument {
    var document = document
    document.sequence = nextSequence()
    return try insert(document)
  }

  /// Keeps what was changed of a document, under the next number.
  public func update(_ document: inout CloudDocument) throws(StoreError) {
    document.sequence = nextSequence()
    try change(document)
  }

  /// Removes a document for good, with its versions.
  public func erase(_ document: CloudDocument) throws(StoreError) {
    for version in try versions(of: document) { try remove(version) }
    try delete(document)
  }

  /// How many bytes the documents of an account have in iCloud, with all their versions.
  public func documentBytes(of account: Account) throws(StoreError) -> (count: Int, bytes: Int64) {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        """
        SELECT count(DISTINCT d._id), ifnull(sum(v.size), 0) FROM _document d
        JOIN _version v ON v.document = d._id
        WHERE d.account = ? AND d.deleted IS NULL AND v.hash IS NOT NULL
        """)
      row.bind(account.name, 1)
      defer { row.reset() }
      return try row.step() ? (Int(row.int64(0)), row.int64(1)) : (0, 0)
    }
  }
}
