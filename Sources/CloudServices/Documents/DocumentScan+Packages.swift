internal import Basics
internal import CloudModel
internal import UbiquityStore

// A package changes as one document.
extension DocumentScan {
  /// The files of a package, as last written and as they are now.
  struct PackageFiles {
    let package: DocumentPath
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

  /// The files of all packages with changes, in byte order of the packages' paths.
  func packageFiles() -> [PackageFiles] {
    var all: [String: PackageFiles] = [:]
    func change(_ path: DocumentPath, _ change: (inout PackageFiles) -> Void) {
      guard let package = package(of: path) else { return }
      change(&all[package.text, default: PackageFiles(package: package)])
    }
    func member(
      _ path: DocumentPath, _ contents: DocumentContents, in package: DocumentPath
    ) -> PackageMember {
      PackageMember(
        String(path.text.unicodeScalars.dropFirst(package.text.unicodeScalars.count + 1)),
        contents.asset, isExecutable: contents.isExecutable)
    }
    for file in known.values {
      change(file.path) { files in
        files.old[file.path.text] = member(file.path, file.contents, in: files.package)
        files.new[file.path.text] = files.old[file.path.text]
        files.base = file.base
      }
    }
    for file in missing {
      change(file.path) { files in
        files.lost.append(file)
        files.new[file.path.text] = nil
      }
    }
    for file in found {
      let path = DocumentPath(stored: file.path)
      change(path) { files in
        files.changed.append(file)
        files.new[file.path] = member(path, file.contents, in: files.package)
      }
    }
    return all.values.filter { !$0.changed.isEmpty || !$0.lost.isEmpty }
      .sorted { utf8Precedes($0.package.text, $1.package.text) }
  }

  /// Updates the document of a package from its folder.
  mutating func apply(
    _ files: PackageFiles, to writing: DocumentWriting, _ mount: Mount, offset: Int64?
  ) throws {
    let package = files.package
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
