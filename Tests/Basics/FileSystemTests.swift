internal import Testing

@testable internal import Basics

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Replacing, examining and listing files.
@Suite("FileSystem")
struct FileSystemTests {
  @Test("POSIX rename(2): a file never replaces a device, but may take a new name")
  func devicesStay() {
    #expect(!FileSystem.isReplaceable("/dev/null"))
    #expect(FileSystem.isReplaceable(#filePath))
    #expect(FileSystem.isReplaceable(#filePath + ".missing"))
  }

  @Test("POSIX lstat(2): device and number identify a path; a link has its own identity")
  func identity() throws {
    let directory = try FileSystem.makeTemporaryDirectory(in: "/tmp", prefix: "ckdb-test-")
    defer { try? FileSystem.remove(directory) }
    let (file, link) = (directory + "/file", directory + "/link")
    try FileSystem.replace(file, with: [])
    #expect(symlink(file, link) == 0)
    for path in [directory, file, link] {
      let status = try FileSystem.knownStatus(of: path)
      #expect(FileSystem.identity(of: path) == FileSystem.Identity(status))
    }
    #expect(FileSystem.identity(of: file) != FileSystem.identity(of: link))
    let handle = try FileHandle(openOwn: file, O_RDONLY)
    #expect(handle.identity == FileSystem.identity(of: file))
    try FileSystem.replace(file, with: [])
    #expect(handle.identity != FileSystem.identity(of: file))
    #expect(FileSystem.identity(of: directory + "/none") == nil)
  }

  @Test("F02: a file that cannot be examined is an error, not a missing file")
  func absence() throws {
    let directory = try FileSystem.makeTemporaryDirectory(in: "/tmp", prefix: "ckdb-test-")
    defer { try? FileSystem.remove(directory) }
    #expect(try FileSystem.hasFolder(at: directory) && !FileSystem.hasFile(at: directory))
    let file = directory + "/file"
    try FileSystem.replace(file, with: [])
    #expect(try FileSystem.hasFile(at: file) && !FileSystem.hasFolder(at: file))
    for free in [directory + "/none", file + "/below"] {
      #expect(try !FileSystem.hasFolder(at: free) && !FileSystem.hasFile(at: free))
    }
    // A link to itself: nothing below it can be examined.
    let loop = directory + "/loop"
    #expect(symlink(loop, loop) == 0)
    #expect(throws: SystemError.self) { try FileSystem.hasFolder(at: loop + "/folder") }
    #expect(throws: SystemError.self) { try FileSystem.hasFile(at: loop + "/file") }
  }

  @Test("F02: an error in the middle of a directory listing does not pass for its end")
  func brokenListing() {
    let error = #expect(throws: SystemError.self) {
      try FileSystem.names(in: "folder") {
        errno = EIO
        return nil
      }
    }
    #expect(error?.number == EIO)
  }

  @Test("an error after a completed change says that the change is made (RS0.5)")
  func doneAllTheSame() {
    let error = #expect(throws: SystemError.self) { try FileSystem.settle("/nowhere") }
    #expect(error?.isDone == true)
    let end = "the change is made, but a power loss may undo it"
    #expect(error?.description.hasSuffix(end) == true)
  }

  @Test("a watch that cannot begin closes only its own descriptor, whatever other threads open")
  func failingWatch() throws {
    let isDone = Locked(false)
    let worker = try Worker {
      while !isDone.withLock({ $0 }) { _ = try? FileWatch("/nowhere/at/all") }
    }
    defer {
      isDone.withLock { $0 = true }
      worker.join()
    }
    for _ in 0..<20_000 {
      let file = try FileHandle(open: "/dev/null", O_RDONLY)
      _ = try file.status()
      _ = try file.status()
    }
  }
}
