internal import Basics
public import CloudModel
internal import StoreFiles
internal import UbiquityStore

// Saving, opening, moving and removing documents.
extension DocumentStore {
  /// The documents that a save may write.
  public enum SaveOperation: Int, Sendable {
    /// Only new documents (`UIDocument.SaveOperation.forCreating`).
    case creating = 0
    /// Only existing documents (`forOverwriting`).
    case overwriting = 1
  }

  // MARK: Saving

  /// Saves a file, or a folder as a package, at a path; with a nil `operation` both as new and over
  /// an existing document. Returns the files that it has read. Throws `conflictExists` and
  /// `unknownItem` if `operation` forbids it, and `assetFileNotFound` for a file that cannot be
  /// read.
  @discardableResult
  public func put(
    _ source: String, at path: DocumentPath, _ operation: SaveOperation? = nil,
    saved time: Timestamp? = nil
  ) throws(CloudError) -> SavedFiles {
    let staged = try stage(source)
    try writing(staged) { writing in
      try writing.check(operation, at: path)
      try writing.save(staged.contents, at: path, saved: time)
    }
    return SavedFiles(path: source, files: staged.files)
  }

  /// Saves bytes at a path. Throws as `put(_:at:_:)`.
  public func put(
    _ bytes: [UInt8], at path: DocumentPath, _ operation: SaveOperation? = nil,
    saved time: Timestamp? = nil
  ) throws(CloudError) {
    let staged = try stage(bytes)
    try writing(staged) { writing in
      try writing.check(operation, at: path)
      try writing.save(staged.contents, at: path, saved: time)
    }
  }

  // MARK: Reading

  /// Opened contents, which later saves do not change.
  public struct Reading {
    /// Whether the document is a package.
    public let isPackage: Bool
    /// The files, in byte order of their paths in the package.
    public let files: [File]

    /// A file of a document.
    public struct File {
      /// Its path in the package; empty for a single-file document.
      public let path: String
      /// Whether it is executable.
      public let isExecutable: Bool
      /// Its size in bytes.
      public var size: Int64 { asset.size }
      let asset: Asset
      let source: FileHandle

      /// Verifies the contents, before output that cannot be taken back. Throws
      /// `assetNotAvailable` when they are damaged.
      public func verify() throws { try copy { _ in } }

      /// Passes its contents to `target` in chunks. Throws `assetNotAvailable` when they are
      /// damaged, and what `target` throws.
      public func copy(to target: (UnsafeRawBufferPointer) throws -> Void) throws {
        try source.rewind()
        let hash = try AssetFiles.copy(source, to: target)
        guard hash == asset.sha256 else { throw CloudError.damagedContents(asset) }
      }
    }
  }

  /// Opens a document for reading, and downloads its contents first if they are missing or not the
  /// newest (a coordinated read, kvs-documents.md, B4). `version` identifies another version.
  /// Throws `unknownItem`, `noSuchVersion`, and `notDownloaded` if needed contents cannot be
  /// downloaded.
  public func open(
    _ path: DocumentPath, version: String? = nil
  ) throws(CloudError) -> Reading {
    if version == nil, isOnline {
      switch try item(path).downloading {
      case .notDownloaded: try download(path)
      // Older contents will do if the newest are not in iCloud yet.
      case .downloaded: try? download(path)
      case .current: break
      }
    }
    return try openHere(path, version: version)
  }

  /// Opens the local contents of a document, or another version. Throws as `open(_:version:)`.
  public func openHere(
    _ path: DocumentPath, version: String? = nil
  ) throws(CloudError) -> Reading {
    // The contents may be gone when they are opened, because another process saved. The row then
    // names the new ones.
    var failure = CloudError.noDocument(path)
    for _ in 0..<Self.tries {
      let found = try read { store, replica -> DocumentContents? in
        guard let item = try store.item(at: path, in: replica) else { return nil }
        guard let version else { return try require(item.contents, of: item) }
        return try contents(of: version, item, store, replica)
      }
      guard let contents = found ?? nil else { throw .noDocument(path) }
      do { return try open(contents) } catch let error as CloudError {
        failure = error
      } catch { failure = CloudError(.assetNotAvailable, "\(error)") }
    }
    throw failure
  }

  /// More attempts than contents are ever replaced in a row.
  private static let tries = 50

  func require(_ contents: DocumentContents?, of item: DeviceItem) throws -> DocumentContents {
    if let contents { return contents }
    throw CloudError(
      .notDownloaded,
      "the contents of '\(item.path.text.visible)' are not on \(request.device.name)"
        + (isOnline ? ", and not in iCloud yet" : ", and it is offline"))
  }

