internal import Basics
internal import CloudModel
internal import UbiquityStore

// Sending the device's changes since the last synchronization.
extension DocumentExchange {
  mutating func send() throws {
    let changed = try store.changedItems(of: replica)
    for item in changed where item.changes.contains(.removal) { try send(removal: item) }
    try sendPaths()
    for item in try store.changedItems(of: replica) {
      var item = item
      if item.changes.contains(.contents) { try sendContents(&item) }
      if item.changes.contains(.versions) { try sendVersions(&item) }
    }
  }

  // MARK: Removals

  private mutating func send(removal item: DeviceItem) throws {
    guard let number = item.document else { return try send(removedFolder: item) }
    guard var document = try store.document(number), document.deleted == nil else {
      return try store.remove(item)
    }
    // Versions that the device had not seen survive (D46).
    if try document.current != item.known || hasUnseenVersions(document) {
      return try takeBack(removal: item, of: document)
    }
    try store.remove(item)
    document.deleted = serverTime
    try store.update(&document)
    result.sent += 1
  }

  private func hasUnseenVersions(_ document: CloudDocument) throws -> Bool {
    try store.versions(of: document).contains {
      $0.isConflict && $0.until == nil && $0.since > replica.known
    }
  }

  /// Undoes removals of documents with unseen versions if nothing is sent now: later the device
  /// would know those versions.
  mutating func takeBackRemovals() throws {
    for item in try store.changedItems(of: replica) where item.changes.contains(.removal) {
      if let document = try item.document.flatMap({ try store.document($0) }),
        document.deleted == nil, try hasUnseenVersions(document)
      {
        try takeBack(removal: item, of: document)
      }
    }
  }

  private mutating func takeBack(removal item: DeviceItem, of document: CloudDocument) throws {
    try store.remove(item)
    result.conflicts += 1
    let version = try document.current.flatMap { try store.version($0) }
    var item = DeviceItem(in: replica, document, version)
    if kind == .mac, let version { _ = try take(version, &item) }
    item = try store.add(item)
    try note(.resurrected, item)
  }

  private mutating func send(removedFolder item: DeviceItem) throws {
    var folder = CloudDocument(
      of: account, at: item.path, isFolder: true, created: now, placed: now, by: replica.device)
    folder.deleted = serverTime
    _ = try store.add(folder)
    try store.remove(item)
  }

  // MARK: Paths

  /// Sends all path changes at once, because two documents may have swapped paths.
  private mutating func sendPaths() throws {
    let moved = try store.changedItems(of: replica).filter { $0.changes.contains(.path) }
    var leaving = Set(moved.compactMap(\.document))
    for item in moved {
      guard let number = item.document, var document = try store.document(number) else { continue }
      leaving.remove(number)
      var item = item
      item.changes.remove(.path)
      if document.deleted == nil {
        try bounce(&item, for: number, leaving)
        (document.path, document.placed) = (item.path, item.placed)
        document.placer = replica.device
        try store.update(&document)
        result.sent += 1
      }
      try store.update(item, lettingGoOf: item.contents)
    }
  }

  /// Moves an item to the next free path if another document in iCloud has its path.
  private func bounce(
    _ item: inout DeviceItem, for document: Int64?, _ leaving: Set<Int64> = []
  ) throws {
    let free = try freePath(item.path, for: document, leaving, besides: item)
    guard !utf8Equal(free.text, item.path.text) else { return }
    let old = item.path
    item.path = free
    try note(.didMove, item, old.text)
  }

  /// Returns the path, or the next numbered path that no other document has, in iCloud or on the
  /// device.
  func freePath(
    _ path: DocumentPath, for document: Int64?, _ leaving: Set<Int64> = [],
    besides item: DeviceItem? = nil
  ) throws -> DocumentPath {
    func isTaken(_ path: DocumentPath) throws -> Bool {
      if let other = try store.document(at: path, of: account), other.number != document,
        !leaving.contains(other.number)
      {
        return true
      }
      return try store.hasDocuments(below: path, of: account)
    }
    /// Only numbered paths are checked against the device: the item may have the given path there.
    func isFree(_ path: DocumentPath) throws -> Bool {
      if try isTaken(path) { return false }
      guard let other = try store.item(at: path, in: replica) else { return true }
      return other.number == item?.number
    }
    var path = try withoutDocumentsAsFolders(path)
    guard try isTaken(path) else { return path }
    let original = path
    var number = 2
    repeat {
      path = original.numbered(number)
      number += 1
    } while try !isFree(path)
    return path
  }

