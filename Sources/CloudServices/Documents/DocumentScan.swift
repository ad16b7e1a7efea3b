internal import Basics
internal import CloudModel
internal import StoreFiles
internal import UbiquityStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The result of a scan of a mount.
public struct DocumentScanResult: Sendable {
  /// New documents.
  public var added = 0
  /// Documents with changed contents.
  public var changed = 0
  /// Documents with a changed path.
  public var moved = 0
  /// Documents that were removed.
  public var removed = 0
  /// Links and other special files, which cannot be documents.
  public var refused: [String] = []
  /// Files and folders that could not be read, with the reasons.
  public var failed: [String] = []
}

/// Finds the changes by other programs in a mount: reads the folder first, without blocking
/// writers, then changes the documents in one transaction.
struct DocumentScan {
  private let folder: MountFolder
  private let assets: AssetFiles
  /// The files as last written or read, by path.
  private(set) var known: [String: MountedFile] = [:]
  /// The folders that are packages, by their keys.
  private var packages: [String: DocumentPath] = [:]
  /// The new and changed files.
  private(set) var found: [FoundFile] = []
  private var unchanged: Set<String> = []
  private var folders: Set<String> = []
  /// The paths of the known files, once a file is new, and of the new ones, by their keys.
  private var knownPaths: [String: String] = [:]
  private var newPaths: [String: String] = [:]
  /// The folders of known files, by their keys.
  private var knownFolders: Set<String> = []
  /// The folders that are passed over, and all files that are, by their inodes.
  private var passedFolders: Set<String> = []
  private var passedFiles: [Int64: MountedFile.Fingerprint] = [:]
  private var unread: [String] = []
  /// The missing files, in byte order of their paths.
  private(set) var missing: [MountedFile] = []
  private(set) var drafts: [AssetFiles.Draft] = []
  var result = DocumentScanResult()

  /// A new or changed file.
  struct FoundFile {
    let path: String
    let contents: DocumentContents
    let fingerprint: MountedFile.Fingerprint

    /// When it was saved; `offset` is how far the device's clock is ahead, in milliseconds.
    func saved(_ offset: Int64) -> Timestamp {
      Timestamp(milliseconds: fingerprint.modified / 1_000_000 &+ offset)
    }
  }

  /// Changes within this time may get the same file date.
  private static let tickNanoseconds: Int64 = 20_000_000

  init(
    _ folder: MountFolder, _ known: [MountedFile], packages: [DocumentPath], _ assets: AssetFiles
  ) {
    (self.folder, self.assets) = (folder, assets)
    for file in known {
      self.known[file.path.text] = file
      var folder = DocumentPath(stored: file.path.folder)
      while !folder.text.isEmpty, knownFolders.insert(folder.key).inserted {
        folder = DocumentPath(stored: folder.folder)
      }
    }
    for package in packages { self.packages[package.key] = package }
  }

  // MARK: Reading

  /// Reads the folder and copies new and changed files into the store.
  mutating func read() throws {
    do {
      try folder.tree.walk { entry in
        try visit(entry)
      } failed: { path, error in
        if isPassedOver(path) { return }
        if error.number == EILSEQ {
          result.refused.append("\(path): the name is not UTF-8")
        } else {
          result.failed.append("\(path): \(error.reason)")
        }
        unread.append(path)
      }
    } catch {
      drafts.forEach(assets.discard)
      throw error
    }
    if !drafts.isEmpty { try assets.synchronizeAll() }
    missing = findMissing()
  }

  private mutating func visit(_ entry: FolderTree.Entry) throws -> Bool {
    try assets.interruption.check()
    if MountFolder.isOwn(entry.path) { return false }
    if isPassedOver(entry.path) { return passOver(entry) }
    if entry.isFolder {
      folders.insert(entry.path)
      notePackage(entry.path)
      return true
    }
    let path: DocumentPath
    do { path = try DocumentPath(entry.path) } catch {
      result.refused.append("\(entry.path): \(error.message)")
      return false
    }
    if known[path.text] == nil, MountPlaceholder.isOne(entry) { return false }
    guard entry.isRegular else {
      result.refused.append("\(entry.path) is neither a file nor a folder")
      unread.append(entry.path)
      return false
    }
    if let twin = twin(of: path) {
      result.refused.append("\(entry.path): iCloud takes it for \(twin): rename one of them")
      return false
    }
    let fingerprint = MountedFile.Fingerprint(entry.status)
    if let file = known[path.text], file.fingerprint == fingerprint,
      isExecutable(entry.status, file.contents) == file.contents.isExecutable
    {
      unchanged.insert(path.text)
    } else {
      try read(entry, fingerprint)
    }
    return false
  }

