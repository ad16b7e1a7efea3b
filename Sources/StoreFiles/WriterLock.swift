public import Basics

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A lock on a file. Every writer of an environment holds one around its transaction.
///
/// SQLite up to 3.51.2 can lose commits when checkpoints and writers of several processes meet
/// (RS0.1); this lock prevents that.
///
/// The file has three lines: the process id of the last holder, for waiting processes; the sequence
/// number of the last committed change, since a database that ends before it has lost its log or
/// has a foreign one; and, for files just restored from a snapshot, in which run of the system that
/// was.
public final class WriterLock {
  private var file: FileHandle
  private let flags: Int32
  /// The sequence number in the file, as of when the lock was taken.
  public private(set) var notedSequence: Int64 = 0
  /// The run of the system in which the files were restored; nil for files that are on the disk.
  public private(set) var restoredIn: String?
  private static let holderBytes = 16
  private static let sequenceBytes = 24
  private static let runBytes = 48

  /// The lock in a file, which is created if there is none.
  public convenience init(path: String) throws(StoreError) {
    try self.init(path, O_RDWR | O_CREAT)
  }

  /// The lock in an existing file, possibly on a read-only medium; it can only be shared.
  public convenience init(sharing path: String) throws(StoreError) {
    try self.init(path, O_RDONLY)
  }

  private init(_ path: String, _ flags: Int32) throws(StoreError) {
    self.flags = flags
    file = try Self.open(path, flags)
  }

  private static func open(_ path: String, _ flags: Int32) throws(StoreError) -> FileHandle {
    try onDisk { () throws(SystemError) in try FileHandle(openOwn: path, flags, mode: 0o600) }
  }

  /// Takes the lock, alone or shared. Throws `StoreError`, `busy` when patience ends.
  ///
  /// The last holder may have replaced the file and everything that it guards: then the lock of the
  /// new file is waited for.
  public func lock(
    _ patience: Patience, isShared: Bool = false
  ) throws(StoreError) {
    let end = patience.end
    try wait(until: end, isShared: isShared, patience.interruption)
    while !isInPlace {
      file = try Self.open(file.path, flags)
      try wait(until: end, isShared: isShared, patience.interruption)
    }
    if !isShared { writeHolder() }
  }

  private func wait(
    until end: Int64, isShared: Bool, _ interruption: Interruption
  ) throws(StoreError) {
    var pause: Int64 = 1
    while flock(file.descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw StoreError(SystemError("lock", file.path))
      }
      if interruption.isRaised { throw .interrupted }
      let left = end - Platform.monotonicMilliseconds
      guard left > 0 else { throw busy() }
      Platform.sleep(milliseconds: min(pause, left))
      pause = min(pause * 2, 20)
    }
  }

  /// Takes the lock if it is free and its path still names the same file.
  public func tryLock() -> Bool {
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
    guard isInPlace else {
      unlock()
      return false
    }
    writeHolder()
    return true
  }

  /// Whether its path still names the locked file.
  private var isInPlace: Bool {
    guard let other = FileSystem.identity(of: file.path) else { return true }
    return other == file.identity
  }

  /// Whether this process took the lock last, perhaps by another handle.
  public var isHeldHere: Bool { contents().holder == getpid() }

  /// Releases the lock.
  public func unlock() { flock(file.descriptor, LOCK_UN) }

  /// Remembers the last change; a failure does no harm before the next change.
  public func note(sequence: Int64) {
    if sequence == notedSequence { return }
    notedSequence = sequence
    write("\(sequence)", Self.holderBytes, Self.sequenceBytes)
  }

  /// Notes that the files are on the disk.
  public func settle() {
    write("", Self.holderBytes + Self.sequenceBytes, Self.runBytes)
    restoredIn = nil
  }

  /// Notes, in the file at a path, that the files next to it are not on the disk yet, or that they
  /// are.
  public static func note(restoredIn run: String?, at path: String) throws(StoreError) {
    let lock = try WriterLock(path: path)
    guard lock.write(run ?? "", holderBytes + sequenceBytes, runBytes) else {
      throw StoreError(SystemError("write", path))
    }
  }

  /// Remembers the last change in the file at a path, which no other process uses yet.
  public static func note(sequence: Int64, at path: String) throws(StoreError) {
    let lock = try WriterLock(path: path)
    guard lock.write("\(sequence)", holderBytes, sequenceBytes) else {
      throw StoreError(SystemError("write", path))
    }
  }

  /// Notes this process in the file, unless it already is.
  private func writeHolder() {
    let (holder, sequence, run) = contents()
    notedSequence = sequence ?? 0
    restoredIn = run
    if holder != getpid() { write("\(getpid())", 0, Self.holderBytes) }
  }

  /// Writes a line of a fixed length; returns false, with the reason in `errno`, if that fails.
  @discardableResult
  private func write(_ text: String, _ offset: Int, _ length: Int) -> Bool {
    var line = Array(text.utf8)
    line += [UInt8](repeating: 0x20, count: max(0, length - 1 - line.count)) + [0x0A]
    var done = 0
    while done < line.count {
      let count = pwrite(
        file.descriptor, Array(line[done...]), line.count - done, off_t(offset + done))
      if count < 0, errno != EINTR { return false }
      done += max(0, count)
    }
    return true
  }

  private func contents() -> Contents { Self.contents(of: file.descriptor) }

  private typealias Contents = (holder: Int32?, sequence: Int64?, run: String?)

  private static func contents(of descriptor: Int32) -> Contents {
    withUnsafeTemporaryAllocation(
      byteCount: holderBytes + sequenceBytes + runBytes, alignment: 1
    ) { buffer in
      let count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
      var start = 0
      func word(_ length: Int) -> String {
        defer { start += length }
        let bytes = buffer[min(start, count)..<min(start + length, count)]
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
      }
      let (holder, sequence) = (Int32(word(holderBytes)), Int64(word(sequenceBytes)))
      let run = word(runBytes)
      return (holder, sequence, run.isEmpty ? nil : run)
    }
  }

  /// What the file at a path remembers, without locking it: the sequence number, 0 for none, and
  /// the run of the system in which the files next to it were restored.
  public static func noted(at path: String) -> (sequence: Int64, restoredIn: String?) {
    guard let file = try? FileHandle(openOwn: path, O_RDONLY) else { return (0, nil) }
    let contents = contents(of: file.descriptor)
    return (contents.sequence ?? 0, contents.run)
  }

  private func busy() -> StoreError {
    let holder = contents().holder
    let who = holder.map { "process \($0)" } ?? "another process"
    return StoreError(.busy(holder: holder), "\(who) is writing to the store")
  }
}
