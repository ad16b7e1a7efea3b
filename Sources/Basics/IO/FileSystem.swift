internal import CPlatform

#if canImport(Glibc)
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// Whole-file and directory operations.
public enum FileSystem {
  /// The status of a path, without following a link at its end; nil if the path is free.
  public static func status(of path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  /// The status of a path, without following a link at its end; nil only if the path is free.
  /// Throws `SystemError` if that cannot be determined.
  public static func statusIfAny(of path: String) throws(SystemError) -> stat? {
    if let status = status(of: path) { return status }
    guard errno == ENOENT || errno == ENOTDIR else { throw SystemError("examine", path) }
    return nil
  }

  /// The status of a path, which must exist.
  public static func knownStatus(of path: String) throws(SystemError) -> stat {
    guard let status = status(of: path) else { throw SystemError("examine", path) }
    return status
  }

  /// The identity of a file.
  public struct Identity: Sendable, Equatable {
    fileprivate var device: UInt64
    fileprivate var number: UInt64

    fileprivate init(device: UInt64, number: UInt64) {
      (self.device, self.number) = (device, number)
    }

    /// Takes the identity from a status.
    public init(_ status: stat) {
      device = UInt64(status.st_dev)
      number = UInt64(status.st_ino)
    }

    /// Parses the output of `text`; nil for other text.
    public init?(text: some StringProtocol) {
      let numbers = text.split(separator: ":", omittingEmptySubsequences: false)
      guard numbers.count == 2, let device = UInt64(numbers[0]), let number = UInt64(numbers[1])
      else { return nil }
      (self.device, self.number) = (device, number)
    }

    /// Both numbers as text.
    public var text: String { "\(device):\(number)" }
  }

  /// The version of a file that is only replaced as a whole.
  public struct Version: Sendable, Equatable {
    let identity: Identity
    let modificationNanoseconds: Int64
  }

  /// The version of the file at a path; nil for none.
  public static func version(of path: String) -> Version? {
    status(of: path).map {
      Version(
        identity: Identity($0),
        modificationNanoseconds: Platform.modificationNanoseconds(of: $0))
    }
  }

  /// The identity of the file at a path; nil for none.
  public static func identity(of path: String) -> Identity? {
    var identity = Identity(device: 0, number: 0)
    return ckdb_identity(path, &identity.device, &identity.number) ? identity : nil
  }

  /// The identity of the file at a path; nil only if the path is free. Throws `SystemError` if that
  /// cannot be determined.
  public static func identityIfAny(of path: String) throws(SystemError) -> Identity? {
    if let identity = identity(of: path) { return identity }
    guard errno == ENOENT || errno == ENOTDIR else { throw SystemError("examine", path) }
    return nil
  }

  /// The size of a file in bytes; nil if the path is free.
  public static func size(of path: String) -> Int64? {
    status(of: path).map { Int64($0.st_size) }
  }

  /// When a file was last written, in seconds since 1970; nil for none.
  public static func modificationSeconds(of path: String) -> Int64? {
    status(of: path).map { Platform.modificationNanoseconds(of: $0) / 1_000_000_000 }
  }

  /// Whether a rename may replace the path: it is free, or a regular file. A device, a pipe or a
  /// link would be lost.
  public static func isReplaceable(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT == S_IFREG } ?? true
  }

  /// Whether a regular file is at the path.
  public static func isRegular(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
  }

