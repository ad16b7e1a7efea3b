// Every name that differs between C libraries comes through here.
#if canImport(Glibc)
  internal import CSystem
  package import Glibc
#elseif canImport(Darwin)
  package import Darwin
#endif

/// The calls whose spelling depends on the platform.
package enum Platform {
  /// The number of the last failed call of this thread.
  package static var errorNumber: Int32 { errno }

  /// Copies `count` bytes between two files inside the kernel where it can.
  ///
  /// Returns the bytes copied, 0 at the end of the source, -1 with `errno` set.
  package static func copyRange(from source: Int32, to target: Int32, count: Int) -> Int {
    #if canImport(Glibc)
      return copy_file_range(source, nil, target, nil, count, 0)
    #else
      errno = ENOSYS
      return -1
    #endif
  }

  /// Renames without replacing: fails with `EEXIST` when the new name is taken.
  package static func renameExclusively(_ old: String, _ new: String) -> Int32 {
    #if canImport(Glibc)
      return renameat2(AT_FDCWD, old, AT_FDCWD, new, ckdb_rename_noreplace)
    #else
      return renamex_np(old, new, UInt32(RENAME_EXCL))
    #endif
  }

  /// The modification time of a file, in nanoseconds since 1970.
  package static func modificationNanoseconds(of status: stat) -> Int64 {
    #if canImport(Glibc)
      return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    #else
      return Int64(status.st_mtimespec.tv_sec) * 1_000_000_000
        + Int64(status.st_mtimespec.tv_nsec)
    #endif
  }

  /// The wall clock, in milliseconds since 1970.
  package static var wallClockMilliseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// A clock that never goes back, in milliseconds.
  package static var monotonicMilliseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// Lets other threads and processes run for a while.
  package static func sleep(milliseconds: Int64) {
    var time = timespec(
      tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
    nanosleep(&time, nil)
  }
}
