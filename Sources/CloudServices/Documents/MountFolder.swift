internal import Basics
internal import CloudModel
internal import UbiquityStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A folder with a device's container as plain files. A subfolder of ours marks it, and contains
/// the drafts of files.
struct MountFolder {
  let tree: FolderTree
  /// The mark.
  let mark: String
  /// Whether the file system records which files are executable; FAT calls all of them so.
  let hasModes: Bool

  static let name = ".ckdb-mount"
  static let drafts = name + "/drafts"
  private static let markPath = name + "/mark"

  /// Opens a folder. Throws `invalidArguments` if it is not marked.
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
    hasModes = try tree.status(of: Self.markPath)?.isExecutable == false
    // Drafts of interrupted commands; another command may be running here.
    for draft in (try? FileSystem.list("\(path)/\(Self.drafts)")) ?? [] {
      let process = Int32(draft.prefix { $0 != "-" })
      if let process, Platform.isRunning(process) { continue }
      try? tree.remove("\(Self.drafts)/\(draft)")
    }
  }

  /// Marks a new or empty folder. Throws `invalidArguments` if it is not empty.
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

  /// Whether a path is our own subfolder.
  static func isOwn(_ path: String) -> Bool { utf8Equal(path, name) }

  /// A path for a draft of this process.
  func newDraft() -> String {
    "\(Self.drafts)/\(Platform.processNumber)-\(UInt64.random(in: .min ... .max))"
  }
}

extension stat {
  /// Whether the owner may run the file.
  var isExecutable: Bool { st_mode & 0o100 != 0 }
}

extension MountedFile {
  /// Whether a file is as it was last written.
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

  /// Whether the contents are the same: renaming a file changes the fingerprint, but not these.
  func hasContents(of other: MountedFile.Fingerprint) -> Bool {
    (size, modified, inode) == (other.size, other.modified, other.inode)
  }
}
