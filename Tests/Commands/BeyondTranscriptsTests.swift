import Basics
import TestSupport
import Testing

/// Rules that a transcript cannot show.
@Suite struct BeyondTranscriptsTests {
  @Test("a type has a limited number of columns, and the store stays sound at the limit (R3.5.13)")
  func columns() throws {
    let fixture = try CommandFixture.withContainer()
    let fields = (0..<1984).map { "\"f\($0)\":\($0)" }.joined(separator: ",")
    let text = "{\"recordName\":\"w\",\"recordType\":\"Wide\",\"fields\":{\(fields)}}\n"
    #expect(try fixture.run(["import", "-"], input: text).code == 0)
    let more = try fixture.run("record save Wide more=x")
    #expect(more.code == 65)
    #expect(more.errors.contains("limitExceeded 27"))
    #expect(try fixture.run("record fetch w --fields f1983 -f raw").output == "1983\n")
    #expect(try fixture.run("query Wide f7==7 --count").output == "1\n")
    #expect(try fixture.run("doctor --deep -q").code == 0)
  }

  @Test("the change feed has a deletion for each record of a dropped type, however many (M2.17)")
  func droppedType() throws {
    let fixture = try CommandFixture.withContainer()
    let count = 10_001
    let lines = (0..<count).map { "{\"recordName\":\"r\($0)\",\"tags\":[\"a\",\"b\"]}\n" }.joined()
    _ = try fixture.run("zone create Z -q")
    let words = ["import", "T", "-", "-z", "Z", "--name-field", "recordName", "-q"]
    #expect(try fixture.run(words, input: lines).code == 0)
    #expect(try fixture.run("record save Other --name o -z Z n:=1").code == 0)
    let before = try fixture.run("zone show Z -f json").output
    let token = try #require(before.split(separator: "\"").first { $0.hasPrefix("z1.") })
    #expect(try fixture.run("schema drop T --yes -q").code == 0)
    var deleted = 0
    var last = String(token)
    while true {
      let page = try fixture.run("changes zone -z Z --since \(last)").output
      deleted += page.split(separator: "\"recordType\":\"T\"").count - 1
      last = String(try #require(page.split(separator: "\"").last { $0.hasPrefix("z1.") }))
      if !page.contains("\"moreComing\":true") { break }
    }
    #expect(deleted == count)
    #expect(try fixture.run("record list -z Z -f names").output == "o\n")
    #expect(try fixture.run("doctor --deep -q").code == 0)
  }

  @Test("a backup with --replace replaces a store, but nothing else (M2.19)")
  func replacedBackup() throws {
    let fixture = try CommandFixture.withContainer()
    let path = fixture.directory.path + "/copy"
    #expect(try fixture.run(["store", "backup", path]).code == 0)
    _ = try fixture.run("record save Note --name n text=x")
    #expect(try fixture.run(["store", "backup", path]).code == 73)
    #expect(try fixture.run(["store", "backup", path, "--replace"]).code == 0)
    let names = try fixture.run(["record", "list", "-f", "names", "--store", path])
    #expect(names.output == "n\n")
    // The store itself would lose its snapshots.
    let itself = ["store", "backup", path, "--replace", "--store", path]
    #expect(try fixture.run(itself).code == 73)
    #expect(try fixture.run(["record", "list", "-f", "names", "--store", path]).output == "n\n")
    let other = try fixture.file("file", "x")
    #expect(try fixture.run(["store", "backup", other, "--replace"]).code == 73)
    #expect(try FileSystem.contents(of: other) == Array("x".utf8))
  }

  @Test("the clock of a fixture applies to the commands within exec (M7.3)")
  func clockOfFixture() throws {
    let program = try RealProgram()
    try program.file("f.json", "{ \"clock\": \"2026-01-01T00:00:00Z\", \"databases\": {} }")
    for _ in 0..<2 {
      let line =
        "ckdb exec --fixture f.json -- sh -c 'ckdb record save T --name t -q && "
        + "ckdb record fetch t --fields creationDate -f raw'"
      #expect(try program.shell(line).output == "2026-01-01T00:00:00.000Z\n")
    }
  }

  @Test("a delayed command ends later, and its change is made at once (M7.2)")
  func latency() throws {
    let fixture = try CommandFixture.withContainer()
    _ = try fixture.run("fault add --operation save --latency 300ms --times 1")
    let began = ContinuousClock.now
    #expect(try fixture.run("record save Note --name a").code == 0)
    #expect(began.duration(to: .now) >= .milliseconds(300))
    #expect(try fixture.run("record list Note -f names").output == "a\n")
  }

  @Test("doctor does not report faults of the library, since the lock avoids them (RS0.1)")
  func library() throws {
    let fixture = try CommandFixture.withContainer()
    let outcome = try fixture.run("doctor --deep")
    #expect(outcome.code == 0)
    #expect(outcome.output.split(separator: "\n").count == 1, "only the header")
    #expect(outcome.errors.hasSuffix(": sound\n"))
  }

  @Test("fish offers files only where nothing else is possible (M2.22)")
  func fish() throws {
    let script = try CommandFixture().run("completion fish").output
    #expect(script.contains("complete -c ckdb -f\n"))
    #expect(script.contains("__ckdb_wants_files' -F"))
  }

  @Test("help ignores further words after a command, and finds topics (M2.22)")
  func help() throws {
    let fixture = try CommandFixture()
    #expect(try fixture.run("help changes zone").output == fixture.run("help changes").output)
    #expect(try fixture.run("help files").output.contains("store.json"))
    #expect(try fixture.run("help environment").output.contains("CKDB_HISTORY"))
  }

  @Test("fixtures that are loaded at once into a new container are all loaded")
  func loadingAtOnce() throws {
    let program = try RealProgram()
    for number in 1...4 {
      try program.file(
        "f\(number).jsonl", "{\"recordType\":\"T\",\"recordName\":\"r\(number)\",\"fields\":{}}\n")
    }
    let outcome = try program.shell(
      """
      ckdb init -q
      for round in 1 2 3; do
        export CKDB_CONTAINER=iCloud.org.r$round
        for i in 1 2 3 4; do ckdb fixture load f$i.jsonl -q & done; wait
        ckdb record list -f names
      done
      """)
    #expect(outcome.output == String(repeating: "r1\nr2\nr3\nr4\n", count: 3), "\(outcome.errors)")
  }

  @Test("without HOME there is no default store, and none is made in the working directory")
  func noHome() throws {
    let program = try RealProgram()
    let outcome = try program.shell(
      "env -u HOME -u XDG_DATA_HOME -u CKDB_STORE ckdb zone list; echo $?; ls -A | grep .local")
    #expect(outcome.output == "64\n")
    #expect(outcome.errors.contains("HOME is not set"))
  }

  @Test("C065: -0.0 survives a property list; a place with it matches in a long list of places")
  func negativeZeros() throws {
    let fixture = try CommandFixture.withContainer()
    let list =
      "<plist version=\"1.0\"><array><dict><key>recordName</key><string>p</string>"
      + "<key>d</key><real>-0.0</real></dict></array></plist>"
    let path = try fixture.file("zero.plist", list)
    #expect(try fixture.run(["import", "T", path, "--name-field", "recordName"]).code == 0)
    #expect(try fixture.run("record fetch p --fields d -f raw").output == "-0.0\n")
    #expect(try fixture.run("record save T --name q l:location=-0.0,-0.0").code == 0)
    let places = (1...20).map { "location(\($0), 5), " }.joined() + "location(0, 0)"
    let found = try fixture.run(["query", "T", "l IN {\(places)}", "-f", "names"])
    #expect(found.output == "q\n")
  }

  @Test("one operation makes several zones; a zone named twice already exists")
  func zonesAtOnce() throws {
    let fixture = try CommandFixture.withContainer()
    let made = try fixture.run("zone create A B A")
    #expect(made.errors.hasSuffix("created zone A\ncreated zone B\nzone A already exists\n"))
    _ = try fixture.run("-z D fault add --operation zone --code zoneBusy")
    #expect(try fixture.run("zone create C D").code != 0)
    _ = try fixture.run("fault clear")
    #expect(try !fixture.run("zone list -f names").output.contains("C"))
  }

  @Test("RS5.10: asset contents that cannot be written give a message")
  func unwritableAssets() throws {
    let fixture = try CommandFixture.withContainer()
    let file = try fixture.file("f", "hello")
    _ = try fixture.run(["record", "save", "T", "--name", "a", "f@\(file)"])
    let hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    let folder = fixture.directory.path + "/assets"
    try FileSystem.makeDirectories("\(folder)/\(hash)/in-the-way")
    let found = try fixture.run(["export", "T", "--assets", folder])
    #expect(found.code != 0 && found.code != 70)
    #expect(!found.errors.contains("CommandError"), "\(found.errors)")
  }
}