  /// The path of another file in the folder that iCloud cannot tell from a new one, because they
  /// differ in case or composition only; nil for none. The one that is a document stays, and of two
  /// new ones the first.
  private mutating func twin(of path: DocumentPath) -> String? {
    // Swift compares strings without regard to composition, too.
    if let file = known[path.text], utf8Equal(file.path.text, path.text) { return nil }
    if package(of: path) != nil { return nil }
    if knownPaths.isEmpty {
      for file in known.values { knownPaths[file.path.key] = file.path.text }
    }
    if let place = knownPaths[path.key], (try? folder.tree.status(of: place)) != nil {
      return place
    }
    if let place = newPaths[path.key] { return place }
    newPaths[path.key] = path.text
    return nil
  }

  /// Whether a path is an editor's temporary file or below such a folder. The scan sees all that
  /// the mount wrote, and all in a package.
  private func isPassedOver(_ path: String) -> Bool {
    let place = DocumentPath(stored: path)
    guard passedFolders.contains(place.folder) || DocumentPath.isTemporary(place.name) else {
      return false
    }
    return known[path] == nil && !knownFolders.contains(place.key) && package(of: place) == nil
  }

  /// Notes a file that is passed over: it may be a document that an editor moved out of the way.
  private mutating func passOver(_ entry: FolderTree.Entry) -> Bool {
    if entry.isFolder {
      passedFolders.insert(entry.path)
    } else {
      let fingerprint = MountedFile.Fingerprint(entry.status)
      passedFiles[fingerprint.inode] = fingerprint
    }
    return entry.isFolder
  }

  /// Treats a new folder with the name of a package as a package.
  private mutating func notePackage(_ folder: String) {
    let path = DocumentPath(stored: folder)
    guard DocumentPath.isPackage(path.name), packages[path.key] == nil,
      package(of: path) == nil, !knownFolders.contains(path.key)
    else { return }
    packages[path.key] = path
  }

  private mutating func read(
    _ entry: FolderTree.Entry, _ fingerprint: MountedFile.Fingerprint
  ) throws {
    do {
      let file = try entry.open()
      let before = try file.status()
      let old = known[entry.path]?.contents
      var fingerprint = MountedFile.Fingerprint(before)
      var contents: DocumentContents
      if let old, old.asset.size == fingerprint.size, try AssetFiles.asset(of: file) == old.asset {
        contents = old
      } else {
        let copied = try old == nil ? file : entry.open()
        let draft = try assets.draft(from: copied, isSynchronized: false)
        drafts.append(draft)
        contents = DocumentContents(draft.asset)
      }
      contents.isExecutable = isExecutable(before, old)
      let after = MountedFile.Fingerprint(try file.status())
      // A file that was just written is read again in the next scan.
      let isFresh =
        Platform.wallClockMilliseconds * 1_000_000 - after.changed < Self.tickNanoseconds
      if after != fingerprint || isFresh { fingerprint.changed = 0 }
      found.append(FoundFile(path: entry.path, contents: contents, fingerprint: fingerprint))
    } catch let error as SystemError where !error.isDiskFull {
      result.failed.append("\(entry.path): \(error.reason)")
      unread.append(entry.path)
    }
  }

  private func isExecutable(_ status: stat, _ known: DocumentContents?) -> Bool {
    folder.hasModes ? status.isExecutable : known?.isExecutable ?? false
  }

  // MARK: Missing files

  /// The known files that are missing. Files that could not be read, or were moved to a name that
  /// is passed over, are not counted.
  private func findMissing() -> [MountedFile] {
    // The folder itself could not be listed.
    if unread.contains("") { return [] }
    let here = Set(found.map(\.path)).union(unchanged)
    let unread = unread.map(NameFolding.fold)
    return known.values.filter { file in
      !here.contains(file.path.text)
        && passedFiles[file.fingerprint.inode]?.hasContents(of: file.fingerprint) != true
        && !unread.contains { $0 == file.path.key || file.path.isBelow($0) }
    }.sorted { utf8Precedes($0.path.text, $1.path.text) }
  }

  var knownCount: Int { known.count }

  /// Whether nothing has changed.
  var isUnchanged: Bool { found.isEmpty && unchanged.count == known.count }

  // MARK: Applying

  /// Updates the documents from the folder. Saves are dated by the files, on a clock `offset`
  /// milliseconds ahead; nil for the device's time.
  mutating func apply(
    to writing: DocumentWriting, _ mount: Mount, offset: Int64?
  ) throws {
    var gone: [Int64: [MountedFile]] = [:]
    for file in missing where package(of: file.path) == nil {
      gone[file.fingerprint.inode, default: []].append(file)
    }
    for file in found where package(of: DocumentPath(stored: file.path)) == nil {
      let saved = offset.map(file.saved)
      if let old = known[file.path] {
        try change(old, file, saved, writing, mount)
      } else if let old = gone[file.fingerprint.inode]?.first(where: {
        $0.contents.asset == file.contents.asset
      }), try move(old, to: file, writing) {
        gone[file.fingerprint.inode]?.removeAll { $0.number == old.number }
      } else {
        try add(file, saved, writing, mount)
      }
    }
    for files in packageFiles() {
      try apply(files, to: writing, mount, offset: offset)
    }
    for file in gone.values.flatMap(\.self) { try remove(file, writing) }
    try removeFolders(gone.values.flatMap(\.self), writing)
  }

