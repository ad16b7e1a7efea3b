internal import Basics
internal import TestSupport
internal import Testing

@testable internal import Commands

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Bytes that are not UTF-8 are refused with their place (RS5.10).
@Suite struct EncodingTests {
  @Test("a word of the command line that is not UTF-8 is bad data")
  func words() throws {
    let fixture = try CommandFixture()
    let (output, errors) = (ByteOutput(), ByteOutput())
    let code = try fixture.session(output: output, errors: errors).run(["query", nil])
    #expect(code == 65)
    let text = String(decoding: errors.buffer, as: UTF8.self)
    #expect(text == "ckdb: error: argument 2 is not valid UTF-8\n")
  }

  @Test("a line of a batch that is not UTF-8 fails; --keep-going continues after it")
  func lines() throws {
    let fixture = try CommandFixture.withContainer()
    let path = fixture.directory.path + "/batch"
    let lines = [Array("version".utf8), [0x22, 0xFF, 0x22], Array("version".utf8)]
    try FileSystem.replace(path, with: Array(lines.joined(separator: [0x0A])))
    for (option, count) in [([], 1), (["--keep-going"], 2)] {
      let outcome = try fixture.run(["run", path] + option)
      #expect(outcome.code == 65)
      #expect(outcome.errors == "ckdb: error: \(path):2: the line is not UTF-8\n")
      #expect(outcome.output.split(separator: "\n").count == count)
    }
  }
}
