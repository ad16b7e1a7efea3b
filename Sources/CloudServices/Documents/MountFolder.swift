internal import Basics
internal import CloudModel
internal import UbiquityStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A folder that has the container of a device as plain files. A folder of ours in it marks it, and
/// has files that are about to get their names.
struct MountFolder {
  let tree: FolderTree
  /// What marks it.
  let mark: String

  private static let name = ".ckdb-mount"
  static let drafts = name + "/drafts"
  private static let markPath = name + "/mark"

  /// Opens a folder. Throws `invalidArguments` for one that is not marked.
  init(_ path: String) throws {
    guard FileSystem.isDirectory(path) else {
      throw CloudError(.invalidArguments, "\(path) is not a folder")
    }
    tree = try FolderTree(path)
    guard Self.isMarked(path) else {
      throw CloudError(
        .invalidArguments, "\(path) is not a mounted container",
        remedy: .advice("mount the container in a new folder first"))
    }
    let bytes = try FileSystem.contents(ofOwn: "\(path)/\(Self.markPath)")
    mark = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    // What interrupted commands have left; another one may be at work here.
    for draft in (try? FileSystem.list("\(path)/\(Self.drafts)")) ?? [] {
      let process = Int32(draft.prefix { $0 != "-" })
      if let process, Platform.isRunning(process) { continue }
      try? tree.remove("\(Self.drafts)/\(draft)")
    }
  }

  /// Marks a new or an empty folder. Throws `invalidArguments` for one that has something in it.
  static func make(_ path: String, mark: String) throws {
    try FileSystem.makeDirectories(path)
    guard try FileSystem.list(path).isEmpty else {
      throw CloudError(
        .invalidArguments, "\(path) is not empty and not a mount of this container",
        remedy: .advice("mount it in a new folder, and copy the files there"))
    }
    try FileSystem.makeDirectory("\(path)/\(name)")
    try FileSystem.makeDirectory("\(path)/\(drafts)")
    try FileSystem.makeDirectory("\(path)/\(DocumentScope.folder)")
    try FileSystem.replace("\(path)/\(markPath)", with: Array("\(mark)\n".utf8))
  }

  /// Whether a folder is marked.
  static func isMarked(_ path: String) -> Bool { FileSystem.exists("\(path)/\(markPath)") }

  /// Whether a path is the folder of ours.
  static func isOwn(_ path: String) -> Bool { utf8Equal(path, name) }

  /// A place for a draft of this process.
  func newDraft() -> String {
    "\(Self.drafts)/\(Platform.processNumber)-\(UInt64.random(in: .min ... .max))"
  }
}

extension MountedFile {
  /// Whether a file has what was written last.
  func hasContents(of status: stat) -> Bool {
    Fingerprint(status).hasContents(of: fingerprint)
  }
}

extension MountedFile.Fingerprint {
  init(_ status: stat) {
    self.init(
      size: Int64(status.st_size), modified: Platform.modificationNanoseconds(of: status),
      changed: Platform.changeNanoseconds(of: status),
      inode: Int64(truncatingIfNeeded: status.st_ino))
  }

  /// Whether the contents are the same: renaming a file changes it, but not these.
  func hasContents(of other: MountedFile.Fingerprint) -> Bool {
    (size, modified, inode) == (other.size, other.modified, other.inode)
  }
}
