internal import Basics
internal import CloudModel
internal import CloudServices
internal import StoreHome
internal import TestSupport
internal import Testing

/// Damage that hides rows without an SQLite error (F07): files that hidden rows name are not
/// orphans, and stay in place.
@Suite struct HiddenRowsTests {
  private static let count = 12

  /// Calls `body` with copies of a store. In each, another page of a database has no cells, or is
  /// overwritten as a whole.
  private func forEachEmptiedPage(
    of fixture: CloudFixture, in database: String, isOverwritten: Bool = false,
    _ body: (CloudStore, Int) throws -> Void
  ) throws {
    let path = fixture.directory.path + "/copy"
    let pageSize = 4096
    var page = 1
    while true {
      try FileSystem.remove(path)
      try fixture.store.copy(to: path, for: fixture.request)
      let file = "\(path)/containers/\(fixture.container.text)/\(database)"
      var bytes = try FileSystem.contents(of: file)
      if page == bytes.count / pageSize { break }
      // The number of cells, and where they begin, in a page of a B-tree (SQLite, "Database File
      // Format", 1.6).
      let rest = [UInt8](repeating: 0x5A, count: isOverwritten ? pageSize - 7 : 0)
      let header: [UInt8] = [0, 0, 0x0F, 0xF0]
      bytes.replaceSubrange(
        page * pageSize + 3..<page * pageSize + 7 + rest.count, with: header + rest)
      try FileSystem.replace(file, with: bytes)
      try body(CloudStore(path: path), page + 1)
      page += 1
    }
    #expect(page > 10)
  }

  private func documents(
    _ store: CloudStore, _ fixture: CloudFixture
  ) throws -> DocumentStore {
    var request = fixture.request
    (request.account, request.device) = (Account(stored: "ann"), Device(stored: "mac"))
    return try store.documentStore(fixture.container, for: request)
  }