  private func open(_ contents: DocumentContents) throws -> Reading {
    guard let assets = try open()?.assets else { return Reading(isPackage: false, files: []) }
    let members =
      contents.isPackage
      ? try reading { try $0.members(of: contents) } ?? []
      : [PackageMember("", contents.asset, isExecutable: contents.isExecutable)]
    return Reading(
      isPackage: contents.isPackage,
      files: try members.map { member in
        guard try assets.contains(member.asset) else {
          throw CloudError.damagedContents(member.asset, isMissing: true)
        }
        return Reading.File(
          path: member.path, isExecutable: member.isExecutable, asset: member.asset,
          source: try FileHandle(openRegular: assets.path(of: member.asset)))
      })
  }

  // MARK: Transfer

  /// Downloads the newest contents of a document, or of all below a folder, where missing. Throws
  /// `unknownItem`, and `notDownloaded` if offline or iCloud has no contents yet.
  public func download(_ path: DocumentPath) throws(CloudError) {
    try meetingFaults { () throws(CloudError) in
      try write(each: path) { writing, item in
        var item = item
        guard try writing.fetch(&item, isOnline: isOnline) else {
          throw CloudError(
            .notDownloaded,
            "the contents of '\(item.path.text.visible)' are not in iCloud yet")
        }
      }
    }
  }

  /// Downloads the contents of documents that are not on the device, as a Mac does; an offline
  /// device only wants them.
  func downloadMissing(wantedOnly: Bool) throws(CloudError) {
    func isMissing(_ item: DeviceItem) -> Bool {
      item.contents == nil && item.document != nil && !item.changes.contains(.removal)
        && (item.isWanted || !wantedOnly)
    }
    let hasMissing = try read { store, replica in
      try store.items(of: replica).contains(where: isMissing)
    }
    guard hasMissing == true else { return }
    try write { writing in
      for var item in try writing.store.items(of: writing.replica) where isMissing(item) {
        item.isWanted = true
        try writing.store.update(item, lettingGoOf: nil)
        guard isOnline, let number = item.document,
          try writing.store.document(number)?.deleted == nil
        else { continue }
        _ = try writing.fetch(&item, isOnline: true)
      }
    }
  }

  /// Removes the contents of a document, or of all documents below a folder, from the device, but
  /// not from iCloud. Throws `notUploadedYet` for contents that iCloud does not have.
  public func evict(_ path: DocumentPath) throws(CloudError) {
    try write(each: path) { writing, item in
      guard item.document != nil, !item.changes.contains(.contents) else {
        throw CloudError(
          .notUploadedYet, "iCloud does not have the contents of '\(item.path.text.visible)' yet")
      }
      var evicted = item
      (evicted.contents, evicted.isWanted) = (nil, false)
      if let known = try item.known.flatMap({ try writing.store.version($0) }) {
        evicted.show(known)
      }
      try writing.store.update(evicted, lettingGoOf: item.contents)
    }
  }

  // MARK: Moving and removing

  /// Moves a document or a folder. Throws `unknownItem`, and `conflictExists` if there is a
  /// document at the target.
  public func move(_ path: DocumentPath, to target: DocumentPath) throws(CloudError) {
    try write { writing in
      if let item = try writing.store.item(at: path, in: writing.replica) {
        try writing.requireFree(target, for: item)
        return try writing.move(item, to: target)
      }
      let items = try writing.items(at: path)
      guard !target.isBelow(path.key) else {
        throw CloudError(.invalidArguments, "a folder cannot be moved into itself")
      }
      for item in items {
        let place = try DocumentPath(item.path.moved(from: path.text, to: target.text).text)
        try writing.requireFree(place, for: item)
        try writing.move(item, to: place)
      }
    }
  }

  /// Removes a document, or a folder with everything in it. Returns how many documents it removed.
  /// Throws `unknownItem`.
  @discardableResult
  public func remove(_ path: DocumentPath) throws(CloudError) -> Int {
    try write { writing in
      let items = try writing.items(at: path)
      try writing.eraseExpired()
      for item in items { try writing.remove(item) }
      if items.first?.path.key != path.key { try writing.removeFolder(path) }
      return items.count
    }
  }

  /// Removes all documents outside `Documents`, as the system settings do. Returns how many there
  /// were.
  public func removeData() throws(CloudError) -> Int {
    try write { writing in
      let items = try writing.store.items(of: writing.replica).filter {
        $0.path.scope == .data && !$0.changes.contains(.removal)
      }
      for item in items { try writing.remove(item) }
      return items.count
    }
  }

