#if canImport(Glibc)
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// A folder that other programs change, with everything below it. It never follows symbolic links:
/// nothing outside the folder is read or written, even if links are added meanwhile.
public final class FolderTree {
  /// Its path.
  public let path: String
  private let root: FileHandle
  /// The folder that was opened last: files are visited folder by folder.
  private var last: (path: String, folder: FileHandle)?

  /// Opens a folder.
  public init(_ path: String) throws(SystemError) {
    self.path = path
    root = try FileHandle(open: path, O_RDONLY | O_DIRECTORY)
  }

  // MARK: Walking

  /// An entry of the folder.
  public struct Entry {
    /// Its path in the folder.
    public let path: String
    /// Its status.
    public let status: stat
    fileprivate let folder: FileHandle

    /// Whether it is a file.
    public var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
    /// Whether it is a folder.
    public var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }

    /// Opens the file for reading.
    public func open() throws(SystemError) -> FileHandle {
      let name = FileSystem.name(of: path)
      let descriptor = openat(
        folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemError("open", path) }
      return FileHandle(descriptor: descriptor, path: path, closesAtEnd: true)
    }
  }

  /// Passes every entry to `body`, a folder before its contents; `body` returns whether to visit a
  /// folder's contents. `failed` gets the paths that cannot be read. Throws what they throw.
  public func walk(
    _ body: (Entry) throws -> Bool, failed: (String, SystemError) throws -> Void
  ) throws {
    var waiting = [""]
    while let path = waiting.popLast() {
      let (folder, names): (FileHandle, [String])
      do throws(SystemError) {
        folder = path.isEmpty ? root : try self.folder(path)
        names = try list(folder)
      } catch {
        try failed(path, error)
        continue
      }
      var folders: [String] = []
      for name in names {
        var status = stat()
        guard fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
          // Another program has removed it meanwhile, or the name was not UTF-8 and was repaired.
          let error = SystemError("examine", name)
          if error.number != ENOENT {
            try failed(join(path, name), error)
          } else if name.unicodeScalars.contains("\u{FFFD}") {
            try failed(join(path, name), SystemError("examine", name, number: EILSEQ))
          }
          continue
        }
        let entry = Entry(path: join(path, name), status: status, folder: folder)
        if try body(entry), entry.isFolder { folders.append(entry.path) }
      }
      waiting += folders.reversed()
    }
  }

  private func join(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : "\(path)/\(name)"
  }

  /// The names in an open folder, in byte order.
  private func list(_ folder: FileHandle) throws(SystemError) -> [String] {
    // A stream owns its descriptor, and a duplicate would share its position.
    let descriptor = openat(folder.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, let stream = fdopendir(descriptor) else {
      throw SystemError("read", folder.path)
    }
    defer { closedir(stream) }
    return try FileSystem.names(in: folder.path) { readdir(stream) }
  }

  // MARK: Changing

  /// Opens a folder in it; with `makes` creates missing ones.
  public func folder(_ path: String, makes: Bool = false) throws(SystemError) -> FileHandle {
    if path.isEmpty { return root }
    if let last, utf8Equal(last.path, path) { return last.folder }
    var folder = root
    for name in path.utf8.split(separator: UInt8(ascii: "/")) {
      let name = String(decoding: name, as: UTF8.self)
      if makes, mkdirat(folder.descriptor, name, 0o777) != 0, errno != EEXIST {
        throw SystemError("create", "\(self.path)/\(path)")
      }
      let descriptor = openat(
        folder.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemError("open", "\(self.path)/\(path)") }
      folder = FileHandle(descriptor: descriptor, path: path, closesAtEnd: true)
    }
    last = (path, folder)
    return folder
  }

  /// The status of a path, without following a link; nil if nothing is there.
  public func status(of path: String) throws(SystemError) -> stat? {
    let folder: FileHandle
    do throws(SystemError) { folder = try self.folder(parent(of: path)) } catch {
      if error.number == ENOENT { return nil }
      throw error
    }
    var status = stat()
    if fstatat(folder.descriptor, FileSystem.name(of: path), &status, AT_SYMLINK_NOFOLLOW) == 0 {
      return status
    }
    guard errno == ENOENT else { throw SystemError("examine", "\(self.path)/\(path)") }
    return nil
  }

  private func parent(of path: String) -> String {
    path.utf8.contains(UInt8(ascii: "/")) ? FileSystem.parent(of: path) : ""
  }

  /// Moves a file to a free path, creating folders. Returns false if the path is taken.
  public func move(_ path: String, to target: String) throws(SystemError) -> Bool {
    try rename(path, target, .exclusively, makes: true)
  }

  /// Exchanges two files; returns false if one is missing.
  public func exchange(_ path: String, _ other: String) throws(SystemError) -> Bool {
    try rename(path, other, .exchanging, makes: false)
  }

  private func rename(
    _ path: String, _ target: String, _ placing: Platform.Placing, makes: Bool
  ) throws(SystemError) -> Bool {
    let source = try folder(parent(of: path))
    let folder = try folder(parent(of: target), makes: makes)
    let names = (FileSystem.name(of: path), FileSystem.name(of: target))
    if Platform.rename(names.0, in: source.descriptor, to: names.1, in: folder.descriptor, placing)
      == 0
    {
      return true
    }
    if placing == .exclusively ? errno == EEXIST : errno == ENOENT { return false }
    throw SystemError("rename", "\(self.path)/\(path)")
  }

  /// Removes a file.
  public func remove(_ path: String) throws(SystemError) {
    let folder = try folder(parent(of: path))
    guard unlinkat(folder.descriptor, FileSystem.name(of: path), 0) == 0 || errno == ENOENT else {
      throw SystemError("remove", "\(self.path)/\(path)")
    }
  }

  /// Removes a folder and its parents while they are empty, but not the folder `last`.
  public func removeEmptyFolders(_ path: String, upTo last: String) {
    var path = path
    self.last = nil
    while !path.isEmpty, !utf8Equal(path, last) {
      guard let folder = try? folder(parent(of: path)),
        unlinkat(folder.descriptor, FileSystem.name(of: path), AT_REMOVEDIR) == 0
      else { return }
      path = parent(of: path)
    }
  }

  /// Makes everything in the folder survive a power loss.
  public func synchronize() throws(SystemError) { try FileSystem.synchronizeAll(path) }
}