  /// The package that a path is in.
  func package(of path: DocumentPath) -> DocumentPath? {
    if packages.isEmpty { return nil }
    let key = path.key
    for (place, byte) in zip(key.utf8.indices, key.utf8) where byte == UInt8(ascii: "/") {
      if let package = packages[String(key[..<place])] { return package }
    }
    return nil
  }

  private mutating func change(
    _ old: MountedFile, _ file: FoundFile, _ saved: Timestamp?, _ writing: DocumentWriting,
    _ mount: Mount
  ) throws {
    var row = old
    row.fingerprint = file.fingerprint
    guard file.contents != old.contents else { return try writing.store.update(row) }
    guard var item = try writing.store.item(old.item), !item.changes.contains(.removal) else {
      // Deleted elsewhere, but changed here: saved as a document again.
      try writing.store.remove(old)
      return try save(file, saved, writing, mount)
    }
    try writing.save(
      file.contents, to: &item,
      from: DocumentOrigin(base: old.base, hash: old.contents.asset.sha256), saved: saved)
    row.contents = file.contents
    row.base = item.base
    try writing.store.update(row)
    try writing.note(.didChange, item)
    try writing.reload(item)
    result.changed += 1
  }

  private mutating func add(
    _ file: FoundFile, _ saved: Timestamp?, _ writing: DocumentWriting, _ mount: Mount
  ) throws {
    result.added += 1
    try save(file, saved, writing, mount)
  }

  /// Saves a file that the mount did not write: as a new document, or as an edit of an unseen
  /// document at its path.
  private func save(
    _ file: FoundFile, _ saved: Timestamp?, _ writing: DocumentWriting, _ mount: Mount
  ) throws {
    let path = DocumentPath(stored: file.path)
    var item: DeviceItem
    if let known = try writing.store.item(at: path, in: writing.replica) {
      item = known
      try writing.save(
        file.contents, to: &item, from: DocumentOrigin(base: nil, hash: ""), saved: saved)
    } else {
      item = try writing.save(file.contents, at: path, saved: saved)
      try writing.note(.didAppear, item)
    }
    try writing.store.add(
      MountedFile(of: item, at: path, file.contents, in: mount, file.fingerprint))
  }

  /// Renames a document; returns false if it has another path by now.
  private mutating func move(
    _ old: MountedFile, to file: FoundFile, _ writing: DocumentWriting
  ) throws -> Bool {
    let target = DocumentPath(stored: file.path)
    guard let item = try writing.store.item(old.item), utf8Equal(item.path.text, old.path.text),
      !item.changes.contains(.removal),
      try writing.store.item(at: target, in: writing.replica).map({ $0.number == item.number })
        ?? true
    else { return false }
    try writing.move(item, to: target)
    try writing.store.remove(old)
    let moved = try writing.store.item(at: target, in: writing.replica) ?? item
    var row = old
    (row.path, row.fingerprint, row.item) = (target, file.fingerprint, moved.number)
    try writing.store.add(row)
    try writing.note(.didMove, moved, old.path.text)
    result.moved += 1
    return true
  }

  /// Removes the document of a missing file, unless the device has something that the mount had
  /// not: other contents, versions in conflict, unsaved changes.
  private mutating func remove(_ file: MountedFile, _ writing: DocumentWriting) throws {
    try writing.store.remove(file)
    guard let item = try writing.store.item(file.item), item.path.key == file.path.key,
      item.contents?.asset == file.contents.asset
    else { return }
    try removeIfSeen(item, writing)
  }

  /// Removes a document unless it has unseen versions or unsaved changes.
  mutating func removeIfSeen(_ item: DeviceItem, _ writing: DocumentWriting) throws {
    let store = writing.store
    guard !item.changes.contains(.removal),
      try store.conflicts(of: item, in: writing.replica).isEmpty,
      try store.drafts(of: item).isEmpty,
      try store.openDocument(item)?.hasUnsavedChanges != true
    else { return }
    try writing.remove(item)
    try writing.note(.accommodateDeletion, item)
    result.removed += 1
  }

  /// Removes folders that disappeared with their documents.
  private func removeFolders(_ files: [MountedFile], _ writing: DocumentWriting) throws {
    var gone: Set<String> = []
    for file in files {
      var folder = file.path.folder
      var topmost: String?
      while !folder.isEmpty, !folders.contains(folder) {
        topmost = folder
        folder = DocumentPath(stored: folder).folder
      }
      if let topmost, gone.insert(topmost).inserted {
        let path = DocumentPath(stored: topmost)
        if try writing.store.items(below: path, in: writing.replica).isEmpty {
          try writing.removeFolder(path)
        }
      }
    }
  }
}
