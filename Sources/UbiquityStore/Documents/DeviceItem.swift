internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// A document in the container on a device.
public struct DeviceItem: StoredRow, Sendable {
  package static let table = DocumentTables.item

  /// What iCloud does not have yet.
  public struct Changes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int64

    /// A set of bits.
    public init(rawValue: Int64) {
      self.rawValue = rawValue
    }

    /// Its contents.
    public static let contents = Changes(rawValue: 1)
    /// Its path.
    public static let path = Changes(rawValue: 2)
    /// Its removal.
    public static let removal = Changes(rawValue: 4)
    /// Decisions about its versions, or versions that lost on the device.
    public static let versions = Changes(rawValue: 8)
  }

  /// The row.
  public internal(set) var number: Int64 = 0
  /// The row of the container.
  public let replica: Int64
  /// The row of the document in iCloud; nil if iCloud does not have it.
  public var document: Int64?
  /// Its path.
  public var path: DocumentPath
  /// When it was made.
  public let created: Timestamp
  /// When it got its path, or was deleted before iCloud had it.
  public var placed: Timestamp
  /// The newest version that the device knows of; nil for none.
  public var known: Int64?
  /// The version that the contents on the device derive from; nil for a document made here.
  public var base: Int64?
  /// The contents on the device; nil if they are only in iCloud.
  public var contents: DocumentContents?
  /// Its size in bytes, here or else in iCloud.
  public var size: Int64
  /// When these were saved.
  public var at: Timestamp
  /// The device that saved them.
  public var device: Device
  /// Whether a document without local contents is a package.
  public var isPackage: Bool
  /// What iCloud does not have yet.
  public var changes: Changes = []
  /// Whether the device fetches new contents by itself.
  public var isWanted: Bool
  /// Why iCloud refused it; nil if it did not.
  public var error: String?

  /// Describes a document that was created on the device.
  public init(
    in replica: Replica, at path: DocumentPath, _ contents: DocumentContents, saved: Timestamp
  ) {
    (self.replica, self.path, self.contents) = (replica.number, path, contents)
    (created, placed, at) = (saved, saved, saved)
    (size, isPackage, device) = (contents.asset.size, contents.isPackage, replica.device)
    isWanted = true
    changes = path.isLocal ? [] : .contents
  }

  /// Describes a document that the device learns of.
  public init(in replica: Replica, _ document: CloudDocument, _ version: CloudVersion?) {
    (self.replica, self.document) = (replica.number, document.number)
    (path, created, placed) = (document.path, document.created, document.placed)
    known = document.current
    (size, at) = (version?.size ?? 0, version?.at ?? document.created)
    (device, isPackage) = (
      version?.device ?? document.placer, version?.contents?.isPackage ?? false
    )
    isWanted = false
  }

  /// Describes a folder that was removed on the device.
  public init(in replica: Replica, folder path: DocumentPath, removed time: Timestamp) {
    (self.replica, self.path, device) = (replica.number, path, replica.device)
    (created, placed, at) = (time, time, time)
    (size, isPackage, isWanted, changes) = (0, false, false, .removal)
  }

  package init(_ row: Row) {
    number = row.number
    (replica, document, path) = (row["replica"], row["document"], row["path"])
    (created, placed, known, base) = (row["created"], row["placed"], row["known"], row["base"])
    (size, at, device) = (row["size"], row["at"], row["device"])
    contents = DocumentContents(row)
    isPackage = row["mode"] & Int64(2) != 0
    changes = Changes(rawValue: row["changes"])
    (isWanted, error) = (row["isWanted"], row["error"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "replica": replica, "document": document, "path": path, "name": path.key,
      "created": created, "placed": placed, "known": known, "base": base,
      "hash": contents?.asset.sha256, "size": size, "at": at, "device": device,
      "mode": contents?.mode ?? (isPackage ? 2 : 0), "changes": changes.rawValue,
      "isWanted": isWanted, "error": error,
    ]
  }

  /// Whether it was deleted before iCloud had it. Only this device can restore it; `placed` is when
  /// it was deleted.
  public var isDeletedHere: Bool {
    document == nil && contents != nil && changes.contains(.removal)
  }

  /// Which part of it is on the device.
  public var downloading: DownloadingStatus {
    if contents == nil { return .notDownloaded }
    return changes.contains(.contents) || base == known ? .current : .downloaded
  }
}

extension UbiquityStore {
  /// A document on a device.
  public func item(_ number: Int64) throws(StoreError) -> DeviceItem? {
    try row("WHERE _id = ?", [number])
  }

