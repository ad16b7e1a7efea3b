internal import Basics

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A lock on a file, above all the one that every writer of an environment holds around its
/// transaction.
///
/// SQLite up to 3.51.2 can lose commits when checkpoints and writers of several processes meet
/// (`reliability.md` §0.1); with this lock they never do. The file holds the process id of the
/// last holder, so that whoever waits can be told for whom.
public final class WriterLock {
  private let file: FileHandle

  init(path: String) throws(StoreError) {
    file = try onDisk { () throws(SystemError) in
      try FileHandle(open: path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
    }
  }

  /// Takes the lock, alone or with others who share it, waiting at most so long.
  func lock(waitMilliseconds: Int64, isShared: Bool = false) throws(StoreError) {
    let start = Platform.monotonicMilliseconds
    var pause: Int64 = 1
    while flock(file.descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw StoreError(SystemError("lock", file.path))
      }
      if Interrupt.isRaised { throw StoreError(.interrupted, "interrupted") }
      let left = start + waitMilliseconds - Platform.monotonicMilliseconds
      guard left > 0 else { throw busy() }
      Platform.sleep(milliseconds: min(pause, left))
      pause = min(pause * 2, 20)
    }
    if !isShared { writeHolder() }
  }

  /// Takes the lock if nobody holds it.
  func tryLock() -> Bool {
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
    writeHolder()
    return true
  }

  /// Gives the lock back.
  public func unlock() { flock(file.descriptor, LOCK_UN) }

  /// Notes this process in the file, unless it is there from the last time.
  private func writeHolder() {
    if holder() == getpid() { return }
    var text = Array("\(getpid())".utf8)
    text += [UInt8](repeating: 0x20, count: max(0, 15 - text.count)) + [0x0A]
    _ = pwrite(file.descriptor, text, text.count, 0)
  }

  /// The process id in the file.
  private func holder() -> Int32? {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
      let count = max(0, pread(file.descriptor, buffer.baseAddress, buffer.count, 0))
      let text = buffer[..<count].prefix { $0 > 0x20 }
      return Int32(String(decoding: text, as: UTF8.self))
    }
  }

  private func busy() -> StoreError {
    let holder = holder()
    let who = holder.map { "process \($0)" } ?? "another process"
    return StoreError(.busy(holder: holder), "\(who) is writing to the store")
  }
}
