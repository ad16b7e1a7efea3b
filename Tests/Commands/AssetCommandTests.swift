internal import Basics
internal import CloudModel
internal import Glibc
internal import TestSupport
internal import Testing

/// Assets on the command line (M2.16).
@Suite struct AssetCommandTests {
  /// A file just above the limit, which takes no blocks on the disk.
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

  @Test("C136, M2.16: saving an asset above 50 MB is a warning, for every verb")
  func warning() throws {
    let fixture = try CommandFixture.withContainer()
    let file = try largeFile(fixture)
    let outcome = try fixture.run(["record", "save", "T", "--name", "a", "f@\(file)"])
    #expect(outcome.code == 0)
    #expect(outcome.errors.contains("warning: the asset has 52428801 bytes"))
  }

  @Test("C136, M2.16: --strict refuses it, and leaves nothing behind")
  func refusal() throws {
    let fixture = try CommandFixture.withContainer()
    let file = try largeFile(fixture)
    let outcome = try fixture.run(["record", "save", "T", "f@\(file)", "--strict"])
    #expect(outcome.code == 65)
    #expect(outcome.errors.contains("limitExceeded"))
    #expect(try leftovers(fixture) == [])
  }

  @Test("C136: cktool and an import check the size of an asset, too")
  func otherVerbs() throws {
    let fixture = try CommandFixture.withContainer()
    let file = try largeFile(fixture)
    #expect(try fixture.run(["record", "save", "T", "--name", "a", "f@\(file)"]).code == 0)
    let (records, folder) = (fixture.directory.path + "/t.jsonl", fixture.directory.path + "/files")
    #expect(try fixture.run("export T -o \(records) --assets \(folder)").code == 0)
    #expect(try fixture.run("container create iCloud.org.example.other").code == 0)
    let other = "--container iCloud.org.example.other"
    let lines = [
      "\(other) import T \(records) --assets \(folder)",
      "cktool create-record --container-id iCloud.org.example.other --environment development "
        + "--database-type private --record-type T --asset-files K=\(file) --fields-json "
        + #"{"f":{"type":"assetType","value":"K"}}"#,
    ]
    for line in lines {
      let refused = try fixture.run("--strict \(line)")
      #expect(
        refused.code == 65 && refused.errors.contains("at most 52428800 are"), "\(refused.errors)")
      let warned = try fixture.run(line)
      #expect(warned.code == 0)
      #expect(warned.errors.contains("warning: the asset has 52428801 bytes"), "\(warned.errors)")
    }
  }

  @Test(
    "nothing is lost or half-written: a fault in a later field discards the copied contents",
    arguments: ["g:int64=x", "h@missing", "f=again"])
  func laterFault(field: String) throws {
    let fixture = try CommandFixture.withContainer()
    let file = try fixture.file("small", "text")
    let outcome = try fixture.run(["record", "save", "T", "f@\(file)", field])
    #expect(outcome.code != 0)
    #expect(try leftovers(fixture) == [])
  }
}
