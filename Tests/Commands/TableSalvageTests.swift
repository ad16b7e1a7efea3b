internal import Basics
internal import CloudServices
internal import RemoteSupport
internal import SQLite
internal import TestSupport
internal import Testing

/// Every table of a store survives a repair: a table without rows here fails, so that a new table
/// comes with a way to fill it, and a table that a salvage forgets is empty afterwards.
@Suite struct TableSalvageTests {
  /// The databases of the store, each with the table whose damaged row makes a salvage necessary.
  enum Database: String, CaseIterable {
    case records = "development/records.sqlite"
    case ubiquity = "ubiquity/ubiquity.sqlite"

    var description: DatabaseDescription {
      switch self {
      case .records: .records
      case .ubiquity: .ubiquity
      }
    }

    /// A table that no other one depends on.
    var independentTable: String {
      switch self {
      case .records: "_role"
      case .ubiquity: "_exclusion"
      }
    }

    /// The tables that a salvage that lost a row makes anew: `doctor --deep` checks these.
    var rebuilt: [String] {
      switch self {
      case .records: ["_state", "_incarnation", "_cover"]
      case .ubiquity: ["_state", "_sum"]
      }
    }
  }

  @Test("a salvage keeps the rows of every table", arguments: Database.allCases)
  func salvage(_ database: Database) throws {
    let fixture = try Self.filled()
    let lost = database.independentTable
    let before = try Self.tables(of: database, in: fixture.store(".ckdb"))
    for (table, rows) in before { #expect(!rows.isEmpty, "fill \(table) in `filled`") }
    try Self.damage(lost, of: database, in: fixture.store(".ckdb"))
    #expect(try fixture.run("doctor --repair").code == 78)
    #expect(try fixture.run("doctor --deep").code == 0)
    let after = try Self.tables(of: database, in: fixture.store(".ckdb"))
    for (table, rows) in before where table != lost && !database.rebuilt.contains(table) {
      #expect(after[table] == rows, "\(table)")
    }
    #expect(after[lost] == Array(before[lost]?.dropFirst() ?? []))
  }

  @Test("a damaged row of any sealed table is found, and lost alone", arguments: Database.allCases)
  func anyRow(_ database: Database) throws {
    let fixture = try Self.filled()
    for table in database.description.tables where table.columns.contains("seal") {
      let copy = "copy-\(table.name)"
      #expect(try fixture.run("store backup \(copy)").code == 0)
      let before = try Self.tables(of: database, in: fixture.store(copy))
      try Self.damage(table.name, of: database, in: fixture.store(copy))
      #expect(try fixture.run("doctor --store \(copy)").code != 0, "\(table.name)")
      _ = try fixture.run("doctor --repair --store \(copy)")
      #expect(try fixture.run("doctor --deep --store \(copy)").code == 0, "\(table.name)")
      let after = try Self.tables(of: database, in: fixture.store(copy))
      let kept = Set(after[table.name] ?? [])
      let others = (before[table.name] ?? []).dropFirst()
      if !database.rebuilt.contains(table.name) {
        #expect(kept.isSuperset(of: others), "\(table.name)")
      }
    }
  }

  // MARK: The store

  /// A store with rows in every table.
  private static func filled() throws -> CommandFixture {
    let fixture = try CommandFixture(entering: true)
    _ = try fixture.file("hello.txt", "hello")
    _ = try fixture.file("pack.bundle/inner.txt", "inner")
    _ = try fixture.file(
      "roles.ckdb",
      "DEFINE SCHEMA\nCREATE ROLE Editor;\nCREATE ROLE Reader;\nRECORD TYPE Doc ( file ASSET );\n")
    let lines = records + documents
    for line in lines.split(separator: "\n") where !line.hasPrefix("#") {
      let outcome = try fixture.run("\(line)")
      #expect(outcome.code == 0, "\(line): \(outcome.errors)")
    }
    for root in ["shop", "list"] {
      _ = try fixture.run("share create \(root) --with bob@example.org:write -z Lists -u ann")
      let url = try fixture.run("share url \(root) -z Lists -u ann").output.dropLast()
      #expect(try fixture.run("share accept \(url) -u bob").code == 0)
    }
    #expect(
      try fixture.run("record save Item --name milk --policy changed --parent list -z Lists -u ann")
        .code == 0)
    #expect(try fixture.run("notification badge 0 -u ann").code == 0)
    try pull(into: fixture)
    return fixture
  }

