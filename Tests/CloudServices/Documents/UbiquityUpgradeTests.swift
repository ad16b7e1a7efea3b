internal import Basics
internal import CloudModel
internal import CloudServices
internal import SQLite
internal import StoreFiles
internal import TestSupport
internal import Testing

/// Upgrades of stores from before documents.
@Suite struct UbiquityUpgradeTests {
  private static let tables = [
    "_document", "_version", "_replica", "_item", "_member", "_draft", "_resolution", "_open",
    "_exclusion", "_mount", "_file", "_notice", "_sum",
  ]

  @Test("a store of version 1, with only keys, is upgraded, and a copy of the old one stays")
  func upgrade() throws {
    let fixture = try CloudFixture()
    var request = fixture.request
    request.account = Account(stored: "ann")
    try fixture.store.keyValueStore(fixture.container, for: request).set([("a", .integer(1))])
    let folder = "\(fixture.store.path)/containers/\(fixture.container.text)/ubiquity"
    do {
      let connection = try Connection(
        path: "\(folder)/ubiquity.sqlite", mode: .readWrite, makesChecksums: true)
      for table in Self.tables { try connection.execute("DROP TABLE \(table)") }
      try connection.execute("PRAGMA user_version = 1")
      _ = try connection.checkpoint(.truncate)
    }
    try FileSystem.remove("\(folder)/assets")

    let store = CloudStore(path: fixture.store.path)
    let keys = try store.keyValueStore(fixture.container, for: request)
    #expect(try keys.value("a") == .integer(1))
    let documents = try store.documentStore(fixture.container, for: request)
    let path = try DocumentPath("Documents/a.txt")
    try documents.put(Array("text".utf8), at: path)
    #expect(try documents.item(path).size == 4)
    #expect(FileSystem.exists("\(folder)/ubiquity-1.sqlite"))
    let findings = try store.examine(isDeep: true, for: request).flatMap(\.findings)
    #expect(findings.allSatisfy { [.library, .backup].contains($0.code) }, "\(findings)")
  }
}