  /// Renames the folders in a path that would collide with documents.
  private func withoutDocumentsAsFolders(_ path: DocumentPath) throws -> DocumentPath {
    var folders: [String] = []
    for name in path.folder.utf8.split(separator: UInt8(ascii: "/")) {
      let name = String(decoding: name, as: UTF8.self)
      var folder = DocumentPath(stored: (folders + [name]).joined(separator: "/"))
      let original = folder
      var number = 2
      while try store.document(at: folder, of: account) != nil {
        folder = original.numbered(number)
        number += 1
      }
      folders.append(folder.name)
    }
    return DocumentPath(stored: (folders + [path.name]).joined(separator: "/"))
  }

  // MARK: Contents

  private mutating func sendContents(_ item: inout DeviceItem) throws {
    guard let contents = item.contents else { return }
    guard let number = item.document, let document = try store.document(number) else {
      return try send(new: &item, contents)
    }
    try send(edit: &item, contents, of: document)
  }

  private mutating func send(new item: inout DeviceItem, _ contents: DocumentContents) throws {
    if let document = try store.document(at: item.path, of: account) {
      let current = try document.current.flatMap { try store.version($0) }
      let isSame = current?.contents == contents
      if isSame || item.path.scope == .data {
        // From now on both are one document.
        if let other = try store.item(of: document, in: replica), other.number != item.number {
          try store.remove(other)
        }
        (item.document, item.path) = (document.number, document.path)
        try store.update(item, lettingGoOf: contents)
        return try send(edit: &item, contents, of: document)
      }
    }
    try bounce(&item, for: nil)
    try store.update(item, lettingGoOf: contents)
    guard try takeRoom(for: contents, insteadOf: nil, &item) else { return }
    var document = CloudDocument(
      of: account, at: item.path, created: item.created, placed: item.placed, by: replica.device)
    document = try store.add(document)
    item.document = document.number
    try makeCurrent(contents, of: &document, &item, insteadOf: nil)
  }

  private mutating func send(
    edit item: inout DeviceItem, _ contents: DocumentContents, of known: CloudDocument
  ) throws {
    var document = known
    let current = try document.current.flatMap { try store.version($0) }
    guard
      try current?.contents == contents
        || takeRoom(for: contents, insteadOf: item.base == document.current ? current : nil, &item)
    else { return }
    let isDeleted = document.deleted != nil
    if isDeleted {
      document.deleted = nil
      document.path = try freePath(document.path, for: document.number, besides: item)
      item.path = document.path
      try note(.resurrected, item)
    }
    if let current, current.contents == contents {
      settle(&item, on: current)
      if isDeleted { try store.update(&document) }
      try store.update(item, lettingGoOf: contents)
    } else if let current, item.base != current.number {
      try contest(contents, of: &document, &item, current)
    } else {
      try makeCurrent(contents, of: &document, &item, insteadOf: current)
    }
  }

  private func settle(_ item: inout DeviceItem, on version: CloudVersion) {
    (item.base, item.known, item.error) = (version.number, version.number, nil)
    item.changes.remove(.contents)
  }

  /// Saves contents that derive from the current version, or are the first.
  private mutating func makeCurrent(
    _ contents: DocumentContents, of document: inout CloudDocument, _ item: inout DeviceItem,
    insteadOf old: CloudVersion?
  ) throws {
    var version: CloudVersion
    if let old, old.contents == nil, old.device == replica.device {
      version = old
      (version.size, version.at) = (item.size, item.at)
    } else {
      version = try store.add(newVersion(of: document, item))
    }
    if sendsContents {
      version.contents = contents
      result.bytesUploaded += try bytes(of: contents, besides: old?.contents)
      settle(&item, on: version)
      // The new contents are now available to all devices.
      for other in try store.versions(of: document)
      where !other.isConflict && other.number != version.number { try store.remove(other) }
    } else {
      (item.base, item.known) = (version.number, version.number)
    }
    try store.update(version)
    document.current = version.number
    try store.update(&document)
    try store.update(item, lettingGoOf: item.contents)
    result.sent += 1
  }

