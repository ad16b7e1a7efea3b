internal import Testing

@testable internal import Basics

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What a written file may take the place of.
@Suite("FileSystem")
struct FileSystemTests {
  @Test("POSIX rename(2): a device is never replaced by a file, a new name may be taken")
  func devicesStay() {
    #expect(!FileSystem.isReplaceable("/dev/null"))
    #expect(FileSystem.isReplaceable(#filePath))
    #expect(FileSystem.isReplaceable(#filePath + ".missing"))
  }

  @Test("POSIX lstat(2): the identity of a path is its device and number, a link has its own")
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

  @Test("F02: what cannot be examined is an error, and not absent")
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
    // A link that leads to itself: nobody can say what is below it.
    let loop = directory + "/loop"
    #expect(symlink(loop, loop) == 0)
    #expect(throws: SystemError.self) { try FileSystem.hasFolder(at: loop + "/folder") }
    #expect(throws: SystemError.self) { try FileSystem.hasFile(at: loop + "/file") }
  }

  @Test("F02: an error in the middle of a directory's listing is not its end")
  func brokenListing() {
    let error = #expect(throws: SystemError.self) {
      try FileSystem.names(in: "folder") {
        errno = EIO
        return nil
      }
    }
    #expect(error?.number == EIO)
  }

  @Test("an error after a change that is made says so (RS0.5)")
  func doneAllTheSame() {
    let error = #expect(throws: SystemError.self) { try FileSystem.settle("/nowhere") }
    #expect(error?.isDone == true)
    let end = "the change is made, but a power loss may undo it"
    #expect(error?.description.hasSuffix(end) == true)
  }
}
