public import Basics

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A thread with its own working directory; that of the process, and of other tests, stays.
///
/// Where a sandbox forbids this (containers may), threads use the process's directory in turns.
public enum ThreadDirectory {
  /// Runs work in a directory, on a new thread, and waits for it. Throws `SystemError` if the
  /// directory cannot be entered.
  public static func enter<Result>(
    _ path: String, _ work: () -> Result
  ) throws(SystemError) -> Result {
    nonisolated(unsafe) var result: Result?
    // The thread ends before this function does.
    try withoutActuallyEscaping(work) { (work) throws(SystemError) in
      nonisolated(unsafe) let work = work
      try Worker {
        if enterAlone(path) { result = work() }
      }.join()
    }
    if let result { return result }
    return try enterInTurn(path, work)
  }

  private static let turn = Locked(())

  private static func enterInTurn<Result>(
    _ path: String, _ work: () -> Result
  ) throws(SystemError) -> Result {
    try turn.withLock { (_) throws(SystemError) in
      let before = try FileSystem.currentDirectory()
      guard chdir(path) == 0 else { throw SystemError("enter", path) }
      defer { chdir(before) }
      return work()
    }
  }

  private static func enterAlone(_ path: String) -> Bool {
    #if canImport(Glibc)
      // Threads share their working directory until one of them gets its own by
      // `unshare(CLONE_FS)`, which the C library's module lacks.
      guard let symbol = dlsym(nil, "unshare") else { return false }
      let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
      return unshare(0x200) == 0 && chdir(path) == 0
    #else
      return pthread_chdir_np(path) == 0
    #endif
  }
}
