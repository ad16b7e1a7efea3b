public import CloudModel
internal import SQLite
public import StoreFiles

/// Contents of a document in iCloud.
public struct CloudVersion: StoredRow, Sendable {
  package static let table = DocumentTables.version

  /// The row, by which devices know the version.
  public internal(set) var number: Int64 = 0
  /// The row of its document.
  public let document: Int64
  /// The contents; nil if they were not sent yet, or are gone.
  public var contents: DocumentContents?
  /// Its size in bytes.
  public var size: Int64
  /// When it was saved, by the clock of the device.
  public var at: Timestamp
  /// The device that saved it.
  public let device: Device
  /// Whether it lost a conflict.
  public var isConflict = false
  /// Whether the conflict was resolved.
  public var isResolved = false
  /// The number of the change that it lost to.
  public var since: Int64 = 0
  /// The number of the change that resolved the conflict.
  public var until: Int64?

  /// Describes a new version.
  public init(
    of document: Int64, _ contents: DocumentContents?, size: Int64, at: Timestamp, by device: Device
  ) {
    (self.document, self.contents, self.size) = (document, contents, size)
    (self.at, self.device) = (at, device)
  }

  package init(_ row: Row) {
    number = row.number
    (document, size, at, device) = (row["document"], row["size"], row["at"], row["device"])
    contents = DocumentContents(row)
    (isConflict, isResolved) = (row["isConflict"], row["isResolved"])
    (since, until) = (row["since"], row["until"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "document": document, "hash": contents?.asset.sha256, "size": size, "at": at,
      "device": device, "mode": contents?.mode ?? 0, "isConflict": isConflict,
      "isResolved": isResolved, "since": since, "until": until,
    ]
  }
}

extension DocumentContents {
  /// The contents that the columns `hash`, `size` and `mode` of a row describe; nil for none.
  init?(_ row: Row) {
    guard let hash: String = row["hash"], let asset = Asset(sha256: hash, size: row["size"]) else {
      return nil
    }
    let mode: Int64 = row["mode"]
    self.init(asset, isPackage: mode & 2 != 0, isExecutable: mode & 1 != 0)
  }

  /// The contents of a row that always has some: a matching seal leaves no other hash.
  init(required row: Row) {
    self = DocumentContents(row) ?? DocumentContents(AssetFiles.asset(of: []))
  }

  var mode: Int64 { (isExecutable ? 1 : 0) | (isPackage ? 2 : 0) }
}

extension UbiquityStore {
  /// A version; nil if it is gone.
  public func version(_ number: Int64) throws(StoreError) -> CloudVersion? {
    try row("WHERE _id = ?", [number])
  }

  /// All versions of a document, oldest first.
  public func versions(of document: CloudDocument) throws(StoreError) -> [CloudVersion] {
    try rows("WHERE document = ? ORDER BY _id", [document.number])
  }

  /// The numbers of the versions whose contents were not sent yet.
  public func incompleteVersions() throws(StoreError) -> Set<Int64> {
    Set(try database.values("SELECT _id FROM _version WHERE hash IS NULL AND until IS NULL"))
  }

  /// Adds a version.
  public func add(_ version: CloudVersion) throws(StoreError) -> CloudVersion {
    var version = version
    version.number = try insert(version)
    return version
  }

  /// Stores a changed version.
  public func update(_ version: CloudVersion) throws(StoreError) { try change(version) }

  /// Drops the contents of a version, and removes its row.
  public func remove(_ version: CloudVersion) throws(StoreError) {
    release(version.contents)
    try delete(version)
  }

  /// Ends a conflict: the row remains for devices that do not know of it yet. Without `keeps` the
  /// contents are dropped.
  public func resolve(_ version: CloudVersion, keeps: Bool) throws(StoreError) {
    var version = version
    version.isResolved = true
    version.until = nextSequence()
    if !keeps {
      release(version.contents)
      version.contents = nil
    }
    try change(version)
  }
}
