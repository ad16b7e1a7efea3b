internal import Basics
public import CloudModel
internal import StoreFiles
internal import UbiquityStore

// What a backup of a device has of its documents (kvs-documents.md, B8).
extension DocumentStore {
  /// The folders whose contents no backup has, as file systems compare them.
  private static let transient = ["tmp", "library/caches"]

  /// The documents on the device that a backup of it has: those whose contents are there, and that
  /// nobody excluded, neither themselves nor a folder above them.
  public func backedUpItems() throws(CloudError) -> [DocumentItem] {
    let exclusions = try exclusions().map(\.key) + Self.transient
    return try items().filter { item in
      item.downloading != .notDownloaded
        && !exclusions.contains { $0 == item.path.key || item.path.isBelow($0) }
    }
  }

  /// The paths that backups of the device leave out, in byte order.
  public func exclusions() throws(CloudError) -> [DocumentPath] {
    try read { store, replica in try store.exclusions(of: replica) } ?? []
  }

  /// Lets backups of the device leave out a document, or a folder with all that is in it, or have
  /// it again (`isExcludedFromBackup`). Throws `unknownItem`.
  public func exclude(_ path: DocumentPath, isExcluded: Bool = true) throws(CloudError) {
    try write { writing in
      if isExcluded { _ = try writing.items(at: path) }
      try writing.store.exclude(path, isExcluded: isExcluded, of: writing.replica)
    }
  }
}
