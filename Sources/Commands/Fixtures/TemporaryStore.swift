internal import Basics
internal import CloudServices

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A store of its own for a while, in a folder that is gone afterwards.
///
/// The folder has a file that is locked as long as its process lives, so that what a killed process
/// left can be told, and the next one removes it.
final class TemporaryStore {
  /// The folder.
  let path: String
  /// The store in it.
  var store: CloudStore { CloudStore(path: path + "/store") }
  private let sign: FileHandle?
  /// Whether the folder stays.
  private(set) var isKept = false

  private static let prefix = "ckdb-"
  private static let signName = ".running"

  /// Makes an empty folder for its owner alone, where `TMPDIR` says, and removes what processes
  /// left there that are gone. Throws `CommandError`.
  init(_ context: Context) throws {
    let parent = context.surroundings.variable("TMPDIR") ?? "/tmp"
    do {
      path = try FileSystem.makeTemporaryDirectory(in: parent, prefix: Self.prefix)
    } catch {
      throw CommandError(error.description, error.isDiskFull ? .inputOutput : .cannotCreate)
    }
    sign = try? Self.sign(path)
    Self.removeAbandoned(in: parent)
  }

  deinit {
    if !isKept { try? FileSystem.remove(path) }
  }

  /// Lets the folder stay.
  func keep() {
    isKept = true
    try? FileSystem.remove("\(path)/\(Self.signName)")
  }

  /// Makes the sign of a folder: it has its name only once it is locked.
  private static func sign(_ path: String) throws(SystemError) -> FileHandle {
    let draft = "\(path)/\(signName).new"
    let sign = try FileHandle(create: draft)
    guard flock(sign.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("lock", draft) }
    // A command that outlives its `exec` still has its store.
    _ = fcntl(sign.descriptor, F_SETFD, 0)
    try FileSystem.rename(draft, to: "\(path)/\(signName)")
    return sign
  }

  /// Removes the folders of processes that are gone: their signs are not locked any more.
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

  /// Gives an empty store to `body`, and removes it then.
  static func with<Result>(
    _ context: Context, _ body: (CloudStore) throws -> Result
  ) throws -> Result {
    let temporary = try TemporaryStore(context)
    return try withExtendedLifetime(temporary) {
      _ = try temporary.store.create()
      return try body(temporary.store)
    }
  }
}
