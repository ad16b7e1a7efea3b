internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Where temporary clouds are.
enum TemporaryFolder {
  /// The folder that `TMPDIR` names; else the one in memory if it has room, where a new cloud takes
  /// half of the time; else the system's folder for temporary files.
  static let path: String = {
    let memory = "/dev/shm"
    var status = statvfs()
    guard ProcessInfo.processInfo.environment["TMPDIR"] == nil, statvfs(memory, &status) == 0,
      access(memory, W_OK | X_OK) == 0
    else { return FileManager.default.temporaryDirectory.path }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    return free > room ? memory : FileManager.default.temporaryDirectory.path
  }()

  /// The bytes that must be free in memory.
  private static let room: UInt64 = 1 << 30
}
