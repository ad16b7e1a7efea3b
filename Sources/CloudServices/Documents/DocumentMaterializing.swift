internal import Basics
internal import CloudModel
internal import StoreFiles
internal import UbiquityStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Writes a device's documents into its mount. A file that another program changed since the last
/// scan stays as it is: the next scan finds it.
struct DocumentMaterializing {
  private let folder: MountFolder
  private let assets: AssetFiles
  private let offset: Int64
  /// The files that were written, with their fingerprints.
  private(set) var written: [(file: Wanted, fingerprint: MountedFile.Fingerprint)] = []
  /// The rows of files that were removed or replaced.
  private(set) var replaced: [MountedFile] = []
  /// The rows of unchanged files whose item or base version changed.
  private(set) var rebased: [MountedFile] = []

  /// A file that the mount should contain.
  struct Wanted {
    let item: DeviceItem
    let path: DocumentPath
    let contents: DocumentContents
  }

  init(_ folder: MountFolder, _ assets: AssetFiles, offset: Int64) {
    (self.folder, self.assets, self.offset) = (folder, assets, offset)
  }

  /// Brings the folder from the `known` files to the wanted ones.
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
    // Removed files free their paths first.
    for row in old.values.sorted(by: { utf8Precedes($0.path.text, $1.path.text) }) {
      try remove(row)
    }
    try place(missing)
    if !written.isEmpty { try folder.tree.synchronize() }
  }

  private mutating func draft(_ file: Wanted) throws -> MountDraft {
    try assets.interruption.check()
    return MountDraft(
      file, folder.newDraft(), in: folder, assets,
      at: Timestamp(milliseconds: file.item.at.milliseconds &- offset))
  }

  /// Places missing files; at most two are copied at a time.
  private mutating func place(_ missing: [Wanted]) throws {
    var begun: [MountDraft] = []
    defer { begun.forEach { $0.discard() } }
    for file in missing {
      let draft = try draft(file)
      draft.begin()
      begun.append(draft)
      if begun.count == 2 { try place(begun.removeFirst()) }
    }
    while !begun.isEmpty { try place(begun.removeFirst()) }
  }

  private mutating func place(_ draft: MountDraft) throws {
    try draft.finish()
    let state = try state(of: draft)
    guard try folder.tree.move(draft.name, to: draft.file.path.text) else {
      // Another program has created a file there.
      return try folder.tree.remove(draft.name)
    }
    note(draft.file, state)
  }

  private mutating func rebase(_ row: MountedFile, on item: DeviceItem) {
    if row.item == item.number, row.base == item.base { return }
    var row = row
    (row.item, row.base) = (item.number, item.base)
    rebased.append(row)
  }

  /// Replaces a file. Another program may write it until it is moved away, so it is checked again
  /// then.
  private mutating func replace(_ row: MountedFile, by file: Wanted) throws {
    guard try isAsKnown(row.path.text, row) else { return }
    let draft = try draft(file)
    try draft.finish()
    let state = try state(of: draft)
    guard try folder.tree.exchange(draft.name, file.path.text) else {
      return try folder.tree.remove(draft.name)
    }
    guard try isAsKnown(draft.name, row) else { return try undo(draft, state) }
    try folder.tree.remove(draft.name)
    replaced.append(row)
    note(file, state)
  }

  /// Exchanges back a file that another program changed before it was moved away. If a program has
  /// changed the draft meanwhile, the draft stays as a new document.
  private func undo(_ draft: MountDraft, _ state: MountedFile.Fingerprint) throws {
    let path = draft.file.path
    guard try folder.tree.exchange(draft.name, path.text) else {
      return try putBack(draft.name, path)
    }
    guard let status = try folder.tree.status(of: draft.name),
      MountedFile.Fingerprint(status).hasContents(of: state)
    else { return try putBack(draft.name, path) }
    try folder.tree.remove(draft.name)
  }

  private mutating func remove(_ row: MountedFile) throws {
    let draft = folder.newDraft()
    do throws(SystemError) {
      guard let status = try folder.tree.status(of: row.path.text) else {
        return replaced.append(row)
      }
      guard row.hasContents(of: status) else { return }
      guard try folder.tree.move(row.path.text, to: draft) else { return replaced.append(row) }
    } catch {
      if error.number == ENOENT { return replaced.append(row) }
      throw error
    }
    guard try isAsKnown(draft, row) else { return try putBack(draft, row.path) }
    try folder.tree.remove(draft)
    folder.tree.removeEmptyFolders(row.path.folder, upTo: DocumentScope.folder)
    replaced.append(row)
  }

  /// Puts back a file that another program changed; it becomes a new document.
  private func putBack(_ draft: String, _ path: DocumentPath) throws {
    var place = path
    var number = 2
    while try !folder.tree.move(draft, to: place.text) {
      place = path.numbered(number)
      number += 1
    }
  }

  private func isAsKnown(_ path: String, _ row: MountedFile) throws -> Bool {
    try folder.tree.status(of: path).map(row.hasContents) ?? false
  }

  private func state(of draft: MountDraft) throws -> MountedFile.Fingerprint {
    guard let status = try folder.tree.status(of: draft.name) else {
      throw SystemError("read", draft.name, number: ENOENT)
    }
    return MountedFile.Fingerprint(status)
  }

  /// Notes a file that is now in place. If another program has already edited or removed it, notes
  /// the state of the draft instead, so that the next scan finds the change.
  private mutating func note(_ file: Wanted, _ draft: MountedFile.Fingerprint) {
    var fingerprint = draft
    if let status = try? folder.tree.status(of: file.path.text),
      MountedFile.Fingerprint(status).hasContents(of: draft)
    {
      // The rename has changed the ctime.
      fingerprint.changed = Platform.changeNanoseconds(of: status)
    }
    written.append((file, fingerprint))
  }
}
