public import Basics
public import CloudModel
public import CloudServices

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A temporary store, in a folder that is removed afterwards. It need not survive a power loss,
/// unless it is kept.
///
/// The folder has a file that its process keeps locked, so that the next process can detect and
/// remove the folder of a killed one.
public final class TemporaryStore: Sendable {
  /// The folder.
  public let path: String
  /// The store in it, which is not created yet.
  public let store: CloudStore
  private let sign: Sign?
  private let isOurs = Locked(true)

  /// The open lock file. It is only kept, so threads may share it.
  private struct Sign: @unchecked Sendable {
    let file: FileHandle
  }

  private static let prefix = "ckdb-"
  private static let signName = ".running"
  /// Where this process removed the folders of ended ones.
  private static let cleaned = Locked<[String]>([])

  /// Creates an empty private folder in a folder for temporary files; the first time also removes
  /// those of ended processes there.
  public init(in parent: String, _ interruption: Interruption = .never) throws(SystemError) {
    path = try FileSystem.makeTemporaryDirectory(in: parent, prefix: Self.prefix)
    store = CloudStore(path: path + "/store", interruption)
    try? store.makeVolatile()
    sign = (try? Self.sign(path)).map { Sign(file: $0) }
    let isFirst = Self.cleaned.withLock { cleaned in
      defer { if !cleaned.contains(parent) { cleaned.append(parent) } }
      return !cleaned.contains(parent)
    }
    if isFirst { Self.removeAbandoned(in: parent) }
  }

  deinit { remove() }

  /// Removes the folder, unless it is kept.
  public func remove() {
    let isOurs = isOurs.withLock { isOurs in
      defer { isOurs = false }
      return isOurs
    }
    if isOurs { try? FileSystem.remove(path) }
  }

  /// Keeps the folder, which survives a power loss from now on.
  public func keep(for request: Request) throws(CloudError) {
    isOurs.withLock { $0 = false }
    try store.keep(for: request)
    try? FileSystem.remove("\(path)/\(Self.signName)")
  }

  /// Whether a store is in the temporary folder of a running process.
  public static func isTemporary(_ store: String) -> Bool {
    let sign = FileSystem.parent(of: store) + "/" + signName
    guard let file = try? FileHandle(openOwn: sign, O_RDONLY) else { return false }
    return flock(file.descriptor, LOCK_EX | LOCK_NB) != 0
  }

  /// Creates the lock file of a folder, which gets its name only once it is locked.
  private static func sign(_ path: String) throws(SystemError) -> FileHandle {
    let draft = "\(path)/\(signName).new"
    let sign = try FileHandle(create: draft)
    guard flock(sign.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("lock", draft) }
    // A command that outlives its `exec` keeps its store.
    _ = fcntl(sign.descriptor, F_SETFD, 0)
    try FileSystem.rename(draft, to: "\(path)/\(signName)")
    return sign
  }

  /// Removes the folders of ended processes: their lock files are no longer locked.
  private static func removeAbandoned(in parent: String) {
    for name in (try? FileSystem.list(parent)) ?? [] where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      guard FileSystem.isFolder(path), FileSystem.status(of: path)?.st_uid == geteuid(),
        let sign = try? FileHandle(openOwn: "\(path)/\(signName)", O_RDONLY),
        flock(sign.descriptor, LOCK_EX | LOCK_NB) == 0
      else { continue }
      try? FileSystem.remove(path)
    }
  }
}
