internal import Basics
public import CloudModel
internal import StoreFiles
internal import UbiquityStore

// Which documents a device backup includes (kvs-documents.md, B8).
extension DocumentStore {
  /// The folders that no backup includes, case-folded.
  private static let transient = ["tmp", "library/caches"]

  /// The documents that a backup of the device includes: those with local contents, unless they or
  /// a folder above them are excluded.
  public func backedUpItems() throws(CloudError) -> [DocumentItem] {
    let exclusions = try exclusions().map(\.key) + Self.transient
    return try items().filter { item in
      item.downloading != .notDownloaded
        && !exclusions.contains { $0 == item.path.key || item.path.isBelow($0) }
    }
  }

  /// The excluded paths, in byte order.
  public func exclusions() throws(CloudError) -> [DocumentPath] {
    try read { store, replica in try store.exclusions(of: replica) } ?? []
  }

  /// Excludes a document or a folder from backups of the device, or includes it again
  /// (`isExcludedFromBackup`). Throws `unknownItem`.
  public func exclude(_ path: DocumentPath, isExcluded: Bool = true) throws(CloudError) {
    try write { writing in
      if isExcluded { _ = try writing.items(at: path) }
      try writing.store.exclude(path, isExcluded: isExcluded, of: writing.replica)
    }
  }
}
