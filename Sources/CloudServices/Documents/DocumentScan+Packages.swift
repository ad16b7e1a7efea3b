internal import Basics
internal import CloudModel
internal import UbiquityStore

// A package changes as one document.
extension DocumentScan {
  /// The files of a package, as last written and as they are now.
  private struct PackageFiles {
    var old: [String: PackageMember] = [:]
    var new: [String: PackageMember] = [:]
    var lost: [MountedFile] = []
    var changed: [FoundFile] = []
    var base: Int64?

    static func contents(of members: [String: PackageMember]) -> DocumentContents {
      DocumentContents(package: sorted(members))
    }

    static func sorted(_ members: [String: PackageMember]) -> [PackageMember] {
      members.values.sorted { utf8Precedes($0.path, $1.path) }
    }
  }

  private func files(of package: DocumentPath) -> PackageFiles {
    func member(_ path: DocumentPath, _ contents: DocumentContents) -> PackageMember {
      PackageMember(
        String(path.text.unicodeScalars.dropFirst(package.text.unicodeScalars.count + 1)),
        contents.asset, isExecutable: contents.isExecutable)
    }
    var files = PackageFiles()
    for file in known.values where file.path.isBelow(package.key) {
      files.old[file.path.text] = member(file.path, file.contents)
      files.base = file.base
    }
    files.new = files.old
    for file in missing where file.path.isBelow(package.key) {
      files.lost.append(file)
      files.new[file.path.text] = nil
    }
    for file in found {
      let path = DocumentPath(stored: file.path)
      guard path.isBelow(package.key) else { continue }
      files.changed.append(file)
      files.new[file.path] = member(path, file.contents)
    }
    return files
  }

  /// Updates the document of a package from its folder.
  mutating func apply(
    _ package: DocumentPath, to writing: DocumentWriting, _ mount: Mount, offset: Int64?
  ) throws {
    let files = files(of: package)
    if files.changed.isEmpty, files.lost.isEmpty { return }
    let old = PackageFiles.contents(of: files.old)
    let known = try writing.store.item(at: package, in: writing.replica)
    for file in files.lost { try writing.store.remove(file) }
    if files.new.isEmpty {
      if let known, known.contents == old { try removeIfSeen(known, writing) }
      return
    }
    let new = PackageFiles.contents(of: files.new)
    try writing.store.keep(PackageFiles.sorted(files.new), of: new)
    let saved = offset.flatMap { offset in files.changed.map { $0.saved(offset) }.max() }
    var item: DeviceItem
    if let known {
      item = known
      if new != old {
        let origin = DocumentOrigin(base: files.base, hash: old.asset.sha256)
        try writing.save(new, to: &item, from: origin, saved: saved)
        try writing.note(.didChange, item)
        result.changed += 1
      }
    } else {
      item = try writing.save(new, at: package, saved: saved)
      try writing.note(.didAppear, item)
      result.added += 1
    }
    for file in files.changed {
      if let row = self.known[file.path] { try writing.store.remove(row) }
      try writing.store.add(
        MountedFile(
          of: item, at: DocumentPath(stored: file.path), file.contents, in: mount,
          file.fingerprint))
    }
  }
}
