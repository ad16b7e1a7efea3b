#if canImport(Glibc)
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// An open file that closes itself.
public final class FileHandle {
  /// The descriptor, valid while the handle exists.
  public let descriptor: Int32
  /// The path it was opened by, for error messages.
  public let path: String
  private let isOwned: Bool
  /// The size of a regular file opened as one; nil if reading may block.
  private(set) var regularSize: Int64?
  /// The file's identity, whatever its path names by now; nil if unknown.
  public private(set) lazy var identity = (try? status()).map { FileSystem.Identity($0) }

  /// Takes over an open descriptor; `closesAtEnd` is whether the handle closes it.
  public init(descriptor: Int32, path: String, closesAtEnd: Bool) {
    self.descriptor = descriptor
    self.path = path
    isOwned = closesAtEnd
  }

  /// Opens a file; `flags` and `mode` are those of open(2), close-on-exec is added.
  public convenience init(
    open path: String, _ flags: Int32, mode: mode_t = 0
  ) throws(SystemError) {
    let descriptor = open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw SystemError("open", path) }
    self.init(descriptor: descriptor, path: path, closesAtEnd: true)
  }

  /// Creates a file that only its owner can read and write. The path must be free; not even a link
  /// may exist.
  public convenience init(create path: String) throws(SystemError) {
    try self.init(open: path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
  }

  /// Opens one of a store's files, which must be a regular file and not a link. A pipe in its place
  /// would block.
  public convenience init(
    openOwn path: String, _ flags: Int32, mode: mode_t = 0
  ) throws(SystemError) {
    try self.init(open: path, flags | O_NOFOLLOW | O_NONBLOCK, mode: mode)
    let status = try status()
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemError("use", path, number: EINVAL)
    }
    regularSize = Int64(status.st_size)
    identity = FileSystem.Identity(status)
  }

  /// Opens a regular file for reading; not a pipe, which may never end.
  public convenience init(openRegular path: String) throws(SystemError) {
    try self.init(open: path, O_RDONLY | O_NONBLOCK)
    let status = try status()
    let kind = status.st_mode & S_IFMT
    if kind == S_IFDIR { throw SystemError("read", path, number: EISDIR) }
    guard kind == S_IFREG else { throw SystemError("read", path, number: EINVAL) }
    regularSize = Int64(status.st_size)
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Size, kind and dates of the open file.
  public func status() throws(SystemError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("examine", path) }
    return status
  }

  /// Moves back to the beginning of the file.
  public func rewind() throws(SystemError) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw SystemError("read", path) }
  }

  /// The kind and state of the file.
  public func state() throws(SystemError) -> State {
    let status = try status()
    return State(
      isDirectory: status.st_mode & S_IFMT == S_IFDIR,
      isRegular: status.st_mode & S_IFMT == S_IFREG,
      isDevice: Self.isEndless(status), size: Int64(status.st_size),
      modificationNanoseconds: Platform.modificationNanoseconds(of: status))
  }

  /// Whether a file is a device other than /dev/null: it may have no end.
  private static func isEndless(_ status: stat) -> Bool {
    guard [S_IFCHR, S_IFBLK].contains(status.st_mode & S_IFMT) else { return false }
    return status.st_rdev != FileSystem.status(of: "/dev/null")?.st_rdev
  }

  /// A file's kind, and the attributes that change when it is written.
  public struct State: Sendable, Equatable {
    /// Whether it is a directory.
    public let isDirectory: Bool
    /// Whether it is a regular file, rather than a pipe or a device.
    public let isRegular: Bool
    /// Whether it is a device, such as a terminal; /dev/null counts as an empty file.
    public let isDevice: Bool
    /// Bytes.
    public let size: Int64
    /// Nanoseconds since 1970.
    public let modificationNanoseconds: Int64
  }

  /// Opens a pipe whose ends are not inherited by other programs.
  static func pipeEnds(to name: String) throws(SystemError) -> (
    reading: FileHandle, writing: FileHandle
  ) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("open", "a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (
      FileHandle(descriptor: ends[0], path: name, closesAtEnd: true),
      FileHandle(descriptor: ends[1], path: name, closesAtEnd: true)
    )
  }

  /// The read position of a descriptor, in bytes; 0 if it is not seekable. Callable from any
  /// thread.
  public static func position(of descriptor: Int32) -> Int64 {
    max(0, Int64(lseek(descriptor, 0, SEEK_CUR)))
  }

  /// Reads at most a buffer's worth from the current place; 0 at the end.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try waitForInput()
    while true {
      let count = Platform.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR || Interrupt.isRaised { throw SystemError("read", path) }
    }
  }

  /// Reads a line from a terminal and nothing after it, so that the next reader gets the input
  /// typed ahead. Nil at the end of the input. Throws `SystemError`, `EINTR` for ^C.
  ///
  /// A terminal in raw mode sends a carriage return as the line end, and ^C and ^D unchanged.
  public func typedLine() throws(SystemError) -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = try withUnsafeMutableBytes(of: &byte) { (buffer) throws(SystemError) in
        try read(into: buffer)
      }
      if count == 0, bytes.isEmpty { return nil }
      if count == 0 || byte == 0x0A || byte == 0x0D { break }
      if byte == 0x03 {
        raise(SIGINT)
        throw SystemError("read", path, number: EINTR)
      }
      if byte == 0x04 {
        if bytes.isEmpty { return nil }
        continue
      }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits for input, or its end. Throws `SystemError` when interrupted; the signal may have gone
  /// to another thread, so that no call of this one ends.
  private func waitForInput() throws(SystemError) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var count: Int32
    repeat {
      if Interrupt.isRaised { throw SystemError("read", path, number: EINTR) }
      if regularSize != nil { return }
      count = poll(&request, 1, 100)
    } while count == 0 || count < 0 && errno == EINTR
  }

  /// Reads at most a buffer's worth from the given offset; 0 at the end.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR || Interrupt.isRaised { throw SystemError("read", path) }
    }
  }

  /// Writes all bytes at the current place. Throws `SystemError`; with `endsByInterrupt` also when
  /// an interrupt ends the wait for a reader (`EINTR`).
  public func write(
    all bytes: UnsafeRawBufferPointer, endsByInterrupt: Bool = false
  ) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let most = bytes.count - done
      let isLast = endsByInterrupt && Interrupt.isRaised
      if isLast { AlarmClock.start(milliseconds: Self.lastWait) }
      defer { if isLast { AlarmClock.stop() } }
      let count = Platform.write(descriptor, bytes.baseAddress.map { $0 + done }, most)
      if count < 0, errno != EINTR { throw SystemError("write", path) }
      done += max(0, count)
      // The write blocked, and the next one would, too.
      if endsByInterrupt, Interrupt.isRaised, count < most {
        throw SystemError("write", path, number: EINTR)
      }
    }
  }

  /// How long an interrupted command waits for its reader, in milliseconds.
  private static let lastWait = 200

  /// Reads exactly `count` bytes at a place; nil if there are fewer, or they cannot be read.
  public func bytes(_ count: Int, at place: Int64) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
      read = max(0, pread(descriptor, buffer.baseAddress, count, off_t(place)))
    }
    return bytes.count == count ? bytes : nil
  }

  /// Makes the last writes survive a power loss, unless the file need not (`VolatileFolder`).
  public func synchronize() throws(SystemError) {
    if VolatileFolder.containing(path)?.isMarked == true { return }
    guard fsync(descriptor) == 0 else { throw SystemError("fsync", path) }
  }
}

extension Platform {
  fileprivate static func read(
    _ descriptor: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, target, count)
    #else
      Darwin.read(descriptor, target, count)
    #endif
  }

  fileprivate static func write(
    _ descriptor: Int32, _ source: UnsafeRawPointer?, _ count: Int
  ) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, source, count)
    #else
      Darwin.write(descriptor, source, count)
    #endif
  }
}
