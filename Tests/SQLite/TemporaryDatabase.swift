internal import Basics
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// An empty database file that is removed with its owner.
final class TemporaryDatabase {
  let path: String

  init() throws {
    var template = Array("/tmp/ckdb-test-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemError("create", "/tmp") }
    close(descriptor)
    path = template.withUnsafeBufferPointer { text in
      text.baseAddress.map { String(cString: $0) } ?? ""
    }
  }

  deinit {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }

  func open(_ mode: Connection.Mode = .readWrite) throws(SQLiteError) -> Connection {
    try Connection(path: path, mode: mode)
  }
}
