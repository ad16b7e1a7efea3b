internal import Basics
internal import CloudModel
internal import Glibc
internal import TestSupport
internal import Testing

/// Assets on the command line (cli.md §2).
@Suite struct AssetCommandTests {
  /// A file just above the limit, without blocks on the disk.
  private func largeFile(_ fixture: CommandFixture) throws -> String {
    let path = fixture.directory.path + "/large"
    let file = try FileHandle(open: path, O_RDWR | O_CREAT, mode: 0o600)
    #expect(ftruncate(file.descriptor, Int(Limits.assetSize) + 1) == 0)
    return path
  }

  private func leftovers(_ fixture: CommandFixture) throws -> [String] {
    let store = fixture.directory.path + "/.ckdb/containers/iCloud.org.example.app"
    return try FileSystem.list(store + "/development/assets/tmp")
  }

  @Test("C136, cli.md §2: above 50 MB a save warns, whatever the verb")
  func warning() throws {
    let fixture = try CommandFixture.withContainer()
    let file = try largeFile(fixture)
    let outcome = try fixture.run(["record", "save", "T", "--name", "a", "f@\(file)"])
    #expect(outcome.code == 0)
    #expect(outcome.errors.contains("warning: the asset has 52428801 bytes"))
  }

  @Test("C136, cli.md §2: --strict refuses it and leaves nothing behind")
  func refusal() throws {
    let fixture = try CommandFixture.withContainer()
    let file = try largeFile(fixture)
    let outcome = try fixture.run(["record", "save", "T", "f@\(file)", "--strict"])
    #expect(outcome.code == 65)
    #expect(outcome.errors.contains("limitExceeded"))
    #expect(try leftovers(fixture) == [])
  }

  @Test(
    "nothing lost or half-written: a fault in a later field forgets the copied contents",
    arguments: ["g:int64=x", "h@missing", "f=again"])
  func laterFault(field: String) throws {
    let fixture = try CommandFixture.withContainer()
    let file = try fixture.file("small", "text")
    let outcome = try fixture.run(["record", "save", "T", "f@\(file)", field])
    #expect(outcome.code != 0)
    #expect(try leftovers(fixture) == [])
  }
}
