internal import Basics
internal import Glibc

/// A fresh directory that is removed with its owner.
public final class TemporaryDirectory: Sendable {
  /// The path.
  public let path: String

  /// Makes the directory. Throws `SystemError`.
  public init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? Self.usual
    var template = Array("\(base)/ckdb-test-XXXXXX".utf8) + [0]
    let isMade = template.withUnsafeMutableBytes { bytes in
      bytes.bindMemory(to: CChar.self).baseAddress.map { mkdtemp($0) != nil } ?? false
    }
    guard isMade else { throw SystemError("create directory", base) }
    path = String(decoding: template.dropLast(), as: UTF8.self)
  }

  /// In memory if it has room: half of the time of many tests is spent on the disk.
  private static let usual: String = {
    let memory = "/dev/shm"
    var status = statvfs()
    let isThere = statvfs(memory, &status) == 0 && access(memory, W_OK) == 0
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    // ST_NOEXEC, which the C library's module lacks.
    let mayRunPrograms = status.f_flag & 8 == 0
    return isThere && mayRunPrograms && free > 2 << 30 ? memory : "/tmp"
  }()

  deinit { try? FileSystem.remove(path) }
}
