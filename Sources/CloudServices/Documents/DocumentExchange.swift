internal import Basics
internal import CloudModel
internal import UbiquityStore

/// One synchronization of a device's container with iCloud, within a transaction
/// (kvs-documents.md, part C). What comes in is in `DocumentExchange+Receiving`, what goes out in
/// `+Sending`.
struct DocumentExchange {
  let store: UbiquityStore
  var replica: Replica
  /// How the device fetches contents.
  let kind: NamedDevice.Kind
  /// The time on the device.
  let now: Timestamp
  /// The time in iCloud.
  let serverTime: Timestamp
  /// How many bytes the account may still send; nil for any number.
  var room: Int64?
  /// Whether contents go out, or only what is known of them (D15).
  var sendsContents = true
  var result = DocumentSynchronization()

  var account: Account { replica.account }
  var writing: DocumentWriting { DocumentWriting(store, replica, now: now) }

  /// Exchanges all there is.
  mutating func run() throws -> DocumentSynchronization {
    try eraseExpired()
    try saveOpenDocuments()
    try receive()
    try send()
    replica.seen = try store.lastSequence()
    try store.update(replica)
    return result
  }

  /// Takes what is new, and sends nothing.
  mutating func receiveOnly() throws {
    try saveOpenDocuments()
    try receive()
    try takeBackRemovals()
    replica.seen = try store.lastSequence()
    try store.update(replica)
  }

  /// Contents that were deleted 30 days ago go for good.
  private func eraseExpired() throws {
    let limit = Timestamp(
      milliseconds: serverTime.milliseconds - DocumentStore.keptMilliseconds - 1)
    for var document in try store.deletedDocuments(of: account, before: limit) {
      for version in try store.versions(of: document) { try store.remove(version) }
      document.current = nil
      try store.update(&document)
    }
  }

  /// Unsaved changes of open documents are an edit like any other (D29).
  private func saveOpenDocuments() throws {
    for (item, open) in try store.openDocuments(in: replica) where open.hasUnsavedChanges {
      try writing.autosave(open, item)
    }
  }

  func note(_ kind: DocumentEvent.Kind, _ item: DeviceItem, _ detail: String? = nil) throws {
    try store.note(kind, item.path, detail, on: replica, at: now)
  }

  /// How many bytes have to move where one side has `known` already: of packages only the members
  /// that it does not have (D50).
  func bytes(of contents: DocumentContents, besides known: DocumentContents?) throws -> Int64 {
    guard contents != known else { return 0 }
    guard contents.isPackage else { return contents.asset.size }
    let members = try known.map { try store.members(of: $0) } ?? []
    let have = Set(members.map(\.asset.sha256))
    return try store.members(of: contents).filter { !have.contains($0.asset.sha256) }
      .reduce(0) { $0 + $1.asset.size }
  }
}
