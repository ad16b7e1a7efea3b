internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

// The contents of documents: files by their hashes next to the database, and the members of
// packages. Contents that no row names any more are removed with the transaction that dropped them.
extension UbiquityStore {
  /// The contents of this container's documents.
  public var assets: AssetFiles {
    AssetFiles(folder: database.file.assetsPath, database.patience.interruption)
  }

  /// Notes that a row drops contents.
  func release(_ contents: DocumentContents?) {
    if let contents { released.insert(contents.asset.sha256) }
  }

  /// Adds contents: those that a row names at the end of the transaction get their final names, and
  /// the others are removed.
  public func stage(_ drafts: [AssetFiles.Draft]) { staged += drafts }

  func keepStaged() throws(StoreError) {
    if staged.isEmpty { return }
    // For many files, the whole file system is synchronized at once.
    let isMany = staged.count > Self.fewDrafts
    while let draft = staged.popLast() {
      if try isHeld(draft.asset.sha256) {
        try assets.keep(draft, isSynchronized: !isMany)
      } else {
        assets.discard(draft)
      }
    }
    if isMany { try assets.synchronizeAll() }
  }

  /// A single draft takes three calls that wait for the disk.
  static let fewDrafts = 8

  // MARK: Packages

  /// Keeps the members of a package, if a row names it at the end of the transaction.
  public func keep(_ members: [PackageMember], of package: DocumentContents) throws(StoreError) {
    release(package)
    if try !self.members(of: package).isEmpty { return }
    for member in members { try insert(MemberRow(package: package.asset.sha256, member)) }
  }

  /// The members of a package, in byte order of their paths.
  public func members(of package: DocumentContents) throws(StoreError) -> [PackageMember] {
    let found: [MemberRow] = try rows(
      "WHERE package = ? ORDER BY path", [package.asset.sha256])
    return found.map(\.member)
  }

  // MARK: Removal

  /// The dropped files that no row names any more; the members of packages are removed with them.
  func unheldFiles() throws(StoreError) -> [String] {
    var files: [String] = []
    var waiting = released.sorted(by: utf8Precedes)
    released = []
    while let hash = waiting.popLast() {
      if try isHeld(hash) { continue }
      let members: [MemberRow] = try rows("WHERE package = ?", [hash])
      if members.isEmpty { files.append(hash) }
      for row in members {
        try delete(row)
        waiting.append(row.member.asset.sha256)
      }
    }
    return files
  }

  private func isHeld(_ hash: String) throws(StoreError) -> Bool {
    for table in DocumentTables.holders + ["_member"] {
      if try database.hasRow("SELECT 1 FROM \(table) WHERE hash = ?", [hash]) { return true }
    }
    return false
  }

  /// Removes contents that no row names, and drafts older than an hour; call it within a write
  /// transaction. Returns the number of files, and their bytes.
  public func collectAssets(
    now: Timestamp
  ) throws(StoreError) -> (count: Int, bytes: Int64) {
    let lock = try database.lockAssets()
    defer { lock.unlock() }
    let held: [String] = try database.values(DocumentTables.heldAssets)
    // A document that a damaged page hides still has its contents.
    try requireWholePages()
    return try assets.collect(
      keeping: Set(held), draftsSince: now.milliseconds / 1000 - Self.draftSeconds)
  }

  private static let draftSeconds: Int64 = 3600
}

private struct MemberRow: StoredRow {
  static let table = DocumentTables.member

  var number: Int64 = 0
  let package: String
  let member: PackageMember

  init(package: String, _ member: PackageMember) {
    (self.package, self.member) = (package, member)
  }

  init(_ row: Row) {
    (number, package) = (row.number, row["package"])
    let contents = DocumentContents(required: row)
    member = PackageMember(row["path"], contents.asset, isExecutable: contents.isExecutable)
  }

  var values: KeyValuePairs<String, any StoredValue> {
    [
      "package": package, "path": member.path, "hash": member.asset.sha256,
      "size": member.asset.size, "mode": member.isExecutable ? 1 : 0,
    ]
  }
}
