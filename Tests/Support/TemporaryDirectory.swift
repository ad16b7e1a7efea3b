internal import Basics
internal import Glibc

/// A fresh directory that goes away with its owner.
public final class TemporaryDirectory {
  /// The path.
  public let path: String

  /// Makes it. Throws `SystemError`.
  public init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/ckdb-test-XXXXXX".utf8) + [0]
    let isMade = template.withUnsafeMutableBytes { bytes in
      bytes.bindMemory(to: CChar.self).baseAddress.map { mkdtemp($0) != nil } ?? false
    }
    guard isMade else { throw SystemError("create directory", base) }
    path = String(decoding: template.dropLast(), as: UTF8.self)
  }

  deinit { try? FileSystem.remove(path) }
}
