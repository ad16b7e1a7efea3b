internal import Basics
internal import TestSupport
internal import Testing

/// Repairs of the database of keys and documents: a page of zeros loses what is on it, and nothing
/// else (issue 53).
@Suite struct ZeroedUbiquityTests {
  private static let path = ".ckdb/containers/iCloud.org.example.app/ubiquity/ubiquity.sqlite"
  /// The shortest rows take about forty bytes.
  private static let mostRows = 100

  private func seeded() throws -> CommandFixture {
    let fixture = try CommandFixture.withContainer()
    var lines = ["device add phone", "device add pad"]
    let file = try fixture.file("a", "a document")
    for number in 0..<120 {
      let device = number % 2 == 0 ? "phone" : "pad"
      let value = "value \(number) " + String(repeating: "x", count: 30)
      lines.append("kvs set key\(number)='\(value)' --device \(device) -q")
      lines.append("document put \(file) Documents/f\(number) --device \(device) -q")
    }
    lines += ["kvs sync --all", "document sync --all"]
    for number in 0..<20 { lines.append("kvs remove key\(number) --device phone -q") }
    lines.append("store checkpoint")
    let batch = try fixture.file("batch", lines.map { $0 + "\n" }.joined())
    let outcome = try fixture.run("run \(batch)")
    #expect(outcome.code == 0, "\(outcome.errors)")
    return fixture
  }

  private func things(_ fixture: CommandFixture) throws -> Set<String> {
    var things: Set<String> = []
    for device in ["phone", "pad"] {
      for noun in ["kvs", "document"] {
        let output = try fixture.run("\(noun) list --jsonl --device \(device)").output
        for line in output.split(separator: "\n") { things.insert("\(device) \(line)") }
      }
    }
    return things
  }

  @Test(
    "a page of zeros loses only keys and documents with a part on it", arguments: [true, false])
  func eachPage(hasCopy: Bool) throws {
    let fixture = try seeded()
    let database = "\(fixture.directory.path)/\(Self.path)"
    let folder = FileSystem.parent(of: database)
    let bytes = try FileSystem.contents(of: database)
    let copy = try FileSystem.contents(of: "\(folder)/catalog")
    let wanted = try things(fixture)
    for page in 1...bytes.count / 4096 {
      for name in ["-wal", "-shm"] { try FileSystem.remove(database + name) }
      var zeroed = bytes
      zeroed.replaceSubrange((page - 1) * 4096..<page * 4096, with: repeatElement(0, count: 4096))
      try FileSystem.replace(database, with: zeroed)
      try FileSystem.remove("\(folder)/catalog")
      if hasCopy { try FileSystem.replace("\(folder)/catalog", with: copy) }
      let repair = try fixture.run("doctor --repair")
      let rest = try things(fixture)
      let missing = wanted.subtracting(rest).count
      // Without the copy, the rows of devices take their keys and documents along.
      #expect(missing <= Self.mostRows || !hasCopy, "page \(page)")
      #expect(page > 1 || missing == 0, "the tables are where a new database has them")
      #expect(missing == 0 || repair.code == 78, "page \(page)")
      #expect(try fixture.run("doctor --deep").code == 0, "page \(page)")
    }
  }
}
