internal import Basics
internal import Glibc

/// Open files with given contents, for tests of readers.
enum Bytes {
  /// An unnamed file that holds the bytes, positioned at its beginning.
  static func file(_ bytes: [UInt8]) throws -> FileHandle {
    var template = Array("/tmp/ckdb-test-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemError("create", "/tmp") }
    unlink(&template)
    let file = FileHandle(descriptor: descriptor, path: "bytes", closesAtEnd: true)
    try file.writeAll(bytes)
    lseek(descriptor, 0, SEEK_SET)
    return file
  }

  /// A file that holds the UTF-8 of a text.
  static func file(_ text: String) throws -> FileHandle { try file(Array(text.utf8)) }

  /// A pipe that a thread writes the bytes into, a few at a time, so that reads fall short.
  static func pipe(_ bytes: [UInt8], chunk: Int) throws -> FileHandle {
    var ends: [Int32] = [0, 0]
    // A reader that stops early must not end the test process.
    signal(SIGPIPE, SIG_IGN)
    guard Glibc.pipe(&ends) == 0 else { throw SystemError("create", "pipe") }
    let writing = FileHandle(descriptor: ends[1], path: "pipe", closesAtEnd: true)
    nonisolated(unsafe) let target = writing
    _ = try Worker {
      for start in stride(from: 0, to: bytes.count, by: chunk) {
        try? target.writeAll(Array(bytes[start..<min(start + chunk, bytes.count)]))
      }
    }
    return FileHandle(descriptor: ends[0], path: "pipe", closesAtEnd: true)
  }
}
