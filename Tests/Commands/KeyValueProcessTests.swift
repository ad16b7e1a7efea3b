internal import Basics
internal import TestSupport
internal import Testing

/// The key-value store shared by several processes (K38, cli.md §11).
@Suite struct KeyValueProcessTests {
  private func program() throws -> RealProgram {
    let program = try RealProgram()
    let made = try program.shell(
      "ckdb init -q && ckdb container create iCloud.org.example.app -q")
    try #require(made.code == 0, "\(made.errors)")
    return program
  }

  @Test("two processes that sync one device at once send each key once")
  func twoSyncs() throws {
    let program = try program()
    let keys = (0..<200).map { "k\($0):=\($0)" }.joined(separator: " ")
    for round in 0..<5 {
      let outcome = try program.shell(
        """
        true
        ckdb kvs set \(keys) r:=\(round) --device phone -q
        ckdb kvs sync --device phone > a & ckdb kvs sync --device phone > b
        wait; cat a b; ckdb kvs sync --device pad; ckdb kvs events --device pad
        """)
      let sent = outcome.output.matches(of: /"sent":(\d+)/).compactMap { Int($0.output.1) }
      #expect(sent.reduce(0, +) == 201, "\(outcome)")
      #expect(outcome.output.contains("\"received\":201"))
      #expect(outcome.output.matches(of: /didChangeExternally/).count == round + 1)
    }
  }

  @Test("'store checkpoint' empties the log, as does the end of a process that wrote much")
  func emptyLog() throws {
    let program = try program()
    // Values that fill more than the 64 pages that a process may leave in the log.
    let outcome = try program.shell(
      """
      log=store/containers/iCloud.org.example.app/ubiquity/ubiquity.sqlite-wal
      ckdb kvs set a:=1 -q; [ -s $log ] && echo filled
      ckdb store checkpoint -q; [ -s $log ] || echo empty
      head -c 400000 /dev/zero | tr '\\0' x > large
      ckdb kvs set large:string@large -q; [ -s $log ] || echo empty
      ckdb kvs get a
      """)
    #expect(outcome.output == "filled\nempty\nempty\n1\n", "\(outcome)")
  }

  @Test("F07: a command that reads a damaged page reports it, whatever it found")
  func damagedPage() throws {
    let program = try program()
    let made = try program.shell(
      "ckdb kvs set name=Anna -q && ckdb snapshot save s -q && ckdb snapshot restore s -q -y")
    try #require(made.code == 0, "\(made.errors)")
    let path =
      program.directory.path
      + "/store/containers/iCloud.org.example.app/ubiquity/ubiquity.sqlite"
    var bytes = try FileSystem.contents(of: path)
    let row = try #require(bytes.firstRange(of: Array("Anna".utf8))?.lowerBound)
    // Between the list of rows and the rows of a page there is free space.
    let place = row / 4096 * 4096 + 2000
    try #require(bytes[place] == 0)
    bytes[place] = 1
    try FileSystem.replace(path, with: bytes)
    let got = try program.shell("ckdb kvs get name")
    #expect(got.code == 78, "\(got)")
    let repaired = try program.shell("ckdb doctor --repair; ckdb kvs get name")
    #expect(repaired.output.hasSuffix("Anna\n") && repaired.code == 0, "\(repaired)")
  }

  @Test("K38: a watcher sees the changes of other devices as they come, and none of its own writes")
  func watching() throws {
    let program = try program()
    let outcome = try program.shell(
      """
      true
      ckdb kvs watch --device pad --since 0 --count 3 --timeout 60 > seen & watcher=$!
      for n in 1 2 3; do
        ckdb kvs set own$n=x --device pad -q; ckdb kvs set k$n=$n --device phone -q
        ckdb kvs sync --device phone > /dev/null; ckdb kvs sync --device pad > /dev/null
      done
      wait $watcher; echo $?; cat seen
      ckdb kvs watch --device pad --timeout 0.1; echo $?
      """)
    let keys = outcome.output.matches(of: /"changedKeys":\[([^\]]*)\]/).map {
      String($0.output.1)
    }
    #expect(keys == ["\"k1\"", "\"k2\"", "\"k3\""], "\(outcome)")
    #expect(outcome.output.hasPrefix("0\n"))
    #expect(outcome.output.hasSuffix("\n1\n"))
  }
}
