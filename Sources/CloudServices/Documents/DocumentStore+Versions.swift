internal import Basics
public import CloudModel
internal import StoreFiles
internal import UbiquityStore

// The versions of documents, and resolving their conflicts (`NSFileVersion`).
extension DocumentStore {
  /// The version that a resolution makes current.
  public enum Choice: Sendable {
    /// The current version.
    case current
    /// The version saved last.
    case newest
    /// The version with an identifier.
    case version(String)
    /// The contents of a file.
    case merged(String)
    /// The current version; each other version becomes a separate document.
    case all
  }

  /// The versions of a document: the current one, then the conflict versions, and with `all` the
  /// kept versions. Throws `unknownItem`.
  public func versions(
    of path: DocumentPath, all: Bool = false
  ) throws(CloudError) -> [DocumentVersion] {
    let found = try read { store, replica -> [DocumentVersion]? in
      guard let item = try store.item(at: path, in: replica) else { return nil }
      let losers = try losers(of: item, store, replica, all: all)
      return [
        DocumentVersion(
          identifier: item.known.map { String($0) } ?? "local", isCurrent: true,
          isConflict: false, isResolved: true, hasLocalContents: item.contents != nil,
          device: item.device, changed: item.at, size: item.size)
      ] + losers.map { $0.version(on: request.device, kind) }
    }
    guard let versions = found ?? nil else { throw .noDocument(path) }
    return versions
  }

  /// The conflict versions of all documents.
  public func conflicts() throws(CloudError) -> [(path: DocumentPath, version: DocumentVersion)] {
    try read { store, replica in
      let numbers = try store.conflicted(in: replica)
      return try store.items(of: replica)
        .filter { numbers.contains($0.number) && !$0.changes.contains(.removal) }
        .flatMap { item in
          try losers(of: item, store, replica).map {
            (item.path, $0.version(on: request.device, kind))
          }
        }
    } ?? []
  }

  /// Resolves all conflicts of a document: the choice becomes current, and the other versions are
  /// deleted, or kept as old versions with `keeps` (D37). Returns how many there were, 0 if they
  /// were resolved already (D39). Throws `unknownItem`, `noSuchVersion`, and `notDownloaded` if
  /// needed contents cannot be downloaded.
  public func resolve(
    _ path: DocumentPath, _ choice: Choice, keeps: Bool = false
  ) throws(CloudError) -> Int {
    let merged: StagedContents? =
      if case .merged(let file) = choice { try stage(file) } else { nil }
    func decide(_ writing: DocumentWriting) throws -> Int {
      try self.decide(writing, path, choice, merged?.contents, keeps: keeps)
    }
    guard let merged else { return try write(decide) }
    return try writing(merged, decide)
  }

  private func decide(
    _ writing: DocumentWriting, _ path: DocumentPath, _ choice: Choice,
    _ merged: DocumentContents?, keeps: Bool
  ) throws -> Int {
    let (store, replica) = (writing.store, writing.replica)
    var item = try writing.item(path)
    let losers = try losers(of: item, store, replica)
    if case .version(let identifier) = choice, identifier != item.known.map({ String($0) }),
      !losers.contains(where: { $0.identifier == identifier })
    {
      throw CloudError(
        .noSuchVersion, "'\(path.text.visible)' has no version '\(identifier.visible)'")
    }
    if losers.isEmpty { return 0 }
    if let contents = try chosen(choice, item, losers, merged) {
      // The resolution covers the current version, too, even if its contents are not on the device.
      if item.contents == nil { item.base = item.known }
      try writing.save(contents, to: &item)
      try writing.reload(item)
    }
    if case .all = choice {
      for loser in losers { try keepApart(loser, of: item, writing) }
    }
    // Resolving comes last: until then there is still a conflict (D36).
    for loser in losers {
      switch loser {
      case .draft(let draft): try store.remove(draft)
      case .cloud(let version): try store.decide(on: version, of: item, keeps: keeps)
      }
      try writing.note(.didResolveConflictVersion, item, loser.identifier)
    }
    let hasCloudVersions = losers.contains { if case .cloud = $0 { true } else { false } }
    // An earlier resolution may still be unsent.
    let isWaiting = try hasCloudVersions || !store.resolutions(of: item).isEmpty
    if isWaiting { item.changes.insert(.versions) } else { item.changes.remove(.versions) }
    try store.update(item, lettingGoOf: item.contents)
    return losers.count
  }