  /// Pulls records and assets, two of each.
  private static func pull(into fixture: CommandFixture) throws {
    let remote = MemoryRemote()
    for number in 1...2 {
      let checksum = "AQ\(number)"
      remote.files[checksum] = Array("contents \(number)".utf8)
      remote.put(
        "r\(number)", in: "Pulled\(number)",
        (
          "file",
          .object([.init("fileChecksum", .string(checksum)), .init("size", .int(10))]), "ASSETID"
        ))
    }
    fixture.transport = remote
    _ = try fixture.file("token", "t")
    for (name, user) in [("one", "ann"), ("two", "bob")] {
      let add =
        "remote add \(name) --url https://\(name).example -C iCloud.org.example.app "
        + "--api-token-file token --web-auth-token-file token"
      #expect(try fixture.run(add).code == 0)
      let outcome = try fixture.run("pull \(name) -d private -u \(user)")
      #expect(outcome.code == 0, "\(outcome.errors)")
    }
  }

  private static let records = """
    init
    container create iCloud.org.example.app
    account create ann --email ann@example.org
    account create bob --email bob@example.org
    schema import roles.ckdb
    record save Doc --name doc file@hello.txt -u ann
    subscription create database --id all -u ann
    subscription create query Doc --id docs -u ann
    subscription create query Doc --id new --on create -u ann
    zone create Lists -u ann
    zone create Old -u ann
    zone delete Old -u ann --yes
    record save List --name shop title=Shop -z Lists -u ann
    record save List --name list title=List -z Lists -u ann
    record save Item --name milk title=Milk --parent shop -z Lists -u ann
    record save Item --name last title=Last -z Lists -u ann --device pad
    record delete last -z Lists -u ann --yes
    """

  private static let documents = """

    kvs set a=1 --device phone
    kvs sync --device phone
    kvs sync --device pad
    document put hello.txt Documents/one.txt --device phone
    document put hello.txt Documents/two.txt --device phone
    document put pack.bundle --device phone
    document sync --device phone
    document sync --device pad
    document download Documents/one.txt --device pad
    document exclude Documents/one.txt --device phone
    document exclude Documents/two.txt --device phone
    # Both devices edit a document, and one of them decides before it synchronizes.
    document edit Documents/one.txt --append phone --device phone
    document edit Documents/one.txt --append pad --device pad
    document sync --device phone
    document sync --device pad
    document resolve Documents/one.txt --keep newest --device pad
    # Another program saves a document that is open.
    document open Documents/two.txt --device phone
    document put roles.ckdb Documents/two.txt --device phone
    document change Documents/two.txt --set-text mine --device phone
    document save Documents/two.txt --device phone
    document mount mounted --device phone
    """

  // MARK: Rows

  /// The rows of each table, in the order of their values.
  private static func tables(
    of database: Database, in store: String
  ) throws -> [String: [String]] {
    let connection = try Connection(path: path(of: database, in: store), mode: .readOnly)
    return try database.description.tables.reduce(into: [:]) { found, table in
      let row = table.columns.map { "quote(\($0))" }.joined(separator: " || ' ' || ")
      let rows = try connection.statement("SELECT \(row) AS line FROM \(table.name) ORDER BY line")
      while try rows.step() { found[table.name, default: []].append(rows.text(0)) }
    }
  }

  /// Changes the seal of the first row of a table, in the order of `tables`.
  private static func damage(_ table: String, of database: Database, in store: String) throws {
    let columns = database.description.tables.first { $0.name == table }?.columns ?? []
    let row = columns.map { "quote(\($0))" }.joined(separator: " || ' ' || ")
    let connection = try Connection(path: path(of: database, in: store), mode: .readWrite)
    try connection.execute(
      "UPDATE \(table) SET seal = seal + 1 WHERE \(row) = (SELECT min(\(row)) FROM \(table))")
  }

  private static func path(of database: Database, in store: String) -> String {
    "\(store)/containers/iCloud.org.example.app/\(database.rawValue)"
  }
}

extension CommandFixture {
  fileprivate func store(_ name: String) -> String { "\(directory.path)/\(name)" }
}
