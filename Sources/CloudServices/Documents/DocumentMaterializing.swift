internal import Basics
internal import CloudModel
internal import StoreFiles
internal import UbiquityStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Writes what a device has into its mount. A file that another program changed since the last scan
/// stays as it is: the next scan finds it.
struct DocumentMaterializing {
  private let folder: MountFolder
  private let assets: AssetFiles
  private let offset: Int64
  private var drafts = 0
  /// The files that were written, as rows for them.
  private(set) var written: [(file: Wanted, fingerprint: MountedFile.Fingerprint)] = []
  /// The rows of files that were removed or replaced.
  private(set) var replaced: [MountedFile] = []
  /// The rows of files that stay, and derive from other versions now.
  private(set) var rebased: [MountedFile] = []

  /// A file that the mount shall have.
  struct Wanted {
    let item: DeviceItem
    let path: DocumentPath
    let contents: DocumentContents
  }

  init(_ folder: MountFolder, _ assets: AssetFiles, offset: Int64) {
    (self.folder, self.assets, self.offset) = (folder, assets, offset)
  }

  /// Makes the files of the folder, which are as `known` says, those that are wanted.
  mutating func run(_ wanted: [Wanted], _ known: [MountedFile]) throws {
    var old: [String: MountedFile] = [:]
    for file in known { old[file.path.text] = file }
    var missing: [Wanted] = []
    for file in wanted {
      if let row = old.removeValue(forKey: file.path.text) {
        if row.contents == file.contents {
          rebase(row, on: file.item)
        } else {
          try replace(row, by: file)
        }
      } else {
        missing.append(file)
      }
    }
    // Files that are gone leave their places first.
    for row in old.values.sorted(by: { utf8Precedes($0.path.text, $1.path.text) }) {
      try remove(row)
    }
    for (number, file) in missing.enumerated() {
      for next in missing[number...].dropFirst().prefix(Self.filesAhead) {
        assets.prefetch(next.contents.asset)
      }
      try place(file)
    }
    if !written.isEmpty { try folder.tree.synchronize() }
  }

  /// The disk reads the next files while one is written.
  private static let filesAhead = 2

  private mutating func draft(_ file: Wanted) throws -> String {
    try StoreError.checkInterrupt()
    drafts += 1
    let draft = folder.draft(drafts)
    let path = "\(folder.tree.path)/\(draft)"
    guard try assets.copy(file.contents.asset, to: path) else {
      throw CloudError(
        .assetNotAvailable, "the contents \(file.contents.asset.sha256) are damaged in the store")
    }
    guard chmod(path, file.contents.isExecutable ? 0o755 : 0o644) == 0 else {
      throw SystemError("change", path)
    }
    let milliseconds = file.item.at.milliseconds &- offset
    let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    let time = timespec(
      tv_sec: Int(seconds), tv_nsec: Int((milliseconds - seconds * 1000) * 1_000_000))
    guard utimensat(AT_FDCWD, path, [time, time], 0) == 0 else {
      throw SystemError("change", path)
    }
    return draft
  }

  private mutating func place(_ file: Wanted) throws {
    let draft = try draft(file)
    guard try folder.tree.move(draft, to: file.path.text) else {
      // Somebody has made a file there.
      return try folder.tree.remove(draft)
    }
    try note(file)
  }

  private mutating func rebase(_ row: MountedFile, on item: DeviceItem) {
    if row.item == item.number, row.base == item.base { return }
    var row = row
    (row.item, row.base) = (item.number, item.base)
    rebased.append(row)
  }

  private mutating func replace(_ row: MountedFile, by file: Wanted) throws {
    let draft = try draft(file)
    guard try folder.tree.exchange(draft, file.path.text) else {
      return try folder.tree.remove(draft)
    }
    guard try isAsKnown(draft, row) else {
      _ = try folder.tree.exchange(draft, file.path.text)
      return try folder.tree.remove(draft)
    }
    try folder.tree.remove(draft)
    replaced.append(row)
    try note(file)
  }

  private mutating func remove(_ row: MountedFile) throws {
    drafts += 1
    let draft = folder.draft(drafts)
    do throws(SystemError) {
      guard try folder.tree.status(of: row.path.text) != nil,
        try folder.tree.move(row.path.text, to: draft)
      else { return replaced.append(row) }
    } catch {
      if error.number == ENOENT { return replaced.append(row) }
      throw error
    }
    guard try isAsKnown(draft, row) else { return try putBack(draft, row.path) }
    try folder.tree.remove(draft)
    folder.tree.removeEmptyFolders(row.path.folder, upTo: DocumentScope.folder)
    replaced.append(row)
  }

  /// Puts back a file that changed in the meantime. It becomes a new document.
  private func putBack(_ draft: String, _ path: DocumentPath) throws {
    var place = path
    var number = 2
    while try !folder.tree.move(draft, to: place.text) {
      place = path.numbered(number)
      number += 1
    }
  }

  private func isAsKnown(_ path: String, _ row: MountedFile) throws -> Bool {
    guard let status = try folder.tree.status(of: path) else { return false }
    return MountedFile.Fingerprint(status).hasContents(of: row.fingerprint)
  }

  private mutating func note(_ file: Wanted) throws {
    guard let status = try folder.tree.status(of: file.path.text) else { return }
    written.append((file, MountedFile.Fingerprint(status)))
  }
}
