#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A folder whose files need not survive a power loss while a file next to it, `FOLDER.volatile`,
/// marks it: nothing in it is synchronized to the disk.
///
/// Every process looks for the mark each time, so that removing it suffices. A copy of the folder
/// has no mark.
public final class VolatileFolder: Sendable {
  private let folder: String
  private var markPath: String { folder + ".volatile" }

  private init(_ folder: String) { self.folder = folder }

  // MARK: The folders of this process

  private static let known = Locked<[VolatileFolder]>([])

  /// The folder of a path, which may be marked now or later.
  @discardableResult
  public static func at(_ folder: String) -> VolatileFolder {
    known.withLock { known in
      if let one = known.first(where: { $0.folder == folder }) { return one }
      known.append(VolatileFolder(folder))
      return known[known.count - 1]
    }
  }

  /// The known folder that has a file; nil for none.
  public static func containing(_ path: String) -> VolatileFolder? {
    known.withLock { $0.first { path.utf8.starts(with: $0.folder.utf8) && $0.has(path) } }
  }

  private func has(_ path: String) -> Bool {
    let rest = path.utf8.dropFirst(folder.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: "/")
  }

  // MARK: The mark

  /// Whether the folder is marked.
  public var isMarked: Bool { access(markPath, F_OK) == 0 }

  /// Marks the folder.
  public func mark() throws(SystemError) { _ = try FileHandle(create: markPath) }

  /// Removes the mark, and then writes all that was not synchronized to the disk. No process may
  /// change the folder meanwhile.
  public func settle() throws(SystemError) {
    guard isMarked else { return }
    try FileSystem.remove(markPath)
    try FileSystem.synchronizeAll(folder)
    try FileSystem.synchronizeDirectory(FileSystem.parent(of: folder))
  }
}
