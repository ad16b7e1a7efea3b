internal import Basics
internal import CloudModel
internal import UbiquityStore

/// One synchronization of a device's container with iCloud, within a transaction (kvs-documents.md,
/// part C). `DocumentExchange+Receiving` receives changes, `+Sending` sends them.
struct DocumentExchange {
  let store: UbiquityStore
  var replica: Replica
  /// How the device fetches contents.
  let kind: NamedDevice.Kind
  /// The time on the device.
  let now: Timestamp
  /// The time in iCloud.
  let serverTime: Timestamp
  /// How many more bytes the account may send; nil for no limit.
  var room: Int64?
  /// Whether contents are sent, or only metadata (D15).
  var sendsContents = true
  var result = DocumentSynchronization()

  var account: Account { replica.account }
  var writing: DocumentWriting { DocumentWriting(store, replica, now: now) }

  /// Receives and sends all changes.
  mutating func run() throws -> DocumentSynchronization {
    try eraseExpired()
    try saveOpenDocuments()
    try receive()
    try send()
    replica.seen = try store.lastSequence()
    try store.update(replica)
    return result
  }

  /// Receives changes, but sends none.
  mutating func receiveOnly() throws {
    try saveOpenDocuments()
    try receive()
    try takeBackRemovals()
    replica.seen = try store.lastSequence()
    try store.update(replica)
  }

  /// Erases contents that were deleted over 30 days ago.
  private func eraseExpired() throws {
    try writing.eraseExpired()
    let limit = Timestamp(
      milliseconds: serverTime.milliseconds - DocumentStore.keptMilliseconds - 1)
    for var document in try store.deletedDocuments(of: account, before: limit) {
      for version in try store.versions(of: document) { try store.remove(version) }
      document.current = nil
      try store.update(&document)
    }
  }

  /// Saves the unsaved changes of open documents, which are edits like any others (D29).
  private func saveOpenDocuments() throws {
    for (item, open) in try store.openDocuments(in: replica) where open.hasUnsavedChanges {
      try writing.autosave(open, item)
    }
  }

  func note(_ kind: DocumentEvent.Kind, _ item: DeviceItem, _ detail: String? = nil) throws {
    try store.note(kind, item.path, detail, on: replica, at: now)
  }

  /// How many bytes must be transferred if one side already has `known`: of packages only the
  /// missing members (D50).
  func bytes(of contents: DocumentContents, besides known: DocumentContents?) throws -> Int64 {
    guard contents != known else { return 0 }
    guard contents.isPackage else { return contents.asset.size }
    let members = try known.map { try store.members(of: $0) } ?? []
    let have = Set(members.map(\.asset.sha256))
    return try store.members(of: contents).filter { !have.contains($0.asset.sha256) }
      .reduce(0) { $0 + $1.asset.size }
  }
}
