import Basics
import Glibc
import TestSupport
import Testing

/// `ckdb exec`: a separate store for a command (M7.3). Serialized, since the signals are those of
/// the whole process.
@Suite(.serialized) struct ExecTests {
  private static let library = """
    { "databases": { "private": { "zones": { "_defaultZone": { "records": [
      { "recordName": "b1", "recordType": "Book", "fields": { "pages": 255 } },
      { "recordName": "b2", "recordType": "Book", "fields": { "pages": 2 } } ] } } } } }
    """

  private func program() throws -> RealProgram {
    let program = try RealProgram()
    try program.file("library.json", Self.library)
    return program
  }

  /// The stores that remain.
  private func left(_ program: RealProgram) throws -> [String] {
    try FileSystem.list(program.directory.path).filter { $0.hasPrefix("ckdb-") }
  }

  @Test("the command finds its store and this ckdb, and exec returns its exit code")
  func runs() throws {
    let program = try program()
    let line = "ckdb exec --fixture library.json -- sh -c 'ckdb query Book --count; exit $0' 0"
    #expect(try program.shell(line).output == "2\n")
    #expect(try left(program).isEmpty)
    // The second run uses the store that the first one made.
    #expect(try program.shell(line) == RealProgram.Outcome(code: 0, output: "2\n", errors: ""))
    #expect(try !program.shell("ckdb query Book").output.contains("b1"), "its own store alone")
  }

  @Test("--keep-going does not go on after a command that a signal ended")
  func interrupted() throws {
    let line = "exec -- sh -c 'kill -INT $$'; version"
    let ended = try program().shell("ckdb --keep-going -c \"\(line.replacing("$", with: "\\$"))\"")
    #expect(ended.code == 130 && ended.output == "")
    #expect(try program().shell("ckdb --keep-going -c 'exec -- false; version'").output != "")
  }

  @Test("a cached store does not depend on the settings that the current store saves")
  func savedZone() throws {
    let program = try program()
    for zone in ["First", "Second"] {
      let outcome = try program.shell(
        "ckdb init -q 2> /dev/null; ckdb use --zone \(zone) -q; "
          + "ckdb exec --fixture library.json -- ckdb zone list -f names")
      #expect(outcome.output == "_defaultZone\n", "\(zone)")
    }
  }

  @Test("a failure keeps the store and prints its path; --keep decides")
  func keeps() throws {
    let program = try program()
    let failed = try program.shell("ckdb exec --fixture library.json -- sh -c 'exit 9'")
    #expect(failed.code == 9)
    let kept = try left(program)
    #expect(kept.count == 1)
    let path = "\(program.directory.path)/\(kept.first ?? "")/store"
    #expect(failed.errors == "kept the store: \(path)\n")
    #expect(try program.shell("ckdb --store \(path) query Book --count").output == "2\n")
    #expect(try program.shell("ckdb exec --keep never -- false").code == 1)
    #expect(try program.shell("ckdb exec --keep always -- true").code == 0)
    #expect(try left(program).count == 2)
    #expect(try program.shell("ckdb exec -- nothing-of-that-name").code == 127)
    #expect(try program.shell("ckdb exec -- /etc/passwd").code == 126)
    #expect(try program.shell("TMPDIR=/nowhere ckdb exec -- true").code == 73)
    #expect(try left(program).count == 2)
  }

  @Test("exec removes the leftovers of killed commands, and nothing else")
  func abandoned() throws {
    let program = try program()
    let directory = program.directory.path
    for name in ["ckdb-dead", "ckdb-kept", "other-dead"] {
      try FileSystem.makeDirectory("\(directory)/\(name)")
    }
    try program.file("ckdb-dead/.running", "")
    try program.file("other-dead/.running", "")
    #expect(try program.shell("ckdb exec -- true").code == 0)
    #expect(try left(program) == ["ckdb-kept"])
    #expect(FileSystem.exists(directory + "/other-dead"))
    // A running command's store is left alone.
    let line =
      "ckdb exec -- sh -c 'ckdb exec -- true; ls -d ..; test -d $CKDB_STORE/.. && echo yes'"
    #expect(try program.shell(line).output.hasSuffix("yes\n"))
    // After exec is killed, its command keeps the store as long as it lives.
    let killed = """
      ckdb exec -- sh -c 'kill -9 $PPID; ckdb exec -- true; touch done; sleep 0.5'
      code=$?; while [ ! -e done ]; do sleep 0.05; done; exit $code
      """
    #expect(try program.shell(killed).code == 137)
    #expect(try left(program).count == 2)
    #expect(try program.shell("sleep 2; ckdb exec -- true").code == 0)
    #expect(try left(program) == ["ckdb-kept"])
  }

