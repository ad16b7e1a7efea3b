public import CloudModel
internal import SQLite
public import StoreFiles

/// A folder of the file system with the container of a device as plain files.
public struct Mount: StoredRow, Sendable {
  package static let table = DocumentTables.mount

  /// The row.
  public internal(set) var number: Int64 = 0
  let replica: Int64
  /// The mark in the folder, which stays when the folder is moved.
  public let mark: String
  /// The path at its last use.
  public var folder: String

  /// Describes a new mount.
  public init(of replica: Replica, mark: String, folder: String) {
    (self.replica, self.mark, self.folder) = (replica.number, mark, folder)
  }

  package init(_ row: Row) {
    (number, replica) = (row.number, row["replica"])
    (mark, folder) = (row["mark"], row["folder"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    ["replica": replica, "mark": mark, "folder": folder]
  }
}

/// A file of a document in a mount, as it was written or read last.
public struct MountedFile: StoredRow, Sendable {
  package static let table = DocumentTables.file

  /// The file system's state of a file; an unchanged file has the same.
  public struct Fingerprint: Sendable, Equatable {
    /// The number of bytes.
    public var size: Int64
    /// When its contents changed, in nanoseconds.
    public var modified: Int64
    /// When any of its attributes changed, in nanoseconds.
    public var changed: Int64
    /// The identity of the file.
    public var inode: Int64

    /// Describes a file.
    public init(size: Int64, modified: Int64, changed: Int64, inode: Int64) {
      (self.size, self.modified, self.changed, self.inode) = (size, modified, changed, inode)
    }
  }

  /// The row.
  public internal(set) var number: Int64 = 0
  let mount: Int64
  /// The row of the document.
  public var item: Int64
  /// Its path in the folder.
  public var path: DocumentPath
  /// The version that it derives from; nil for a document created here.
  public var base: Int64?
  /// Its contents.
  public var contents: DocumentContents
  /// The file system's state.
  public var fingerprint: Fingerprint

  /// Describes a file of a document.
  public init(
    of item: DeviceItem, at path: DocumentPath, _ contents: DocumentContents, in mount: Mount,
    _ fingerprint: Fingerprint
  ) {
    (self.mount, self.item, self.path) = (mount.number, item.number, path)
    (base, self.contents, self.fingerprint) = (item.base, contents, fingerprint)
  }

  package init(_ row: Row) {
    (number, mount, item) = (row.number, row["mount"], row["item"])
    (path, base) = (row["path"], row["base"])
    contents = DocumentContents(required: row)
    fingerprint = Fingerprint(
      size: row["size"], modified: row["modified"], changed: row["changed"], inode: row["inode"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "mount": mount, "item": item, "path": path, "base": base, "hash": contents.asset.sha256,
      "mode": contents.mode, "size": fingerprint.size, "modified": fingerprint.modified,
      "changed": fingerprint.changed, "inode": fingerprint.inode,
    ]
  }
}

extension UbiquityStore {
  /// The folder with a mark that has the container of a device; nil if there is none.
  public func mount(marked mark: String, of replica: Replica) throws(StoreError) -> Mount? {
    try row("WHERE replica = ? AND mark = ?", [replica.number, mark])
  }

  /// The folders that have the container of a device.
  public func mounts(of replica: Replica) throws(StoreError) -> [Mount] {
    try rows("WHERE replica = ?", [replica.number])
  }

  /// Adds one.
  public func add(_ mount: Mount) throws(StoreError) -> Mount {
    var mount = mount
    mount.number = try insert(mount)
    return mount
  }

  /// Stores a changed mount.
  public func update(_ mount: Mount) throws(StoreError) { try change(mount) }

  /// Removes a mount; its files stay.
  public func remove(_ mount: Mount) throws(StoreError) {
    try delete(from: DocumentTables.file, "mount = ?", [mount.number])
    try delete(mount)
  }

  /// The files that it has.
  public func files(of mount: Mount) throws(StoreError) -> [MountedFile] {
    try rows("WHERE mount = ? ORDER BY path", [mount.number])
  }

  /// Adds a file.
  public func add(_ file: MountedFile) throws(StoreError) { try insert(file) }

  /// Stores a changed file.
  public func update(_ file: MountedFile) throws(StoreError) { try change(file) }

  /// Removes a file.
  public func remove(_ file: MountedFile) throws(StoreError) { try delete(file) }
}
