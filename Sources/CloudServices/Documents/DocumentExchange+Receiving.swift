internal import Basics
internal import CloudModel
internal import UbiquityStore

// Receiving the changes of other devices since the last synchronization.
extension DocumentExchange {
  mutating func receive() throws {
    for document in try store.documents(of: account, after: replica.seen) {
      if document.isFolder {
        try receive(deletedFolder: document)
      } else if let item = try store.item(of: document, in: replica) {
        try receive(document, item)
      } else if document.deleted == nil {
        try add(document)
      }
    }
  }

  /// Deletes the local-only documents in a deleted folder (kvs-documents.md, B1).
  private func receive(deletedFolder folder: CloudDocument) throws {
    for item in try store.items(below: folder.path, in: replica) where item.path.isLocal {
      try writing.remove(item)
      try note(.accommodateDeletion, item)
    }
  }

  private mutating func add(_ document: CloudDocument) throws {
    let version = try document.current.flatMap { try store.version($0) }
    var item = DeviceItem(in: replica, document, version)
    if kind == .mac { item.isWanted = true }
    if item.isWanted, let version, let contents = version.contents {
      item.contents = contents
      item.base = version.number
      result.bytesDownloaded += try bytes(of: contents, besides: nil)
    }
    item = try store.add(item)
    result.received += 1
    try note(.didAppear, item)
    try noteVersions(of: document, item)
  }

  private mutating func receive(_ document: CloudDocument, _ item: DeviceItem) throws {
    result.received += 1
    if document.deleted != nil { return try receiveDeletion(item) }
    // Sending the removal decides what happens.
    if item.changes.contains(.removal) { return }
    var item = item
    let old = item.contents
    try takePath(of: document, &item)
    let version = try document.current.flatMap { try store.version($0) }
    item.known = document.current
    let isChanged =
      if let version, !item.changes.contains(.contents), item.base != version.number {
        try take(version, &item)
      } else { false }
    try store.update(item, lettingGoOf: old)
    if isChanged { try note(.didChange, item) }
    try writing.reload(item)
    try noteVersions(of: document, item)
  }

  private func receiveDeletion(_ item: DeviceItem) throws {
    // An edit made without knowing of the deletion survives: it is sent later.
    if item.changes.contains(.contents) { return }
    if try !store.drafts(of: item).isEmpty { return }
    try store.remove(item)
    if !item.changes.contains(.removal) { try note(.accommodateDeletion, item) }
  }

  /// Resolves two renames: the later one wins, by the clocks of the devices.
  private func takePath(of document: CloudDocument, _ item: inout DeviceItem) throws {
    if utf8Equal(item.path.text, document.path.text) {
      item.changes.remove(.path)
      return
    }
    if item.changes.contains(.path) {
      let mine = DeviceMoment(item.placed, on: replica.device)
      if mine.wins(over: DeviceMoment(document.placed, on: document.placer)) { return }
    }
    let old = item.path
    (item.path, item.placed) = (document.path, document.placed)
    item.changes.remove(.path)
    try note(.didMove, item, old.text)
  }

  /// Updates an item to a version; returns whether its visible state changed.
  mutating func take(_ version: CloudVersion, _ item: inout DeviceItem) throws -> Bool {
    guard let contents = version.contents, kind == .mac || item.isWanted else {
      guard item.contents == nil else { return false }
      let isNew = (item.size, item.at) != (version.size, version.at)
      item.show(version)
      return isNew
    }
    result.bytesDownloaded += try bytes(of: contents, besides: item.contents)
    item.contents = contents
    item.base = version.number
    item.isWanted = true
    item.show(version)
    return true
  }

  /// Reports which versions of a document lost, and which conflicts were resolved.
  private func noteVersions(of document: CloudDocument, _ item: DeviceItem) throws {
    for version in try store.versions(of: document) where version.isConflict {
      let identifier = String(version.number)
      if version.until == nil, version.since > replica.known {
        try note(.didGainVersion, item, identifier)
      } else if let until = version.until, until > replica.known, version.since <= replica.known {
        try note(.didResolveConflictVersion, item, identifier)
        if version.contents == nil { try note(.didLoseVersion, item, identifier) }
      }
    }
  }

  // MARK: Restoring

  /// Restores a deleted document. Returns its new path.
  mutating func restore(_ document: CloudDocument) throws -> DocumentPath {
    var document = document
    document.path = try freePath(document.path, for: document.number)
    document.deleted = nil
    try store.update(&document)
    if let item = try store.item(of: document, in: replica) {
      // The device does not know of the deletion, or has an edit made without knowing of it.
      guard item.changes.contains(.removal) else { return item.path }
      try store.remove(item)
    }
    try add(document)
    return document.path
  }

  /// Undoes a removal that was not sent to iCloud yet. Returns the path in iCloud, or nil if there
  /// is none.
  mutating func takeBackRemoval(of path: DocumentPath) throws -> DocumentPath? {
    let removed = try store.changedItems(of: replica).last {
      $0.changes.contains(.removal) && $0.document != nil && $0.path.key == path.key
    }
    guard let removed, let document = try removed.document.flatMap({ try store.document($0) }),
      document.deleted == nil
    else { return nil }
    try store.remove(removed)
    try add(document)
    return document.path
  }
}
