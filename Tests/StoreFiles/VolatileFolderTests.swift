internal import Basics
internal import Glibc
internal import TestSupport
internal import Testing

/// Folders that need not survive a power loss.
@Suite struct VolatileFolderTests {
  /// Whether a file of a path is synchronized: this one is a pipe, for which that fails.
  private func isSynchronized(_ path: String) -> Bool {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return false }
    defer { ends.forEach { close($0) } }
    let file = FileHandle(descriptor: ends[1], path: path, closesAtEnd: false)
    do {
      try file.synchronize()
      return false
    } catch { return true }
  }

  @Test("nothing is synchronized in a marked folder, and everything elsewhere and later")
  func mark() throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/store"
    try FileSystem.makeDirectory(path)
    let folder = VolatileFolder.at(path)
    #expect(isSynchronized("\(path)/file"))
    try folder.mark()
    #expect(!isSynchronized("\(path)/file") && !isSynchronized(path))
    #expect(isSynchronized("\(path)s/file") && isSynchronized(directory.path))
    try folder.settle()
    #expect(!folder.isMarked)
    #expect(isSynchronized("\(path)/file"))
  }
}
