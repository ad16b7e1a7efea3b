internal import Basics
public import CloudModel
internal import StoreFiles
internal import UbiquityStore

// Documents that an app has open (`UIDocument`, kvs-documents.md, B3).
extension DocumentStore {
  /// The state of a document, and whether it has unsaved changes.
  public func state(
    of path: DocumentPath
  ) throws(CloudError) -> (state: DocumentState, hasUnsavedChanges: Bool) {
    let found = try read { store, replica -> (DocumentState, Bool) in
      guard let item = try store.item(at: path, in: replica) else { return (.closed, false) }
      var state: DocumentState = []
      let hasConflicts =
        try !store.conflicts(of: item, in: replica).isEmpty || !store.drafts(of: item).isEmpty
      if hasConflicts { state.insert(.inConflict) }
      guard let open = try store.openDocument(item) else {
        return (state.union(.closed), false)
      }
      if open.hasError || item.error != nil { state.insert(.savingError) }
      if item.downloading == .downloaded {
        // The newest contents could not be read yet.
        state.formUnion([.editingDisabled, .progressAvailable])
      }
      return (state, open.hasUnsavedChanges)
    }
    return found ?? (.closed, false)
  }

  /// Opens a document, and downloads its contents if they are not on the device. Throws
  /// `unknownItem`, `notDownloaded`, and `invalidArguments` for a package.
  public func openDocument(_ path: DocumentPath) throws(CloudError) {
    try write { writing in
      var item = try writing.item(path)
      if item.downloading != .current, isOnline { _ = try writing.fetch(&item, isOnline: true) }
      let contents = try require(item.contents, of: item)
      guard !contents.isPackage else { throw Self.package(path) }
      guard try writing.store.openDocument(item) == nil else { return }
      try writing.store.add(OpenDocument(item, contents))
    }
  }

  /// An edit of an open document.
  public enum Edit: Sendable {
    /// Leaves the contents as they are; only the change count changes.
    case none
    /// Replaces the contents.
    case set([UInt8])
    /// Appends to the contents.
    case append([UInt8])
  }

  /// Changes an open document without saving it. Returns whether there are unsaved changes. Throws
  /// `invalidArguments` if the document is not open.
  @discardableResult
  public func change(
    _ path: DocumentPath, _ edit: Edit, _ kind: DocumentChangeKind = .done
  ) throws(CloudError) -> Bool {
    let contents = try contents(of: path, after: edit)
    return try noting(path) { () throws(CloudError) in try replace(path, by: contents, kind) }
  }

  private func replace(
    _ path: DocumentPath, by contents: [UInt8]?, _ kind: DocumentChangeKind
  ) throws(CloudError) -> Bool {
    let staged = try contents.map { (bytes) throws(CloudError) in try stage(bytes) }
    func change(_ writing: DocumentWriting) throws -> Bool {
      let (_, known) = try writing.open(path)
      var open = known
      if let staged { open.contents = staged.contents }
      switch kind {
      case .done, .redone: open.changes += 1
      case .undone: open.changes -= 1
      case .cleared: open.changes = 0
      }
      try writing.store.update(open, lettingGoOf: known.contents)
      return open.hasUnsavedChanges
    }
    guard let staged else { return try write(change) }
    return try writing(staged, change)
  }

  private func contents(
    of path: DocumentPath, after edit: Edit
  ) throws(CloudError) -> [UInt8]? {
    switch edit {
    case .none: nil
    case .set(let bytes): bytes
    case .append(let bytes): try openContents(path) + bytes
    }
  }

  /// The contents of an open document, saved or not. Throws as `change`.
  public func openContents(_ path: DocumentPath) throws(CloudError) -> [UInt8] {
    let found = try read { store, replica -> [UInt8]? in
      guard let item = try store.item(at: path, in: replica),
        let open = try store.openDocument(item)
      else { return nil }
      var bytes: [UInt8] = []
      let asset = open.contents.asset
      guard try store.assets.copy(asset, to: { bytes.append(contentsOf: $0) }) else {
        throw CloudError.damagedContents(asset)
      }
      return bytes
    }
    guard let bytes = found ?? nil else { throw .notOpen(path) }
    return bytes
  }

  /// Saves an open document, even without changes. Throws as `change`.
  public func saveDocument(_ path: DocumentPath) throws(CloudError) {
    try noting(path) { () throws(CloudError) in
      try write { writing in
        let (item, open) = try writing.open(path)
        try writing.autosave(open, item)
      }
    }
  }

