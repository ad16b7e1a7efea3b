internal import Basics
public import CloudModel
internal import StoreFiles
internal import StoreHome
internal import UbiquityStore

/// The ubiquity container of an app on a device, with its documents.
public final class DocumentStore: DeviceApp {
  /// The account whose container it is. Throws `iCloudUnavailable` if no account is signed in.
  func requireAccount() throws(CloudError) -> Account {
    guard let account = request.account else {
      throw CloudError(
        .iCloudUnavailable, "no account is signed in, so there is no container", remedy: .signIn)
    }
    let status = try owner.status(of: account)
    guard status == .available else {
      throw CloudError(
        .iCloudUnavailable, "iCloud is not available to \(account.name), so there is no container",
        remedy: .makeAvailable(account, status))
    }
    return account
  }

  /// Whether the device can reach iCloud.
  var isOnline: Bool { settings?.isOnline ?? true }

  /// How the device fetches contents.
  var kind: NamedDevice.Kind { settings?.kind ?? .ios }

  // MARK: Reading

  /// Reads the container on the device; nil if it does not exist yet.
  func read<T>(_ work: (UbiquityStore, Replica) throws -> T) throws(CloudError) -> T? {
    let account = try requireAccount()
    return try reading { store in
      guard let replica = try store.replica(of: account, on: request.device) else { return nil }
      return try work(store, replica)
    } ?? nil
  }

  /// All documents on the device, in byte order of their paths.
  public func items() throws(CloudError) -> [DocumentItem] {
    try read { store, replica in
      let items = try store.items(of: replica).filter { !$0.changes.contains(.removal) }
      let facts = try DocumentFacts(store, replica)
      return items.map(facts.item)
    } ?? []
  }

  /// Returns a document. Throws `unknownItem` if there is none.
  public func item(_ path: DocumentPath) throws(CloudError) -> DocumentItem {
    let found = try read { store, replica -> DocumentItem? in
      guard let item = try store.item(at: path, in: replica) else { return nil }
      return try DocumentFacts(store, replica).item(item)
    }
    guard let item = found ?? nil else { throw .noDocument(path) }
    return item
  }

  /// The deleted documents that can be restored, most recent first, with their deletion times.
  public func deletedItems() throws(CloudError) -> [(path: DocumentPath, deleted: Timestamp)] {
    let account = try requireAccount()
    return try reading { store in
      var found = try store.deletedDocuments(of: account).compactMap { document in
        document.deleted.map { (path: document.path, deleted: $0) }
      }
      found.removeAll { Self.isExpired($0.deleted, request.now) }
      guard let replica = try store.replica(of: account, on: request.device) else { return found }
      let here = try store.itemsDeletedHere(in: replica).filter { !Self.isExpired($0.placed, now) }
      found += here.map { ($0.path, $0.placed) }
      // Sorting keeps the order of those deleted at once.
      return found.sorted { $0.deleted > $1.deleted }
    } ?? []
  }

  static func isExpired(_ deleted: Timestamp, _ now: Timestamp) -> Bool {
    now.milliseconds - deleted.milliseconds > keptMilliseconds
  }

  /// Deleted documents can be restored for 30 days (kvs-documents.md, B2).
  static let keptMilliseconds: Int64 = 30 * 86_400_000

  /// The account's documents in iCloud, the bytes of all their versions, and the quota.
  public func usage() throws(CloudError) -> (count: Int, bytes: Int64, quota: Int64?) {
    let account = try requireAccount()
    let used = try reading { try $0.documentBytes(of: account) } ?? (count: 0, bytes: 0)
    return (used.count, used.bytes, try owner.quota(of: account))
  }

  /// The events of the device after a sequence number, oldest first.
  public func events(after number: Int64 = 0) throws(CloudError) -> [DocumentEvent] {
    try read { store, replica in try store.documentEvents(of: replica, after: number) } ?? []
  }

  /// The folder where the container is mounted, or else its usual folder on a device, below the
  /// home directory. Throws `iCloudUnavailable` if no account is signed in.
  public func folder() throws(CloudError) -> String {
    let mounted = try read { store, replica in try store.mounts(of: replica).last?.folder }
    if let folder = mounted ?? nil { return folder }
    return "Library/Mobile Documents/" + container.text.split(separator: ".").joined(separator: "~")
  }

  // MARK: Writing

  /// Writes the container on the device, all or nothing. The first write creates it.
  func write<T>(_ work: (DocumentWriting) throws -> T) throws(CloudError) -> T {
    let account = try requireAccount()
    try noteDevice()
    return try transaction { store in
      let replica =
        try store.replica(of: account, on: request.device)
        ?? store.makeReplica(of: account, on: request.device)
      return try work(DocumentWriting(store, replica, now: now))
    }
  }

  /// Writes the documents at a path: one, or all below a folder. Throws `unknownItem` if there is
  /// none.
  func write(
    each path: DocumentPath, _ work: (DocumentWriting, DeviceItem) throws -> Void
  ) throws(CloudError) {
    try write { writing in
      for item in try writing.items(at: path) { try work(writing, item) }
    }
  }
}

extension CloudStore {
  /// Returns the ubiquity container of a container for a request. Throws `badContainer` for an
  /// unknown container, and `invalidArguments` if another account is signed in on the device.
  public func documentStore(
    _ id: ContainerID, for request: Request
  ) throws(CloudError) -> DocumentStore {
    DocumentStore(id, of: self, for: request, try requireDevice(of: request, in: id))
  }
}

/// Facts about a device's documents that are not in their rows.
struct DocumentFacts {
  private let conflicted: Set<Int64>
  private let incomplete: Set<Int64>

  init(_ store: UbiquityStore, _ replica: Replica) throws {
    conflicted = try store.conflicted(in: replica)
    incomplete = try store.incompleteVersions()
  }

  func item(_ row: DeviceItem) -> DocumentItem {
    let isPending = row.changes.contains(.contents)
    let isIncomplete = row.known.map(incomplete.contains) ?? false
    let downloading = row.downloading
    return DocumentItem(
      number: row.number, path: row.path, size: row.size, changed: row.at, created: row.created,
      device: row.device, isPackage: row.isPackage, downloading: downloading,
      isDownloadRequested: row.isWanted,
      isDownloading: row.isWanted && isIncomplete && downloading != .current,
      isUploaded: !isPending && !isIncomplete && row.document != nil,
      isUploading: isPending && isIncomplete, uploadingError: row.error,
      hasConflicts: conflicted.contains(row.number))
  }
}
