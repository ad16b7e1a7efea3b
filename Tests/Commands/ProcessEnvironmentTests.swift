import Basics
import Glibc
import TestSupport
import Testing

/// Too few descriptors, no room for a thread, memory that cannot be read: an error with a message
/// and its exit code, never a crash or another command (F12, RS5.10).
@Suite struct ProcessEnvironmentTests {
  private func seeded() throws -> RealProgram {
    let program = try RealProgram()
    let made = try program.shell(
      "ckdb init -q && ckdb -q container create iCloud.org.example.app && "
        + "ckdb -q record save Note --name a text=x")
    try #require(made.code == 0, "\(made.errors)")
    return program
  }

  @Test("if no more files can be opened, the command still gets its arguments")
  func arguments() throws {
    let program = try seeded()
    let version = try program.shell("ulimit -n 4; exec ckdb --version")
    #expect(version.code == 0 && version.output.hasPrefix("ckdb "), "\(version)")
    let fetch = try program.shell(
      "echo 'record delete a' | (ulimit -n 4; exec ckdb record fetch a)")
    #expect(fetch.code == 74 && fetch.output.isEmpty && !fetch.errors.isEmpty, "\(fetch)")
    #expect(try program.shell("ckdb record fetch a -f names").output == "a\n")
  }

  @Test("without HOME, a command that needs no default store works")
  func noHome() throws {
    let program = try RealProgram()
    try program.file("note.jsonl", #"{"recordName":"a","recordType":"Note","n":1}"# + "\n")
    let bare = "env -u HOME -u XDG_CACHE_HOME -u CKDB_STORE ckdb"
    let run = try program.shell("\(bare) exec --fixture note.jsonl -- ckdb query Note --count")
    #expect(run.code == 0 && run.output == "1\n", "\(run)")
    #expect(try program.shell("\(bare) fixture check note.jsonl").code == 0)
    let list = try program.shell("cd / && \(bare) zone list")
    #expect(list.code == 64 && list.errors.contains("HOME is not set"), "\(list)")
  }

  @Test(
    "if no thread can start, an import ends with an error and changes nothing",
    .disabled(
      if: RealProgram.instrumentation["ASAN_OPTIONS"] != nil,
      "AddressSanitizer itself needs more memory than the limit"))
  func threads() throws {
    let program = try seeded()
    let lines = (0..<20_000).map { "{\"recordName\":\"r\($0)\",\"text\":\"number \($0)\"}\n" }
    try program.file("notes.jsonl", lines.joined())
    // The stack of a thread is as large as the limit allows, which may be more than all memory.
    let limited = try program.shell(
      "ulimit -s 60000000; ulimit -v 50000000; exec ckdb import Note notes.jsonl -q")
    #expect(limited.code == 74, "\(limited)")
    #expect(limited.errors.contains("cannot start a thread"), "\(limited)")
    #expect(try program.shell("ckdb query Note --count").output == "1\n")
  }

  @Test("memory that cannot be read is reported as an error of the disk")
  func mappedMemory() throws {
    let program = try seeded()
    let outcome = try program.shell(
      """
      mkfifo in; ckdb < in & p=$!
      exec 3> in; echo 'query Note --count' >&3
      sleep 0.3; kill -BUS $p; wait $p
      """)
    #expect(outcome.code == 74 && outcome.output == "1\n", "\(outcome)")
    #expect(outcome.errors.contains("cannot be read from memory"), "\(outcome)")
  }
}