  /// Restores the document most recently deleted at a path. Returns its new path. Throws
  /// `unknownItem` if none was deleted there in the last 30 days, and `notDownloaded` if the device
  /// is offline.
  public func restore(_ path: DocumentPath) throws(CloudError) -> DocumentPath {
    try write { writing in
      let here = try writing.store.itemsDeletedHere(in: writing.replica).first {
        $0.path.key == path.key && !Self.isExpired($0.placed, now)
      }
      guard isOnline || here != nil else {
        throw CloudError(.notDownloaded, "\(request.device.name) is offline")
      }
      let document = isOnline ? try deletedDocument(at: path, writing.store) : nil
      if let here, (document?.deleted ?? here.placed) <= here.placed {
        return try writing.restore(here)
      }
      var exchange = try exchange(writing)
      if let document { return try exchange.restore(document) }
      if let place = try exchange.takeBackRemoval(of: path) { return place }
      throw CloudError(
        .unknownItem,
        "no document '\(path.text.visible)' was deleted within the last 30 days")
    }
  }

  private func deletedDocument(
    at path: DocumentPath, _ store: UbiquityStore
  ) throws -> CloudDocument? {
    try store.deletedDocuments(of: requireAccount()).first { document in
      document.path.key == path.key
        && document.deleted.map { Self.isExpired($0, request.now) } == false
    }
  }

  /// Returns the path to save a source of the given name at: inside `path` if that is a folder,
  /// otherwise `path` itself.
  public func place(_ path: String, for name: String) throws(CloudError) -> DocumentPath {
    let isFolder = path.utf8.last == UInt8(ascii: "/")
    let given = try DocumentPath(path)
    let inside = try DocumentPath("\(given.text)/\(name)")
    if isFolder { return inside }
    let hasDocuments = try read { store, replica in
      try !store.items(below: given, in: replica).isEmpty
    }
    return hasDocuments == true || given.key == DocumentScope.folder.lowercased() ? inside : given
  }
}

extension DocumentWriting {
  /// Throws `conflictExists` if a creating save finds a document, and `unknownItem` if an
  /// overwriting save finds none.
  func check(_ operation: DocumentStore.SaveOperation?, at path: DocumentPath) throws {
    guard let operation else { return }
    let isThere = try store.item(at: path, in: replica) != nil
    switch operation {
    case .creating where isThere:
      throw CloudError(.conflictExists, "the document '\(path.text.visible)' already exists")
    case .overwriting where !isThere: throw CloudError.noDocument(path)
    case .creating, .overwriting: return
    }
  }

  /// Throws `conflictExists` if another document is at a path.
  func requireFree(_ path: DocumentPath, for item: DeviceItem) throws {
    if let other = try store.item(at: path, in: replica) {
      guard other.number == item.number else {
        throw CloudError(.conflictExists, "the document '\(path.text.visible)' already exists")
      }
      return
    }
    try requireRoom(for: path)
  }

  /// Downloads the newest contents of a document; returns false if iCloud has none yet. Throws
  /// `notDownloaded` if they are needed and the device is offline.
  func fetch(_ item: inout DeviceItem, isOnline: Bool) throws -> Bool {
    if item.changes.contains(.contents) || item.path.isLocal { return true }
    guard isOnline else {
      if item.downloading == .current { return true }
      throw CloudError(
        .notDownloaded,
        "the contents of '\(item.path.text.visible)' are not on \(replica.device.name), "
          + "and it is offline")
    }
    guard let document = try item.document.flatMap({ try store.document($0) }),
      document.deleted == nil
    else { throw CloudError.noDocument(item.path) }
    guard let version = try document.current.flatMap({ try store.version($0) }) else {
      return false
    }
    let old = item.contents
    item.isWanted = true
    let isNew = item.known != version.number
    item.known = version.number
    guard let contents = version.contents else {
      try store.update(item, lettingGoOf: old)
      return false
    }
    if item.base == version.number, item.contents != nil { return true }
    item.contents = contents
    item.base = version.number
    item.show(version)
    try store.update(item, lettingGoOf: old)
    if isNew { try note(.didChange, item) }
    try reload(item)
    return true
  }

  /// Reloads an open document without unsaved changes from the device.
  func reload(_ item: DeviceItem) throws {
    guard var open = try store.openDocument(item), !open.hasUnsavedChanges,
      let contents = item.contents, open.contents != contents
    else { return }
    let old = open.contents
    open.contents = contents
    open.origin = DocumentOrigin(base: item.base, hash: contents.asset.sha256)
    try store.update(open, lettingGoOf: old)
    try note(.loadFromContents, item)
  }
}

extension DeviceItem {
  /// Updates the visible state from a version's metadata.
  mutating func show(_ version: CloudVersion) {
    (size, at, device) = (version.size, version.at, version.device)
    isPackage = version.contents?.isPackage ?? isPackage
  }
}