  /// Whether anything exists at the path, even if it cannot be examined.
  public static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
  }

  /// The mode of a file or directory if it lets other users do something; nil otherwise.
  public static func modeForOthers(of path: String) -> mode_t? {
    guard let status = status(of: path), status.st_mode & S_IFMT != S_IFLNK,
      status.st_mode & 0o077 != 0
    else { return nil }
    return status.st_mode & 0o777
  }

  /// Lets only the owner use a file or directory.
  public static func restrict(_ path: String) throws(SystemError) {
    guard chmod(path, isDirectory(path) ? 0o700 : 0o600) == 0 else {
      throw SystemError("change", path)
    }
  }

  /// Whether a directory is at the path.
  public static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether a directory, and not a link to one, is at the path.
  public static func isFolder(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  /// Whether a directory, and not a link to one, is at the path. Throws `SystemError` if that
  /// cannot be determined, because a copy without it would look complete.
  public static func hasFolder(at path: String) throws(SystemError) -> Bool {
    try statusIfAny(of: path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  /// Whether a regular file is at the path. Throws `SystemError` if that cannot be determined.
  public static func hasFile(at path: String) throws(SystemError) -> Bool {
    try statusIfAny(of: path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
  }

  /// Whether the path names an existing file other than a directory; a link counts as one.
  public static func isNonDirectory(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT != S_IFDIR } ?? false
  }

  /// Creates a directory that only its owner can access; an existing one is left unchanged.
  ///
  /// Returns whether it was created.
  @discardableResult
  public static func makeDirectory(_ path: String) throws(SystemError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST, isDirectory(path) else { throw SystemError("create directory", path) }
    return false
  }

  /// Creates a directory and its parents.
  public static func makeDirectories(_ path: String) throws(SystemError) {
    if isDirectory(path) { return }
    let parent = parent(of: path)
    if parent != path { try makeDirectories(parent) }
    try makeDirectory(path)
  }

  /// Creates an empty directory with a unique name that only its owner can access.
  public static func makeTemporaryDirectory(
    in parent: String, prefix: String
  ) throws(SystemError) -> String {
    var template = Array("\(parent)/\(prefix)\(String(repeating: "X", count: 6))".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError("create directory", parent) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The names in a directory, in byte order, without `.` and `..`.
  public static func list(_ path: String) throws(SystemError) -> [String] {
    guard let directory = opendir(path) else { throw SystemError("list", path) }
    defer { closedir(directory) }
    return try names(in: path) { readdir(directory) }
  }

  /// The names in the directory at a path, whose entries `next` reads, in byte order, without `.`
  /// and `..`.
  static func names(
    in path: String, _ next: () -> UnsafeMutablePointer<dirent>?
  ) throws(SystemError) -> [String] {
    var names: [String] = []
    while true {
      // Only this distinguishes an error from the end.
      errno = 0
      guard let entry = next() else {
        guard errno == 0 else { throw SystemError("list", path) }
        return names.sorted(by: utf8Precedes)
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }

  /// Removes a file, or a directory with all its contents.
  public static func remove(_ path: String) throws(SystemError) {
    guard let status = try statusIfAny(of: path) else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      guard unlink(path) == 0 else { throw SystemError("remove", path) }
      return
    }
    for name in try list(path) { try remove(path + "/" + name) }
    guard rmdir(path) == 0 else { throw SystemError("remove", path) }
  }

  /// Makes the names in a directory survive a power loss.
  public static func synchronizeDirectory(_ path: String) throws(SystemError) {
    try FileHandle(open: path, O_RDONLY | O_DIRECTORY).synchronize()
  }

  /// Makes the contents of a file survive a power loss.
  public static func synchronize(_ path: String) throws(SystemError) {
    try FileHandle(open: path, O_RDONLY | O_NOFOLLOW).synchronize()
  }

  /// Reads a file.
  public static func contents(of path: String) throws(SystemError) -> [UInt8] {
    let file = try FileHandle(open: path, O_RDONLY)
    return try contents(of: file)
  }

  /// Reads one of a store's files, which must be a regular file and not a link. Throws
  /// `SystemError`, also above the size limit.
  public static func contents(
    ofOwn path: String, atMostMegabytes limit: Int = .max
  ) throws(SystemError) -> [UInt8] {
    try contents(of: FileHandle(openOwn: path, O_RDONLY), atMostMegabytes: limit)
  }

  /// Reads an open file from its current place to its end. Throws `SystemError`, also above the
  /// size limit.
  public static func contents(
    of file: FileHandle, atMostMegabytes limit: Int = .max
  ) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    // One byte more than the size of a small file detects its end.
    let size = file.regularSize.map { Int(clamping: $0) } ?? .max
    var chunk = [UInt8](repeating: 0, count: min(max(size, 511), 65535) + 1)
    while true {
      let count = try readChunk(&chunk, from: file)
      if count == 0 { return bytes }
      guard (bytes.count + count) >> 20 < limit else {
        throw SystemError("read more than \(limit) MB of", file.path, number: 0)
      }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  private static func readChunk(
    _ chunk: inout [UInt8], from file: FileHandle
  ) throws(SystemError) -> Int {
    do {
      return try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
    } catch let error as SystemError {
      throw error
    } catch {
      throw SystemError("read", file.path, number: EIO)
    }
  }

  /// Replaces a file's contents atomically: readers see the old or the new bytes, and the new ones
  /// survive a power loss.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    let temporary = "\(path).new.\(getpid())"
    do throws(SystemError) {
      let file = try FileHandle(open: temporary, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
      try file.writeAll(bytes)
      try file.synchronize()
      guard Platform.rename(temporary, path) == 0 else { throw SystemError("replace", path) }
    } catch {
      unlink(temporary)
      throw error
    }
    try settle(parent(of: path))
  }

  /// Makes changed names in a directory survive; its error says that they have changed.
  public static func settle(_ path: String) throws(SystemError) {
    do throws(SystemError) { try synchronizeDirectory(path) } catch {
      var error = error
      error.isDone = true
      throw error
    }
  }

  /// Makes everything in a directory survive a power loss, names and files.
  public static func synchronizeAll(_ path: String) throws(SystemError) {
    if VolatileFolder.containing(path)?.isMarked == true { return }
    let directory = try FileHandle(open: path, O_RDONLY | O_DIRECTORY)
    if Platform.synchronizeFileSystem(of: directory.descriptor) == 0 { return }
    for name in try list(path) {
      let path = "\(path)/\(name)"
      switch try knownStatus(of: path).st_mode & S_IFMT {
      case S_IFREG: try synchronize(path)
      case S_IFDIR: try synchronizeAll(path)
      default: continue
      }
    }
    try directory.synchronize()
  }

  /// Copies a file to a free path; the copy survives a power loss after it is synchronized.
  public static func copy(
    _ path: String, to other: String, _ meter: WorkMeter? = nil
  ) throws(SystemError) {
    let source = try FileHandle(openOwn: path, O_RDONLY)
    let target = try FileHandle(create: other)
    let size = Int64(try source.status().st_size)
    var copied: Int64 = 0
    while copied < size {
      if Interrupt.isRaised { throw SystemError("copy", path, number: EINTR) }
      let count = Platform.copy(source.descriptor, to: target.descriptor, atMost: 1 << 25)
      copied += Int64(max(0, count))
      meter?.advance(Int64(max(0, count)))
      if count > 0 { continue }
      // Across file systems, and where sharing is not supported, bytes are copied through memory;
      // some file systems report that there is nothing to copy.
      let number = count < 0 ? Platform.errorNumber : EINVAL
      guard [EXDEV, EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM].contains(number) else {
        throw SystemError("copy", path, number: number)
      }
      copied += try copyPlainly(source, target, meter)
      guard copied >= size else { throw SystemError("copy", path, number: EIO) }
    }
  }

  /// Copies from the current places of two files to the end; returns how many bytes.
  private static func copyPlainly(
    _ source: FileHandle, _ target: FileHandle, _ meter: WorkMeter?
  ) throws(SystemError) -> Int64 {
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    var copied: Int64 = 0
    while true {
      let count = try readChunk(&chunk, from: source)
      if count == 0 { return copied }
      try target.writeAll(Array(chunk[..<count]))
      copied += Int64(count)
      meter?.advance(Int64(count))
    }
  }

  /// Gives a file a second name, or copies it if that is not possible: on another file system, or
  /// on one without links.
  public static func linkOrCopy(_ path: String, to other: String) throws(SystemError) {
    do throws(SystemError) { try link(path, to: other) } catch {
      guard [EXDEV, EPERM, EMLINK, ENOTSUP, EOPNOTSUPP].contains(error.number) else { throw error }
      try copy(path, to: other)
    }
  }

  /// Gives a file a second name.
  public static func link(_ path: String, to other: String) throws(SystemError) {
    guard Platform.link(path, other) == 0 else { throw SystemError("link", path) }
  }

  /// What a symbolic link of at most 255 bytes contains; nil for another file.
  public static func target(ofLink path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = bytes.withUnsafeMutableBytes { buffer in
      buffer.withMemoryRebound(to: CChar.self) { Platform.readLink(path, $0) }
    }
    guard count > 0, count < bytes.count else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Renames a file; replaces an existing file with the new name.
  public static func rename(_ old: String, to new: String) throws(SystemError) {
    guard Platform.rename(old, new) == 0 else { throw SystemError("rename", old) }
  }

  /// Exchanges two files, or two directories with their contents, atomically.
  public static func exchange(_ one: String, _ other: String) throws(SystemError) {
    guard Platform.exchange(one, other) == 0 else { throw SystemError("replace", one) }
  }

  /// The parent directory of a path, as text: `/` for `/a`, `.` for `a`.
  public static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A path relative to a directory; omits `.`.
  public static func path(_ path: String, in directory: String) -> String {
    path.hasPrefix("/") || directory == "." ? path : "\(directory)/\(path)"
  }

  /// The last name of a path.
  public static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// The path of an existing file without links; nil for none.
  public static func withoutLinks(_ path: String) -> String? {
    guard let path = realpath(path, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  /// The process's working directory.
  public static func currentDirectory() throws(SystemError) -> String {
    guard let path = getcwd(nil, 0) else { throw SystemError("find", ".") }
    defer { free(path) }
    return String(cString: path)
  }
}

extension FileHandle {
  /// Writes all bytes at the current place.
  public func writeAll(_ bytes: [UInt8]) throws(SystemError) {
    do {
      try bytes.withUnsafeBytes { try write(all: $0) }
    } catch let error as SystemError {
      throw error
    } catch {
      throw SystemError("write", path, number: EIO)
    }
  }
}