  /// A store with documents of different contents; iCloud knows some of them.
  private func storeWithDocuments() throws -> CloudFixture {
    let fixture = try CloudFixture()
    let documents = try documents(fixture.store, fixture)
    for number in 0..<Self.count {
      try documents.put(Array("contents \(number)".utf8), at: DocumentPath("Documents/\(number)"))
      if number == Self.count / 2 { #expect(try documents.synchronize().isSynchronized) }
    }
    return fixture
  }

  /// The number of contents in a folder of assets.
  private func contents(in folder: String) throws -> Int {
    var count = 0
    for first in try FileSystem.list(folder) where first != "tmp" {
      for second in try FileSystem.list("\(folder)/\(first)") {
        count += try FileSystem.list("\(folder)/\(first)/\(second)").count
      }
    }
    return count
  }

  @Test(
    "F07: a repair keeps the contents of all documents, whichever page is damaged",
    arguments: [false, true])
  func repair(_ isOverwritten: Bool) throws {
    let fixture = try storeWithDocuments()
    var lost = 0
    try forEachEmptiedPage(
      of: fixture, in: "ubiquity/ubiquity.sqlite", isOverwritten: isOverwritten
    ) { store, page in
      let folder = "\(store.path)/containers/\(fixture.container.text)/ubiquity"
      let isMended = try store.repair(for: fixture.request).allSatisfy(\.isMended)
      // A second repair finds nothing to remove either.
      _ = try store.repair(for: fixture.request)
      let kept = (try? FileSystem.list(folder + ".damaged-1/assets")) ?? []
      lost += kept.count
      #expect(try contents(in: folder + "/assets") + kept.count == Self.count, "page \(page)")
      let items = try documents(store, fixture).items()
      for item in items {
        #expect(try documents(store, fixture).open(item.path).files.count == 1, "page \(page)")
      }
      if isMended { #expect(items.count == Self.count, "page \(page)") }
    }
    #expect(lost > 0)
  }

  @Test(
    "F07: a repair that reports everything repaired has all records, zones and subscriptions",
    arguments: [false, true])
  func mended(_ isOverwritten: Bool) throws {
    let fixture = try CloudFixture()
    let whole = try fill(fixture)
    var mended = 0
    try forEachEmptiedPage(
      of: fixture, in: "development/records.sqlite", isOverwritten: isOverwritten
    ) { store, page in
      guard try store.repair(for: fixture.request).allSatisfy(\.isMended) else { return }
      mended += 1
      let database = try store.environment(
        fixture.container, .development, for: fixture.request.again()
      ).database(.private, as: Account("me"))
      let left = try counts(in: database)
      #expect(left == whole, "page \(page)")
    }
    #expect(mended > 0)
  }

  /// Saves records, zones and subscriptions; returns their numbers.
  private func fill(_ fixture: CloudFixture) throws -> [Int] {
    let database = try fixture.mine
    for number in 0..<Self.count {
      _ = try database.createZone(ZoneID("Z\(number)"))
      try database.save("r\(number)", "Note", [("n", .int64(Int64(number)))], zone: "Z\(number)")
      let subscription = Subscription(
        SubscriptionID(stored: "s\(number)"), .zone, in: .private, zone: try ZoneID("Z\(number)"))
      _ = try database.save(SubscriptionRequest(subscription, isNamed: true))
    }
    return try counts(in: database)
  }

  private func counts(in database: CloudDatabase) throws -> [Int] {
    let zones = try database.zones()
    return try [
      zones.count, zones.reduce(0) { $0 + $1.recordCount }, database.subscriptions().count,
    ]
  }

  @Test("F07: a mount removes no file whose document a damaged page hides")
  func mount() throws {
    let fixture = try storeWithDocuments()
    let folder = fixture.directory.path + "/mount"
    _ = try documents(fixture.store, fixture).mount(folder) { _, _ in }
    var refused = 0
    try forEachEmptiedPage(of: fixture, in: "ubiquity/ubiquity.sqlite") { store, page in
      do { _ = try documents(store, fixture).mount(folder) { _, _ in } } catch { refused += 1 }
      let left = try FileSystem.list("\(folder)/Documents").count
      #expect(left == Self.count, "page \(page)")
    }
    #expect(refused > 1)
  }

  @Test("F07: a repair after a lost log reports it, and keeps the contents that the log named")
  func lostLog() throws {
    let fixture = try storeWithDocuments()
    try fixture.store.checkpointKeysAndDocuments(of: fixture.container, for: fixture.request)
    let documents = try documents(fixture.store, fixture)
    for number in Self.count..<2 * Self.count {
      try documents.put(Array("contents \(number)".utf8), at: DocumentPath("Documents/\(number)"))
    }
    let folder = "\(fixture.store.path)/containers/\(fixture.container.text)/ubiquity"
    try FileSystem.remove(folder + "/ubiquity.sqlite-wal")
    let store = CloudStore(path: fixture.store.path)
    let isMended = try store.repair(for: fixture.request).allSatisfy(\.isMended)
    #expect(!isMended)
    #expect(try contents(in: folder + "/assets") == Self.count)
    #expect(try FileSystem.list(folder + ".damaged-1/assets").count == Self.count)
  }

  @Test("F07: gc removes no contents whose document a damaged page hides")
  func collectionOfDocuments() throws {
    let fixture = try storeWithDocuments()
    var refused = 0
    try forEachEmptiedPage(of: fixture, in: "ubiquity/ubiquity.sqlite") { store, page in
      do {
        _ = try store.collectDocumentContents(in: fixture.container, for: fixture.request)
      } catch { refused += 1 }
      let folder = "\(store.path)/containers/\(fixture.container.text)/ubiquity/assets"
      let left = try contents(in: folder)
      #expect(left == Self.count, "page \(page)")
    }
    #expect(refused > 0)
  }

  @Test("F07: gc removes no contents whose record a damaged page hides")
  func collection() throws {
    let fixture = try CloudFixture()
    for number in 0..<Self.count {
      let staged = try fixture.environment().stage(fixture.file("file", "contents \(number)"))
      let assignment = FieldAssignment(try FieldName("f"), .asset(staged.asset), staged: [staged])
      _ = try fixture.mine.save(
        SaveRequest(
          name: RecordName("r\(number)"), type: RecordType("Note"), assignments: [assignment]),
        in: .defaultZone)
    }
    var refused = 0
    try forEachEmptiedPage(of: fixture, in: "development/records.sqlite") { store, page in
      do {
        _ = try store.environment(fixture.container, .development, for: fixture.request.again())
          .collectAssets()
      } catch { refused += 1 }
      let folder = "\(store.path)/containers/\(fixture.container.text)/development/assets"
      let left = try contents(in: folder)
      #expect(left == Self.count, "page \(page)")
    }
    #expect(refused > 0)
  }
}
