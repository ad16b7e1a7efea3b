internal import Basics
internal import CloudModel
internal import UbiquityStore

/// A change to the container on a device, within a transaction.
struct DocumentWriting {
  let store: UbiquityStore
  let replica: Replica
  /// The time on the device.
  let now: Timestamp

  init(_ store: UbiquityStore, _ replica: Replica, now: Timestamp) {
    (self.store, self.replica, self.now) = (store, replica, now)
  }

  /// Returns the document at a path. Throws `unknownItem` if there is none.
  func item(_ path: DocumentPath) throws -> DeviceItem {
    guard let item = try store.item(at: path, in: replica) else {
      throw CloudError.noDocument(path)
    }
    return item
  }

  /// Returns the document at a path, or all below a folder. Throws `unknownItem` if there is none.
  func items(at path: DocumentPath) throws -> [DeviceItem] {
    if let item = try store.item(at: path, in: replica) { return [item] }
    let items = try store.items(below: path, in: replica)
    if items.isEmpty { throw CloudError.noDocument(path) }
    return items
  }

  func note(_ kind: DocumentEvent.Kind, _ item: DeviceItem, _ detail: String? = nil) throws {
    try store.note(kind, item.path, detail, on: replica, at: now)
  }

  // MARK: Saving

  /// Saves contents at a path, and creates the document if there is none. `time` is when they were
  /// saved, nil for now.
  @discardableResult
  func save(
    _ contents: DocumentContents, at path: DocumentPath, saved time: Timestamp? = nil
  ) throws -> DeviceItem {
    guard var item = try store.item(at: path, in: replica) else {
      try requireRoom(for: path)
      return try store.add(DeviceItem(in: replica, at: path, contents, saved: time ?? now))
    }
    try save(contents, to: &item, saved: time)
    return item
  }

  /// Saves new contents of a document. They derive from `origin`, nil for the device's contents, or
  /// those before an eviction: if these differ, one of the two becomes a conflict version. Contents
  /// that the device never had also remain as one after the next synchronization (D58).
  func save(
    _ contents: DocumentContents, to item: inout DeviceItem, from origin: DocumentOrigin? = nil,
    saved time: Timestamp? = nil
  ) throws {
    let old = item.contents
    if let origin, origin.hash != old?.asset.sha256 {
      if contents == old { return }
      guard try keepAside(contents, &item, saved: time ?? now) else { return }
      item.base = try base(of: origin, item)
    }
    item.contents = contents
    item.isPackage = contents.isPackage
    (item.size, item.at) = (contents.asset.size, time ?? now.following(item.at))
    (item.device, item.isWanted) = (replica.device, true)
    if !item.path.isLocal { item.changes.insert(.contents) }
    try store.update(item, lettingGoOf: old)
  }

  /// If a save has not seen the device's unsent contents, the later of the two stays and the other
  /// becomes a conflict version; contents that iCloud has need not be kept here. Returns whether
  /// the save goes on.
  private func keepAside(
    _ contents: DocumentContents, _ item: inout DeviceItem, saved time: Timestamp
  ) throws -> Bool {
    guard item.changes.contains(.contents), let unseen = item.contents else { return true }
    let isLater = time >= item.at
    let (loser, at) = isLater ? (unseen, item.at) : (contents, time)
    try store.add(DraftVersion(of: item, loser, at: at))
    item.changes.insert(.versions)
    try store.update(item, lettingGoOf: item.contents)
    try note(.didGainVersion, item)
    return isLater
  }

  /// The version that an edit derives from: the newest if it equals the contents that were seen,
  /// whatever version that was then.
  private func base(of origin: DocumentOrigin, _ item: DeviceItem) throws -> Int64? {
    let newest = try item.known.flatMap { try store.version($0) }
    return newest?.contents?.asset.sha256 == origin.hash ? item.known : origin.base
  }

  // MARK: Paths

  /// Throws `invalidArguments` if a document and a folder would have the same path.
  func requireRoom(for path: DocumentPath) throws {
    var folder = DocumentPath(stored: path.folder)
    while !folder.text.isEmpty {
      if try store.item(at: folder, in: replica) != nil {
        throw CloudError(
          .invalidArguments, "'\(folder.text.visible)' is a document, not a folder")
      }
      folder = DocumentPath(stored: folder.folder)
    }
    guard try store.items(below: path, in: replica).isEmpty else {
      throw CloudError(.invalidArguments, "'\(path.text.visible)' is a folder")
    }
  }

  /// Moves a document; a move to a local-only path removes it from iCloud.
  func move(_ item: DeviceItem, to path: DocumentPath) throws {
    var moved = item
    let old = item.path
    (moved.path, moved.placed) = (path, now)
    if item.document != nil, path.isLocal {
      guard let contents = item.contents else {
        throw CloudError(
          .notDownloaded,
          "'\(old.text.visible)' cannot leave iCloud: its contents are not on the device")
      }
      try remove(item)
      moved = DeviceItem(in: replica, at: path, contents, saved: item.at)
      moved = try store.add(moved)
    } else {
      if item.document != nil { moved.changes.insert(.path) }
      if item.document == nil {
        moved.changes = path.isLocal ? [] : item.changes.union(.contents)
      }
      try store.update(moved, lettingGoOf: moved.contents)
    }
  }

  /// Removes a document from the device, and from iCloud with the next synchronization. The device
  /// keeps the contents of a document that iCloud never had: it can be restored for 30 days.
  func remove(_ item: DeviceItem) throws {
    if let open = try store.openDocument(item) { try store.remove(open) }
    for draft in try store.drafts(of: item) { try store.remove(draft) }
    var removed = item
    (removed.changes, removed.error) = (.removal, nil)
    if item.document == nil {
      removed.placed = now
    } else {
      // The removal has seen the version that the contents derive from, not the newest.
      if item.contents != nil { removed.known = item.base }
      removed.contents = nil
    }
    try store.update(removed, lettingGoOf: item.contents)
  }

  /// Restores a document that was deleted before iCloud had it, at a free path.
  func restore(_ item: DeviceItem) throws -> DocumentPath {
    var item = item
    let path = item.path
    var number = 2
    while try !isFree(item.path) {
      item.path = path.numbered(number)
      number += 1
    }
    item.placed = now
    item.changes = item.path.isLocal ? [] : .contents
    try store.update(item, lettingGoOf: item.contents)
    try note(.didAppear, item)
    return item.path
  }

  private func isFree(_ path: DocumentPath) throws -> Bool {
    try store.item(at: path, in: replica) == nil
      && store.items(below: path, in: replica).isEmpty
  }

  /// Removes for good what was deleted here over 30 days ago.
  func eraseExpired() throws {
    for item in try store.itemsDeletedHere(in: replica)
    where DocumentStore.isExpired(item.placed, now) {
      try store.remove(item)
    }
  }

  /// Notes that a folder was removed; its local-only documents go with it (B1).
  func removeFolder(_ path: DocumentPath) throws {
    _ = try store.add(DeviceItem(in: replica, folder: path, removed: now))
  }
}
