internal import Basics
internal import CloudModel
internal import StoreFiles
internal import UbiquityStore

// The container of a device as plain files in a folder that any program may change.
extension DocumentStore {
  /// The result of mounting.
  public struct MountResult: Sendable {
    /// What other programs changed before.
    public var scan = DocumentScanResult()
    /// How many files were written.
    public var written = 0
    /// How many files were removed.
    public var removed = 0
  }

  /// Asks whether `removed` of `count` documents may be removed.
  public typealias Confirmation = (_ removed: Int, _ count: Int) throws -> Void

  /// Syncs a folder with the device: picks up changes by other programs, then writes the documents
  /// whose contents are on the device, and `placeholders` for the others. A new folder is created
  /// and marked. Throws `invalidArguments` for an unmarked folder that is not empty, and what
  /// `confirm` throws.
  public func mount(
    _ path: String, placeholders: Bool = false, confirm: Confirmation
  ) throws -> MountResult {
    var result = MountResult()
    if MountFolder.isMarked(path) {
      result.scan = try scan(path, confirm: confirm)
    } else {
      try makeMount(path)
    }
    try materialize(path, &result)
    try updatePlaceholders(path, placeholders)
    return result
  }

  private func makeMount(_ path: String) throws {
    let mark = String(UInt64.random(in: .min ... .max), radix: 36)
    try MountFolder.make(path, mark: mark)
    let place = FileSystem.withoutLinks(path) ?? path
    try write { writing in
      _ = try writing.store.add(Mount(of: writing.replica, mark: mark, folder: place))
    }
  }

  /// Picks up changes by other programs in a mount. Calls `confirm` before removing more than half
  /// of the documents. Throws `invalidArguments` for a folder without this device's mark, and what
  /// `confirm` throws.
  public func scan(
    _ path: String, confirm: Confirmation
  ) throws -> DocumentScanResult {
    let folder = try openMount(path)
    let known = try read { store, replica in
      let mount = try store.mount(marked: folder.mark, of: replica)
      let packages = try store.items(of: replica).filter { $0.isPackage && $0.contents != nil }
      let files = try mount.map { try store.files(of: $0) } ?? []
      try store.requireWholePages()
      return (files, packages.map(\.path))
    }
    guard let (files, packages) = known, let assets = try open()?.assets else {
      return DocumentScanResult()
    }
    var scan = DocumentScan(folder, files, packages: packages, assets)
    try serving { try scan.read() }
    if scan.isUnchanged { return scan.result }
    let missing = scan.missing.count
    do {
      if missing * 2 > scan.knownCount { try confirm(missing, scan.knownCount) }
    } catch {
      scan.drafts.forEach(assets.discard)
      throw error
    }
    // A fixed clock replaces the dates of files.
    let offset = request.fixedClock == nil ? settings?.clockOffset ?? 0 : nil
    try write { writing in
      writing.store.stage(scan.drafts)
      guard let mount = try writing.store.mount(marked: folder.mark, of: writing.replica) else {
        throw Self.foreign(path)
      }
      try scan.apply(to: writing, mount, offset: offset)
    }
    return scan.result
  }

  /// Opens a folder with this device's mark, and updates its recorded path.
  private func openMount(_ path: String) throws -> MountFolder {
    let folder = try serving { try MountFolder(path) }
    let mount = try read { store, replica in try store.mount(marked: folder.mark, of: replica) }
    guard var mount = mount ?? nil else { throw Self.foreign(path) }
    let place = FileSystem.withoutLinks(path) ?? path
    if !utf8Equal(mount.folder, place) {
      mount.folder = place
      try write { try $0.store.update(mount) }
    }
    return folder
  }

  private static func foreign(_ path: String) -> CloudError {
    CloudError(.invalidArguments, "\(path) is a mount of another device or container")
  }

  /// Shows the documents whose contents are not on the device, or no longer shows them.
  private func updatePlaceholders(_ path: String, _ isShowing: Bool) throws {
    let folder = try openMount(path)
    guard isShowing || folder.hasPlaceholders else { return }
    let missing = try read { store, replica in
      try store.items(of: replica).filter { item in
        item.contents == nil && !item.changes.contains(.removal)
      }
    }
    try serving { try folder.show(isShowing ? missing ?? [] : []) }
  }

  private func materialize(_ path: String, _ result: inout MountResult) throws {
    let folder = try openMount(path)
    guard let work = try holdingContents({ try write(into: folder) }) else { return }
    if work.written.isEmpty, work.replaced.isEmpty, work.rebased.isEmpty { return }
    try note(work, in: folder, path)
    result.written = work.written.count
    let places = Set(work.written.map(\.file.path.text))
    result.removed = work.replaced.count { !places.contains($0.path.text) }
  }

  /// Writes the missing files of a mount; returns nil if the folder is not a mount of this device.
  private func write(into folder: MountFolder) throws -> DocumentMaterializing? {
    let state = try read {
      store, replica -> (wanted: [DocumentMaterializing.Wanted], known: [MountedFile])? in
      guard let mount = try store.mount(marked: folder.mark, of: replica) else { return nil }
      let state = (try wanted(store, replica), try store.files(of: mount))
      // A document hidden by a damaged page is not gone; its file stays.
      try store.requireWholePages()
      return state
    }
    guard let (wanted, known) = state ?? nil, let assets = try open()?.assets else { return nil }
    var work = DocumentMaterializing(folder, assets, offset: settings?.clockOffset ?? 0)
    try serving { try work.run(wanted, known) }
    return work
  }

  private func note(
    _ work: DocumentMaterializing, in folder: MountFolder, _ path: String
  ) throws {
    try write { writing in
      guard let mount = try writing.store.mount(marked: folder.mark, of: writing.replica) else {
        throw Self.foreign(path)
      }
      for row in work.replaced { try writing.store.remove(row) }
      for row in work.rebased { try writing.store.update(row) }
      for (file, fingerprint) in work.written {
        try writing.store.add(
          MountedFile(of: file.item, at: file.path, file.contents, in: mount, fingerprint))
      }
    }
  }

  /// The files of all documents whose contents are on the device.
  private func wanted(
    _ store: UbiquityStore, _ replica: Replica
  ) throws -> [DocumentMaterializing.Wanted] {
    try store.items(of: replica).flatMap { item -> [DocumentMaterializing.Wanted] in
      guard let contents = item.contents, !item.changes.contains(.removal) else { return [] }
      guard contents.isPackage else {
        return [.init(item: item, path: item.path, contents: contents)]
      }
      return try store.members(of: contents).map { member in
        .init(
          item: item, path: DocumentPath(stored: "\(item.path.text)/\(member.path)"),
          contents: DocumentContents(member.asset, isExecutable: member.isExecutable))
      }
    }
  }
}
