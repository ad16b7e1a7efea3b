/// Sharing: its cost must depend on the shared records, not on those beside them.
struct Shares {
  let bench: Workbench
  private var work: String { bench.work }

  /// The scenarios by name; each prepares its needs when it is made.
  var scenarios: [(name: String, make: () throws -> any Measurable)] {
    [
      ("share-query", { try query(isScattered: false) }),
      ("share-query-far", { try query(isScattered: true) }), ("share-root", root),
      ("share-save", { try save(withParent: true) }),
      ("share-save-root", { try save(withParent: false) }), ("share-changes", changes),
    ]
  }

  private var rounds: Int { bench.isQuick ? 20 : 100 }

  // MARK: Stores

  /// Makes a store of `count` items in the zone Lists, of which `shared` are below the record
  /// `list`: the first ones, or spread as far apart as possible.
  private func makeLists(
    _ store: String, count: Int, shared: Int, isScattered: Bool = false
  ) throws {
    let lines = "\(work)/\(store).jsonl"
    let isShared = isScattered ? "i % \(count / max(1, shared)) == 0" : "i < \(shared)"
    try ChildProcess(
      [
        "awk",
        """
        BEGIN {
          print "{\\"recordName\\":\\"list\\",\\"recordType\\":\\"List\\",\\"fields\\":{}}"
          for (i = 0; i < \(count); i++)
            printf "{\\"recordName\\":\\"r%07d\\",\\"recordType\\":\\"Item\\",%s" \\
              "\\"fields\\":{\\"n\\":%d,\\"title\\":\\"title %d\\"}}\\n",
              i, \(isShared) ? "\\"parent\\":\\"list\\"," : "", i, i % 1000
        }
        """,
      ], output: lines
    ).run()
    try bench.makeStore(store)
    try own(store, ["zone", "create", "Lists"]).run()
    try own(store, ["-z", "Lists", "import", lines, "-q"]).run()
  }

  private func own(_ store: String, _ words: [String], output: String? = nil) -> ChildProcess {
    bench.own(store, words, output: output)
  }

  /// Shares a root with bob, who accepts.
  private func share(_ root: String, _ zone: String, _ store: String) throws {
    let url = "\(work)/url"
    try own(
      store, ["share", "create", root, "-z", zone, "--with", "bob:write", "-q"], output: url
    ).run()
    let text = TextFile.read(url).split(separator: "\n").first.map(String.init) ?? ""
    try own(store, ["share", "accept", text, "-u", "bob", "-q"]).run()
  }

  // MARK: Scenarios

  /// A query of all shared records, a thousand of a million, against the same query of a private
  /// database with no others.
  private func query(isScattered: Bool) throws -> Scenario {
    let store = isScattered ? "share-far" : "share-near"
    try makeLists(store, count: 1_000_000, shared: 1000, isScattered: isScattered)
    try share("list", "Lists", store)
    try makeLists("share-small", count: 1000, shared: 1000)
    let words = ["query", "Item", "title BEGINSWITH 'title'", "--all", "--jsonl"]
    return Scenario(
      name: isScattered ? "share-query-far" : "share-query", rival: bench.ckdb, must: 1.3,
      aim: 1.1, rounds: rounds, startsIn: work,
      rivalRun: { _ in own("share-small", ["-z", "Lists"] + words, output: "/dev/null") },
      ownRun: { _ in
        own(store, ["-d", "shared", "-z", "Lists", "-u", "bob"] + words, output: "/dev/null")
      })
  }

  /// Sharing a root with 100,000 descendants, against an UPDATE of as many rows.
  private func root() throws -> Scenario {
    try makeLists("share-tree", count: 100_000, shared: 100_000)
    let database = "\(work)/share-tree.db"
    let script = "\(work)/share-tree.sql"
    TextFile.write(
      script,
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE Item(name TEXT PRIMARY KEY, share INTEGER, parent TEXT, n INTEGER,
        title TEXT);
      WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 99999)
        INSERT INTO Item SELECT printf('r%07d', n), NULL, 'list', n, 'title ' || n FROM i;
      PRAGMA wal_checkpoint(TRUNCATE);
      """)
    try ChildProcess(["sqlite3", database], input: script).run()
    return Scenario(
      name: "share-root", rival: "sqlite3", must: 2, aim: 1.5, rounds: bench.isQuick ? 3 : 9,
      rivalRun: { round in
        ChildProcess([
          "sqlite3", database, "PRAGMA synchronous = FULL; UPDATE Item SET share = \(round)",
        ])
      },
      ownRun: { round in
        let words = ["list", "-z", "Lists", "-q"]
        if round > 0 { try own("share-tree", ["share", "stop"] + words).run() }
        return own("share-tree", ["share", "create"] + words)
      })
  }

  /// A save in a zone with a thousand shares, against one without.
  private func save(withParent: Bool) throws -> Scenario {
    for (store, count) in [("share-none", 0), ("share-thousand", 1000)] {
      try makeLists(store, count: 1000, shared: 0)
      let commands = (0..<count).map { number in
        let name = String(repeating: "0", count: 7 - "\(number)".count) + "\(number)"
        return "share create r\(name) -z Lists --with bob -q\n"
      }
      TextFile.write("\(work)/commands", commands.joined())
      try own(store, ["run", "\(work)/commands"], output: "/dev/null").run()
    }
    func words(_ round: Int) -> [String] {
      let parent = withParent ? ["--parent", "r0000500"] : []
      return ["-z", "Lists", "record", "save", "Item", "--name", "n\(round)", "n:=1"] + parent
    }
    return Scenario(
      name: withParent ? "share-save" : "share-save-root", rival: bench.ckdb, must: 1.05, aim: 1,
      rounds: rounds * 3, startsIn: work,
      rivalRun: { own("share-none", words($0)) }, ownRun: { own("share-thousand", words($0)) })
  }

  /// The changes of a shared database of a thousand zones, against one of ten.
  private func changes() throws -> Scenario {
    for (store, count) in [("share-ten", 10), ("share-zones", 1000)] {
      try bench.makeStore(store)
      var commands = ""
      for number in 0..<count {
        commands += """
          zone create Z\(number) -q
          record save List --name list -z Z\(number) -q
          share create list -z Z\(number) --public write -q

          """
      }
      TextFile.write("\(work)/commands", commands)
      try own(store, ["run", "\(work)/commands"], output: "\(work)/urls").run()
      let urls = TextFile.read("\(work)/urls").split(separator: "\n").map(String.init)
      try own(store, ["-u", "bob", "share", "accept", "-q"] + urls).run()
    }
    func words(_ store: String) -> ChildProcess {
      own(store, ["-d", "shared", "-u", "bob", "changes"], output: "/dev/null")
    }
    return Scenario(
      name: "share-changes", rival: bench.ckdb, must: 2, aim: 1.5, rounds: rounds, startsIn: work,
      rivalRun: { _ in words("share-ten") }, ownRun: { _ in words("share-zones") })
  }
}
