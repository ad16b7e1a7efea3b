internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles
internal import TestSupport
internal import Testing

@testable internal import RecordStore

/// Repairs of the pages of a damaged database (F08): a damaged page loses the records on it, and
/// nothing else.
@Suite struct PageSalvageTests {
  /// A store of several types, zones and databases, with trees of two levels, values on overflow
  /// pages, and free pages that still have former records.
  private final class Model {
    let container: ContainerFixture
    private let sound: [String: [UInt8]]
    let records: Set<String>

    init(isLogged: Bool) throws {
      container = try ContainerFixture()
      let folder = container.folder
      try Self.fill(container.open(), isLogged: isLogged)
      sound = try ["records.sqlite", "records.sqlite-wal", "lock", "catalog"].reduce(into: [:]) {
        $0[$1] = try FileSystem.contents(of: "\(folder)/\($1)")
      }
      records = try Self.records(in: folder)
    }

    /// The records, without zones and deletions.
    static func records(in folder: String) throws -> Set<String> {
      let zones = ["Notes ", "Twins ", "_defaultZone "]
      return try Set(
        DamagedStore.records(in: folder).filter { line in zones.contains { line.hasPrefix($0) } })
    }

    var folder: String { container.folder }
    var file: EnvironmentFile { EnvironmentFile(folder: folder) }
    var pageCount: Int { (sound["records.sqlite"]?.count ?? 0) / 4096 }

    private static func fill(_ store: EnvironmentStore, isLogged: Bool) throws {
      try store.beginWrite()
      let fields = [("text", FieldType(.string)), ("n", FieldType(.int64))]
      let (notes, docs) = (try store.type("Note", fields), try store.type("Doc", fields))
      // Values of the same shape as the notes', on pages of another type.
      let twins = try store.type("Twin", fields)
      for index in 0..<160 {
        let value: [(String, FieldValue)] = [
          ("text", .string("to do number \(index) " + String(repeating: "x", count: index))),
          ("n", .int64(Int64(index))),
        ]
        _ = try store.insert(record("n\(index)", "Note", zone: "Notes", value), notes)
        _ = try store.insert(record("t\(index)", "Twin", zone: "Twins", value), twins)
      }
      for index in 0..<12 {
        let text = FieldValue.string(String(repeating: "doc \(index)", count: 500 + 40 * index))
        _ = try store.insert(record("d\(index)", "Doc", [("text", text)]), docs)
      }
      try store.commit()
      try store.beginWrite()
      let zone = try store.zone("Notes")
      let dead = try (0..<70).compactMap { index in
        try store.record(RecordName(stored: "n\(index)"), in: zone)
      }
      try DoomedRecords(dead, in: zone, of: store).delete()
      try store.commit()
      if !isLogged { _ = try store.checkpoint() }
    }

    /// Restores the files, except for a page of zeros, or with the contents of `source`.
    func replace(page: Int, by source: Int? = nil) throws {
      for name in try FileSystem.list(FileSystem.parent(of: folder))
      where name.hasPrefix("development.") {
        try FileSystem.remove("\(FileSystem.parent(of: folder))/\(name)")
      }
      try FileSystem.remove(folder + "/records.sqlite-shm")
      for (name, bytes) in sound {
        var bytes = bytes
        if name == "records.sqlite", page > 0 {
          let other = source.map { Array(bytes[($0 - 1) * 4096..<$0 * 4096]) }
          bytes.replaceSubrange(
            (page - 1) * 4096..<page * 4096, with: other ?? Array(repeating: 0, count: 4096))
        }
        try FileSystem.replace("\(folder)/\(name)", with: bytes)
      }
    }

    /// The number of records with a part on each page.
    func recordsOnPages() throws -> [Int: Int] {
      let connection = try Connection(path: file.databasePath, mode: .readWrite)
      let rows = try connection.transientStatement(
        "SELECT pageno, pagetype, ncell FROM dbstat WHERE name IN ('Note', 'Doc', 'Twin', 'Users')")
      var counts: [Int: Int] = [:]
      while try rows.step() {
        counts[Int(rows.int64(0))] =
          switch rows.text(1) {
          case "leaf": Int(rows.int64(2))
          case "overflow": 1
          default: 0
          }
      }
      return counts
    }
  }

  @Test(
    "a page of zeros loses only records with a part on it, and each is reported",
    arguments: [false, true])
  func eachPage(isLogged: Bool) throws {
    let model = try Model(isLogged: isLogged)
    let counts = try model.recordsOnPages()
    for page in 1...model.pageCount {
      try model.replace(page: page)
      try expectLoss(of: counts[page] ?? 0, model, "page \(page)")
    }
  }

  @Test(
    "a page that was written over another loses only records with a part on that (issue 53)",
    arguments: 1...4)
  func misdirectedPages(seed: UInt64) throws {
    let model = try Model(isLogged: false)
    let counts = try model.recordsOnPages()
    var random = SplitMix64(state: seed)
    for _ in 0..<40 {
      let page = 1 + Int(random.next() % UInt64(model.pageCount))
      let source = 1 + Int(random.next() % UInt64(model.pageCount))
      if page == source { continue }
      try model.replace(page: page, by: source)
      try expectLoss(of: counts[page] ?? 0, model, "page \(source) over \(page)")
    }
  }