  private func newVersion(of document: CloudDocument, _ item: DeviceItem) -> CloudVersion {
    CloudVersion(
      of: document.number, nil, size: item.size, at: item.at, by: replica.device)
  }

  /// Saves contents that do not derive from the current version: the later save becomes current,
  /// the other one a conflict version (kvs-documents.md, B5).
  private mutating func contest(
    _ contents: DocumentContents, of document: inout CloudDocument, _ item: inout DeviceItem,
    _ current: CloudVersion
  ) throws {
    result.conflicts += 1
    result.bytesUploaded += try bytes(of: contents, besides: current.contents)
    var (mine, theirs) = (newVersion(of: document, item), current)
    mine.contents = contents
    mine = try store.add(mine)
    // A conflict version that the save is based on is resolved.
    for version in try store.versions(of: document)
    where version.number == item.base && version.isConflict && version.until == nil {
      try store.resolve(version, keeps: false)
    }
    let wins = DeviceMoment(item.at, on: replica.device)
      .wins(over: DeviceMoment(theirs.at, on: theirs.device))
    if wins {
      theirs.lose(at: try store.lastSequence())
      try store.update(theirs)
      document.current = mine.number
      settle(&item, on: mine)
    } else {
      mine.lose(at: try store.lastSequence())
      try store.update(mine)
      settle(&item, on: theirs)
      item.contents = theirs.contents
      if let contents = theirs.contents {
        result.bytesDownloaded += try bytes(of: contents, besides: mine.contents)
      }
      item.show(theirs)
      try note(.didChange, item)
    }
    try store.update(&document)
    try store.update(item, lettingGoOf: contents)
    try note(.didGainVersion, item, String(wins ? theirs.number : mine.number))
    if !wins { try writing.reload(item) }
    result.sent += 1
  }

  // MARK: Versions

  private mutating func sendVersions(_ item: inout DeviceItem) throws {
    guard var document = try item.document.flatMap({ try store.document($0) }) else { return }
    for draft in try store.drafts(of: item) {
      guard try takeRoom(for: draft.contents, insteadOf: nil, &item) else { return }
      var version = CloudVersion(
        of: document.number, draft.contents, size: draft.contents.asset.size, at: draft.at,
        by: replica.device)
      version.lose(at: try store.lastSequence())
      _ = try store.add(version)
      try store.remove(draft)
      result.bytesUploaded += try bytes(of: draft.contents, besides: nil)
    }
    for resolution in try store.resolutions(of: item) {
      if let version = try store.version(resolution.version), version.isConflict,
        version.until == nil
      {
        try store.resolve(version, keeps: resolution.keeps)
      }
      try store.remove(resolution)
    }
    item.changes.remove(.versions)
    try store.update(item, lettingGoOf: item.contents)
    try store.update(&document)
    result.sent += 1
  }

  // MARK: Quota

  /// Reserves quota for contents; if they do not fit, sets the item's error (D54).
  private mutating func takeRoom(
    for contents: DocumentContents, insteadOf old: CloudVersion?, _ item: inout DeviceItem
  ) throws -> Bool {
    guard let room else { return true }
    let growth = contents.asset.size - (old?.contents?.asset.size ?? 0)
    guard growth > max(0, room) else {
      self.room = room - growth
      return true
    }
    result.failed += 1
    guard item.error == nil else { return false }
    item.error = CloudError.Code.quotaExceeded.name
    try store.update(item, lettingGoOf: item.contents)
    try note(.uploadFailed, item, item.error)
    return false
  }
}

extension CloudVersion {
  /// Marks it as losing, as of the next change.
  fileprivate mutating func lose(at sequence: Int64) {
    (isConflict, since) = (true, sequence + 1)
  }
}