  /// The document at a path, as file systems compare names; nil if there is none.
  public func item(
    at path: DocumentPath, in replica: Replica
  ) throws(StoreError) -> DeviceItem? {
    try row(
      "WHERE replica = ? AND name = ? AND changes & 4 = 0", [replica.number, path.key])
  }

  /// The document on a device for one in iCloud; nil if there is none.
  public func item(
    of document: CloudDocument, in replica: Replica
  ) throws(StoreError) -> DeviceItem? {
    try row("WHERE replica = ? AND document = ?", [replica.number, document.number])
  }

  /// All documents on a device, in byte order of their paths, including removed ones that iCloud
  /// still has.
  public func items(of replica: Replica) throws(StoreError) -> [DeviceItem] {
    try requireAllItems(of: replica)
    return try rows("WHERE replica = ? ORDER BY path", [replica.number])
  }

  private func requireAllItems(of replica: Replica) throws(StoreError) {
    try database.requireAllRows(of: DocumentTables.item, owner: replica.number, by: "_item_path") {
      "the documents of device '\(replica.device.name)'"
    }
  }

  /// Passes the rows and paths of all documents on a device to `body`, in byte order of the paths;
  /// reads only an index. Skips removed ones, and ASCII paths without a literal.
  public func forEachPath(
    of replica: Replica, containing literal: [UInt8]? = nil,
    _ body: (Int64, DocumentPath) -> Void
  ) throws(StoreError) {
    func isLeftOut(_ path: UnsafeRawBufferPointer) -> Bool {
      guard let literal else { return false }
      let isFound = literal.withUnsafeBytes { Platform.contains(path, $0) }
      return !isFound && path.allSatisfy { $0 < 0x80 }
    }
    if literal == nil { try requireAllItems(of: replica) }
    let row = try connection.prepared(
      "SELECT _id, path FROM _item WHERE replica = ? AND changes & 4 = 0 ORDER BY path")
    row.bind(replica.number, 1)
    while try row.next() {
      if isLeftOut(row.utf8(1)) { continue }
      body(row.int64(0), DocumentPath(stored: row.text(1)))
    }
  }

  /// The documents with changes that iCloud does not have, oldest first.
  public func changedItems(of replica: Replica) throws(StoreError) -> [DeviceItem] {
    try rows("\(Self.changed) AND NOT \(Self.deletedHere) ORDER BY _id", [replica.number])
  }

  /// Whether there are such documents.
  public func hasChangedItems(of replica: Replica) throws(StoreError) -> Bool {
    try database.hasRow(
      "SELECT 1 FROM _item \(Self.changed) AND NOT \(Self.deletedHere)", [replica.number])
  }

  /// The documents that were deleted before iCloud had them, most recent first.
  public func itemsDeletedHere(in replica: Replica) throws(StoreError) -> [DeviceItem] {
    try rows(
      "\(Self.changed) AND \(Self.deletedHere) ORDER BY placed DESC, _id DESC", [replica.number])
  }

  private static let changed = "WHERE replica = ? AND changes <> 0"
  /// `DeviceItem.isDeletedHere`
  private static let deletedHere =
    "(changes & 4 <> 0 AND document IS NULL AND hash IS NOT NULL)"

  /// The documents below a folder, in byte order of their paths.
  public func items(
    below folder: DocumentPath, in replica: Replica
  ) throws(StoreError) -> [DeviceItem] {
    let key = folder.key
    // '0' follows '/' in ASCII.
    return try rows(
      """
      WHERE replica = ?1 AND name > ?2 || '/' AND name < ?2 || '0' AND changes & 4 = 0
      ORDER BY path
      """, [replica.number, key])
  }

  /// Adds a document.
  public func add(_ item: DeviceItem) throws(StoreError) -> DeviceItem {
    var item = item
    item.number = try insert(item)
    return item
  }

  /// Stores a changed document; `old` are its former contents.
  public func update(_ item: DeviceItem, lettingGoOf old: DocumentContents?) throws(StoreError) {
    if old != item.contents { release(old) }
    try change(item)
  }

  /// Removes a document with everything that belongs to it.
  public func remove(_ item: DeviceItem) throws(StoreError) {
    release(item.contents)
    for draft in try drafts(of: item) { try remove(draft) }
    if let open = try openDocument(item) { try remove(open) }
    try delete(from: DocumentTables.resolution, "item = ?", [item.number])
    try delete(item)
  }
}