  @Test("a changed fixture is loaded again, also when a file that it names changes")
  func changes() throws {
    let program = try program()
    try program.file(
      "photo.json",
      """
      [ { "recordName": "p", "recordType": "Photo", "fields": { "image": { "file": "a.txt" } } } ]
      """)
    try program.file("a.txt", "one")
    let line = "ckdb exec --fixture photo.json library.json -- ckdb asset get p image -o -"
    #expect(try program.shell(line).output == "one")
    try program.file("a.txt", "three")
    #expect(try program.shell(line).output == "three")
    let count = "ckdb exec --fixture library.json -- ckdb query Book --count"
    #expect(try program.shell(count).output == "2\n")
    try program.file("library.json", Self.library.replacing("\"b2\"", with: "\"b3\""))
    #expect(
      try program.shell("ckdb exec --fixture library.json -- ckdb record list -f names").output
        == "b1\nb3\n")
    let wrong = try program.shell("echo { > bad.json; ckdb exec --fixture bad.json -- echo no")
    #expect(wrong.code == 65)
    #expect(wrong.output.isEmpty)
    #expect(wrong.errors.hasPrefix("bad.json:2:1: error: "))
  }

  @Test(
    "signals go to the command, and decide its exit code", arguments: [SIGTERM, SIGINT, SIGHUP])
  func signals(_ number: Int32) throws {
    let program = try program()
    let trap = "trap 'echo caught; exit 5' TERM INT HUP; echo ready; while :; do sleep 0.05; done"
    try program.file("trap.sh", trap)
    let line = """
      ckdb exec --keep never -- sh trap.sh > out & p=$!
      while ! grep -q ready out; do sleep 0.02; done; kill -\(number) $p; wait $p
      """
    // A background process of a shell ignores SIGINT by default.
    let outcome = try program.shell("set -m; \(line)")
    #expect(outcome.code == 5, "\(outcome.errors)")
    #expect(try program.shell("cat out").output == "ready\ncaught\n")
    #expect(try left(program).isEmpty)
    #expect(try program.shell("ckdb exec --keep never -- sh -c 'kill -9 $$'").code == 137)
  }

  @Test("16 commands at once in one directory do not disturb each other (M7.3)")
  func many() throws {
    let program = try program()
    let line = """
      for i in $(seq 16); do
        ckdb exec --fixture library.json -- sh -c '
          ckdb -q record save Book --name mine-'$i' pages:='$i' && ckdb -q record delete b1 &&
          ckdb query Book -f names | sort | tr "\\n" " "' > result-$i 2>&1 &
      done; wait; cat result-*
      """
    let outcome = try program.shell(line)
    for number in 1...16 {
      let result = try program.shell("cat result-\(number)").output
      #expect(result == "b2 mine-\(number) ", "\(result)")
    }
    #expect(outcome.code == 0)
    #expect(try left(program).isEmpty)
  }

  @Test("a load that is killed leaves nothing, or all of it (F01)")
  func killed() throws {
    let program = try RealProgram()
    let records = (0..<4000).map {
      "{\"recordName\":\"r\($0)\",\"n\":\($0),\"text\":\"some text of record \($0)\"}\n"
    }
    try program.file("Record.jsonl", records.joined())
    var seen: Set<String> = []
    for round in 0..<12 {
      _ = try program.shell("rm -rf store; ckdb init -q")
      if round % 2 == 0 { _ = try program.shell("ckdb -q container create iCloud.org.example.app") }
      let number = round % 3 == 2 ? "INT" : "KILL"
      // From before the first change until after the last, in a debug build.
      _ = try program.shell(
        """
        set -m; ckdb fixture load Record.jsonl & p=$!
        sleep 0.\(round < 10 ? "0" : "")\(round * 9 + 2); kill -\(number) $p; wait $p
        """)
      let after = try program.shell(
        "ckdb record list -f names | wc -l; ckdb container list | wc -l")
      let counts = after.output.split(separator: "\n").map(String.init)
      let containers = round % 2 == 0 ? ["2"] : ["1", "2"]
      #expect(["0", "4000"].contains(counts.first), "round \(round): \(after)")
      #expect(containers.contains(counts.last ?? ""), "round \(round): \(after)")
      #expect(try program.shell("ckdb doctor --deep -q").code <= 1)
      seen.insert(counts.first ?? "")
      let again = try program.shell("ckdb fixture load Record.jsonl")
      #expect(again.code == 0)
    }
    #expect(seen.contains("0"), "none was killed in time")
  }
}
