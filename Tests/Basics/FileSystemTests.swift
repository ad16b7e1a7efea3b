internal import Basics
internal import Testing

/// What a written file may take the place of.
@Suite("FileSystem")
struct FileSystemTests {
  @Test("POSIX rename(2): a device is never replaced by a file, a new name may be taken")
  func devicesStay() {
    #expect(!FileSystem.isReplaceable("/dev/null"))
    #expect(FileSystem.isReplaceable(#filePath))
    #expect(FileSystem.isReplaceable(#filePath + ".missing"))
  }

  @Test("an error behind a change that is made says so (RS0.5)")
  func doneAllTheSame() {
    let error = #expect(throws: SystemError.self) { try FileSystem.settle("/nowhere") }
    #expect(error?.isDone == true)
    let end = "the change is made, but a power loss may undo it"
    #expect(error?.description.hasSuffix(end) == true)
  }
}
