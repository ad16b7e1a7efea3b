public import CloudModel
internal import SQLite
public import StoreFiles

/// Contents of a document in iCloud.
public struct CloudVersion: SealedRow, Sendable {
  static let table = DocumentTables.version

  /// The row; devices know the version by it.
  public internal(set) var number: Int64 = 0
  /// The row of its document.
  public let document: Int64
  /// The contents; nil for ones that were not sent yet, or are gone.
  public var contents: DocumentContents?
  /// How many bytes it has.
  public var size: Int64
  /// When it was saved, by the clock of the device.
  public var at: Timestamp
  /// The device that saved it.
  public let device: Device
  /// Whether it lost against another one.
  public var isConflict = false
  /// Whether somebody has decided about it.
  public var isResolved = false
  /// The number of the change with which it lost.
  public var since: Int64 = 0
  /// The number of the change with which somebody decided about it.
  public var until: Int64?

  /// Describes a new version.
  public init(
    of document: Int64, _ contents: DocumentContents?, size: Int64, at: Timestamp, by device: Device
  ) {
    (self.document, self.contents, self.size) = (document, contents, size)
    (self.at, self.device) = (at, device)
  }

  init(_ row: Statement) {
    number = row.int64(0)
    document = row.int64(1)
    size = row.int64(3)
    at = row.time(4)
    device = Device(stored: row.text(5))
    contents = DocumentContents(hash: row.isNull(2) ? nil : row.text(2), size, row.int64(6))
    isConflict = row.flag(7)
    isResolved = row.flag(8)
    since = row.int64(9)
    until = row.integer(10)
  }

  var values: [SealedValue] {
    [
      .integer(document), .text(contents?.asset.sha256), .integer(size), .time(at),
      .text(device.name), .integer(contents?.mode ?? 0), .flag(isConflict), .flag(isResolved),
      .integer(since), .integer(until),
    ]
  }
}

extension DocumentContents {
  init?(hash: String?, _ size: Int64, _ mode: Int64) {
    guard let hash, let asset = Asset(sha256: hash, size: size) else { return nil }
    self.init(asset, isPackage: mode & 2 != 0, isExecutable: mode & 1 != 0)
  }

  var mode: Int64 { (isExecutable ? 1 : 0) | (isPackage ? 2 : 0) }
}

extension UbiquityStore {
  /// A version; nil for one that is gone.
  public func version(_ number: Int64) throws(StoreError) -> CloudVersion? {
    try row("WHERE _id = ?", .integer(number))
  }

  /// All versions of a document, oldest first.
  public func versions(of document: CloudDocument) throws(StoreError) -> [CloudVersion] {
    try rows("WHERE document = ? ORDER BY _id", .integer(document.number))
  }

  /// The numbers of the versions whose contents were not sent yet.
  public func incompleteVersions() throws(StoreError) -> Set<Int64> {
    try sql { () throws(SQLiteError) in
      Set(
        try connection.integers("SELECT _id FROM _version WHERE hash IS NULL AND until IS NULL"))
    }
  }

  /// Adds a version.
  public func add(_ version: CloudVersion) throws(StoreError) -> CloudVersion {
    try insert(version)
  }

  /// Keeps what was changed of a version.
  public func update(_ version: CloudVersion) throws(StoreError) { try change(version) }

  /// Lets go of a version, and removes its row.
  public func remove(_ version: CloudVersion) throws(StoreError) {
    release(version.contents)
    try delete(version)
  }

  /// Ends a conflict: the row stays for devices that do not know of it yet. Without `keeps` the
  /// contents go.
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