  /// Opens a document, changes its contents with `work`, saves and closes it; an open document
  /// stays open. Saves nothing when interrupted. Throws as `openDocument`, and what `work` throws.
  public func edit(
    _ path: DocumentPath, _ work: ([UInt8]) throws -> [UInt8]
  ) throws {
    guard try state(of: path).state.contains(.closed) else {
      try change(path, .set(work(openContents(path))))
      try autosave(path)
      return
    }
    let reading = try open(path)
    guard !reading.isPackage, let file = reading.files.first else { throw Self.package(path) }
    var bytes: [UInt8] = []
    try file.copy { bytes.append(contentsOf: $0) }
    let staged = try stage(work(bytes))
    try writing(staged) { writing in
      var item = try writing.item(path)
      // The contents that were read may no longer be the device's newest.
      let isSame = item.contents?.asset == file.asset
      let origin = DocumentOrigin(
        base: isSame ? item.base : nil, hash: file.asset.sha256)
      try writing.save(staged.contents, to: &item, from: origin)
      try writing.reload(item)
      try writing.note(.save, item, String(SaveOperation.overwriting.rawValue))
    }
  }

  private static func package(_ path: DocumentPath) -> CloudError {
    CloudError(
      .invalidArguments, "'\(path.text.visible)' is a package; only files can be opened")
  }

  /// Creates an empty document, saved for creating, and leaves it open. Throws `conflictExists` if
  /// it already exists.
  public func createDocument(_ path: DocumentPath) throws(CloudError) {
    let staged = try stage([])
    try writing(staged) { writing in
      try writing.check(.creating, at: path)
      let item = try writing.save(staged.contents, at: path)
      try writing.store.add(OpenDocument(item, staged.contents))
      try writing.note(.save, item, String(SaveOperation.creating.rawValue))
    }
  }

  /// Saves an open document if it has changes. Returns whether it had any. Throws as `change`.
  @discardableResult
  public func autosave(_ path: DocumentPath) throws(CloudError) -> Bool {
    try noting(path) { () throws(CloudError) in
      try write { writing in
        let (item, open) = try writing.open(path)
        if open.hasUnsavedChanges { try writing.autosave(open, item) }
        return open.hasUnsavedChanges
      }
    }
  }

  /// Writes an open document. A failure sets its saving error until the next successful save (D28),
  /// if the disk has room for that.
  private func noting<T>(
    _ path: DocumentPath, _ work: () throws(CloudError) -> T
  ) throws(CloudError) -> T {
    do { return try work() } catch {
      if error.storage == .full || error.storage == .inputOutput {
        try? write { writing in
          var (_, open) = try writing.open(path)
          open.hasError = true
          try writing.store.update(open, lettingGoOf: open.contents)
        }
      }
      throw error
    }
  }

  /// Reverts an open document to the device's contents. Throws as `change`.
  public func revert(_ path: DocumentPath) throws(CloudError) {
    try write { writing in
      let (item, known) = try writing.open(path)
      var open = known
      open.contents = try require(item.contents, of: item)
      open.origin = DocumentOrigin(base: item.base, hash: open.contents.asset.sha256)
      (open.changes, open.hasError) = (0, false)
      try writing.store.update(open, lettingGoOf: known.contents)
      try writing.note(.loadFromContents, item)
    }
  }

  /// Saves an open document if it has changes, and closes it. Throws as `change`.
  public func closeDocument(_ path: DocumentPath) throws(CloudError) {
    try noting(path) { () throws(CloudError) in
      try write { writing in
        let (item, open) = try writing.open(path)
        if open.hasUnsavedChanges { try writing.autosave(open, item) }
        if let open = try writing.store.openDocument(item) { try writing.store.remove(open) }
      }
    }
  }
}

extension DocumentWriting {
  /// Returns a document and its open state. Throws `invalidArguments` if it is not open.
  func open(_ path: DocumentPath) throws -> (item: DeviceItem, open: OpenDocument) {
    let item = try item(path)
    guard let open = try store.openDocument(item) else { throw CloudError.notOpen(path) }
    return (item, open)
  }

  /// Saves an open document's contents.
  func save(_ known: OpenDocument, _ item: DeviceItem) throws {
    var (item, open) = (item, known)
    try save(open.contents, to: &item, from: open.origin)
    open.origin = DocumentOrigin(base: item.base, hash: open.contents.asset.sha256)
    (open.changes, open.hasError) = (0, false)
    try store.update(open, lettingGoOf: known.contents)
  }

  /// Saves an open document for overwriting, and notes the event.
  func autosave(_ open: OpenDocument, _ item: DeviceItem) throws {
    try save(open, item)
    try note(.save, item, String(DocumentStore.SaveOperation.overwriting.rawValue))
  }
}

extension CloudError {
  fileprivate static func notOpen(_ path: DocumentPath) -> CloudError {
    CloudError(
      .invalidArguments, "'\(path.text.visible)' is not open",
      remedy: .advice("open it first"))
  }
}