  /// The contents that become current; nil to leave them as they are.
  private func chosen(
    _ choice: Choice, _ item: DeviceItem, _ losers: [LosingVersion], _ merged: DocumentContents?
  ) throws -> DocumentContents? {
    switch choice {
    case .current, .all: return nil
    case .merged: return merged
    case .version(let identifier):
      return try losers.first { $0.identifier == identifier }.map { try contents(of: $0) }
    case .newest:
      guard let newest = losers.max(by: { $0.at < $1.at }), newest.at > item.at else { return nil }
      return try contents(of: newest)
    }
  }

  /// Saves a version as a separate document, next to its document (D35).
  private func keepApart(
    _ loser: LosingVersion, of item: DeviceItem, _ writing: DocumentWriting
  ) throws {
    var number = 2
    while try writing.store.item(at: item.path.numbered(number), in: writing.replica) != nil {
      number += 1
    }
    try writing.save(try contents(of: loser), at: item.path.numbered(number), saved: loser.at)
  }

  /// Removes the kept versions of a document. Returns how many. Throws `unknownItem`, and
  /// `notDownloaded` if the device is offline.
  public func removeVersions(of path: DocumentPath) throws(CloudError) -> Int {
    guard isOnline else {
      throw CloudError(.notDownloaded, "\(request.device.name) is offline")
    }
    return try write { writing in
      let item = try writing.item(path)
      guard var document = try item.document.flatMap({ try writing.store.document($0) }) else {
        return 0
      }
      let kept = try writing.store.versions(of: document).filter {
        $0.isResolved && $0.contents != nil
      }
      for version in kept {
        try writing.store.remove(version)
        try writing.note(.didLoseVersion, item, String(version.number))
      }
      if !kept.isEmpty { try writing.store.update(&document) }
      return kept.count
    }
  }

  // MARK: Losing versions

  /// Returns the contents of a version of a document. Throws `noSuchVersion`.
  func contents(
    of identifier: String, _ item: DeviceItem, _ store: UbiquityStore, _ replica: Replica
  ) throws -> DocumentContents {
    if identifier == item.known.map({ String($0) }) ?? "local" {
      // As in a coordinated read, contents that are not on the device come from iCloud.
      let version = try item.contents == nil ? item.known.flatMap { try store.version($0) } : nil
      return try require(item.contents ?? (isOnline ? version?.contents : nil), of: item)
    }
    let all = try losers(of: item, store, replica, all: true)
    guard let loser = all.first(where: { $0.identifier == identifier }) else {
      throw CloudError(
        .noSuchVersion,
        "'\(item.path.text.visible)' has no version '\(identifier.visible)'")
    }
    return try contents(of: loser)
  }

  private func contents(of loser: LosingVersion) throws -> DocumentContents {
    switch loser {
    case .draft(let draft): return draft.contents
    case .cloud(let version):
      guard isOnline || loser.version(on: request.device, kind).hasLocalContents else {
        throw CloudError(
          .notDownloaded,
          "version \(version.number) is not on \(request.device.name), "
            + "and it is offline")
      }
      guard let contents = version.contents else {
        throw CloudError(.noSuchVersion, "the contents of version \(version.number) are gone")
      }
      return contents
    }
  }

  private func losers(
    of item: DeviceItem, _ store: UbiquityStore, _ replica: Replica, all: Bool = false
  ) throws -> [LosingVersion] {
    var versions = try store.conflicts(of: item, in: replica)
    if all, let document = try item.document.flatMap({ try store.document($0) }) {
      versions += try store.versions(of: document).filter { $0.isResolved && $0.contents != nil }
    }
    return versions.map { .cloud($0) } + (try store.drafts(of: item).map { .draft($0) })
  }
}

/// A version of a document that lost to the current one.
private enum LosingVersion {
  case cloud(CloudVersion)
  /// A version that iCloud does not have yet.
  case draft(DraftVersion)

  var identifier: String {
    switch self {
    case .cloud(let version): String(version.number)
    case .draft(let draft): "local-\(draft.number)"
    }
  }

  var at: Timestamp {
    switch self {
    case .cloud(let version): version.at
    case .draft(let draft): draft.at
    }
  }

  func version(on device: Device, _ kind: NamedDevice.Kind) -> DocumentVersion {
    switch self {
    case .cloud(let version):
      DocumentVersion(
        identifier: identifier, isCurrent: false, isConflict: true,
        isResolved: version.isResolved,
        hasLocalContents: version.contents != nil && (kind == .mac || version.device == device),
        device: version.device, changed: version.at, size: version.size)
    case .draft(let draft):
      DocumentVersion(
        identifier: identifier, isCurrent: false, isConflict: true, isResolved: false,
        hasLocalContents: true, device: device, changed: draft.at,
        size: draft.contents.asset.size)
    }
  }
}