  /// Repairs a store, and expects that it loses at most so many records, lists all that it lost,
  /// and is sound then.
  private func expectLoss(of count: Int, _ model: Model, _ place: String) throws {
    let repair = try model.container.repair()
    let rest = try Model.records(in: model.folder)
    let lost = model.records.subtracting(rest)
    #expect(rest.isSubset(of: model.records), "\(place): nothing that was deleted is back")
    #expect(lost.count <= count, "\(place)")
    #expect(repair.lost.count >= lost.count, "\(place)")
    #expect(lost.isEmpty || !repair.isWhole, "\(place)")
    let after = try model.file.examine(isDeep: true, patience: .none).findings
    #expect(after.allSatisfy { $0.code.severity == .notice }, "\(place): \(after)")
  }

  @Test(
    "a repair leaves a sound store if pages are swapped, or have other heads, numbers or bytes",
    arguments: 1...4)
  func brokenPages(seed: UInt64) throws {
    let store = try DamagedStore()
    var random = SplitMix64(state: seed)
    func draw(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    for round in 0..<10 {
      try store.restore()
      try store.patch { bytes in
        let sound = bytes
        for _ in 0...draw(3) * draw(10) {
          // The first page could name a later version, which a repair leaves alone.
          let start = (1 + draw(bytes.count / 4096 - 1)) * 4096
          switch draw(5) {
          case 0:
            let other = draw(bytes.count / 4096) * 4096
            bytes.replaceSubrange(start..<start + 4096, with: sound[other..<other + 4096])
          case 1: bytes[start + draw(16)] = UInt8(draw(256))
          case 2: bytes[start] = [2, 5, 10, 13][draw(4)]
          case 3:
            let place = start + draw(4092)
            bytes.replaceSubrange(
              place..<place + 4, with: [[0xFF], [0], [0x7F]][draw(3)] + [0, 1, 9])
          default:
            for _ in 0..<draw(40) { bytes[start + draw(4096)] = UInt8(draw(256)) }
          }
        }
      }
      _ = try store.repair()
      let after = try store.findings()
      #expect(after.isEmpty, "round \(round): \(after)")
    }
  }

  @Test("a repair works with a page of zeros above others that are above the rows")
  func rootOfThreeLevels() throws {
    let container = try ContainerFixture()
    let store = try container.open()
    try store.beginWrite()
    let type = try store.type("Long", [("text", FieldType(.string))])
    for index in 0..<600 {
      let text = FieldValue.string(String(repeating: "\(index % 10)", count: 3000))
      _ = try store.insert(record("l\(index)", "Long", [("text", text)]), type)
    }
    try store.commit()
    _ = try store.checkpoint()
    let root = try #require(
      try store.connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'Long'"))
    let levels = try store.connection.integer(
      "SELECT max(length(path) - length(replace(path, '/', ''))) FROM dbstat WHERE name = 'Long'")
    #expect(levels ?? 0 >= 3)
    let file = store.file
    var bytes = try FileSystem.contents(of: file.databasePath)
    let start = Int(root - 1) * 4096
    bytes.replaceSubrange(start..<start + 4096, with: repeatElement(0, count: 4096))
    try FileSystem.replace(file.databasePath, with: bytes)
    let repair = try container.repair()
    #expect(repair.lost.isEmpty && repair.isWhole)
    #expect(try DamagedStore.records(in: file.folder).count == 601)
  }

  @Test("pages read without SQLite equal those that a checkpoint leaves")
  func logs() throws {
    let model = try Model(isLogged: true)
    try model.replace(page: 0)
    let pages = try DatabasePages(model.file)
    let before = (1...pages.count).map { pages.page($0) }
    #expect(pages.page(0) == nil && pages.page(pages.count + 1) == nil)
    let free = try #require(pages.freePages())
    let store = try EnvironmentStore(folder: model.folder, patience: .none)
    _ = try store.checkpoint()
    let bytes = try FileSystem.contents(of: model.file.databasePath)
    #expect(bytes.count == Int(pages.count) * 4096)
    // A checkpoint adds the checksums.
    for (index, page) in before.enumerated() {
      let written = bytes[index * 4096..<(index + 1) * 4096]
      #expect(page?.dropLast(8) == written.dropLast(8), "page \(index + 1)")
    }
    let count = try store.connection.integer("PRAGMA freelist_count") ?? 0
    #expect(Int64((1...pages.count).filter { free.contains(Int64($0)) }.count) == count)
    #expect(count > 0)
  }

  @Test("the columns of CREATE statements are found, even with hostile names")
  func creations() {
    for (creation, names) in [
      (
        #"CREATE TABLE "a(b"(_id INTEGER PRIMARY KEY, "x,y" TEXT, "q""(" ANY)"#,
        ["_id", "x,y", "q\"("]
      ),
      (
        "CREATE TABLE _u(_id INTEGER, a TEXT NOT NULL UNIQUE, UNIQUE(a, _id)) STRICT", ["_id", "a"]
      ),
      ("CREATE TABLE t(a TEXT DEFAULT 'x,(''y', b CHECK (b IN (1, 2)), c)", ["a", "b", "c"]),
      ("CREATE TABLE", []), ("", []), (#"CREATE TABLE "a"#, []), ("CREATE TABLE t(", []),
    ] {
      #expect(PageTables.columns(in: creation) == names)
    }
  }
}
