#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A store with a million cities, and a database made by hand with the same rows and indexes.
struct Million {
  let bench: Workbench
  private var work: String { bench.work }
  private var lines: String { "\(work)/million.jsonl" }
  var database: String { "\(work)/million.db" }

  private static let circle =
    "distanceToLocation:fromLocation:(place, location(51.5, -0.12)) < 100000"
  private static let indexed = ["country", "name", "place", "population", "rank", "tags"]

  /// Makes the stores `million` and `tenth` (its first 100,000 cities), with all indexes.
  func prepare() throws {
    try Cities.write(1_000_000, to: lines, from: bench.data)
    try ChildProcess(["head", "-n", "100000", lines], output: "\(work)/tenth.jsonl").run()
    for (store, file) in [("million", lines), ("tenth", "\(work)/tenth.jsonl")] {
      try bench.makeStore(store)
      try bench.own(store, Self.importWords(file)).run()
      try bench.own(store, ["store", "index", "build", "City"] + Self.indexed).run()
      try bench.own(store, ["query", "City", "self CONTAINS 'London'"]).run()
    }
    TextFile.write("\(work)/million.sql", script(into: "City") + Self.indexes)
    try ChildProcess(["sqlite3", database], input: "\(work)/million.sql").run()
  }

  private static func importWords(_ file: String) -> [String] {
    [
      "import", "City", file, "--name-field", "geonameid", "--location",
      "place=latitude,longitude", "-q",
    ]
  }

  /// A script of the sqlite3 shell that reads the lines into a typed table.
  private func script(into table: String) -> String {
    let columns = Cities.columns.map {
      "\($0.name) \($0.type)\($0.name == "geonameid" ? " PRIMARY KEY" : "")"
    }
    .joined(separator: ", ")
    let values = Cities.columns.map { "json_extract(line, '\($0.value)')" }
      .joined(separator: ", ")
    return """
      .mode ascii
      .separator "\\001" "\\n"
      PRAGMA journal_mode = WAL;
      CREATE TABLE \(table)(\(columns)) STRICT;
      CREATE TEMP TABLE raw(line TEXT);
      .import \(lines) raw
      INSERT INTO \(table) SELECT \(values) FROM raw;

      """
  }

  private static let indexes = """
    CREATE INDEX City_country ON City(country);
    CREATE INDEX City_name ON City(name);
    CREATE INDEX City_place ON City(latitude, longitude);
    CREATE INDEX City_population ON City(population);
    CREATE INDEX City_rank ON City(rank);
    CREATE TABLE City_tags(value TEXT, city INTEGER, PRIMARY KEY(value, city)) WITHOUT ROWID;
    INSERT OR IGNORE INTO City_tags SELECT m.value, c.rowid FROM City c, json_each(c.tags) m;
    CREATE VIRTUAL TABLE City_words USING fts5(name, country, timezone, tags, content='',
      detail=none, tokenize='unicode61 remove_diacritics 2');
    INSERT INTO City_words(rowid, name, country, timezone, tags)
      SELECT rowid, name, country, timezone, tags FROM City;
    PRAGMA wal_checkpoint(TRUNCATE);

    """

  // MARK: Scenarios

  /// The scenarios by name; each prepares its own needs when it is made.
  var scenarios: [(name: String, make: () throws -> any Measurable)] {
    questions.map { question in (question.name, { question }) } + [
      ("1M-circle", { circle }), ("1M-last-page", lastPage), ("1M-to-100k", { tenfold }),
      ("1M-first-index", firstIndex),
      ("1M-like", { scan("name LIKE[cd] '*lon*don*'", must: 500_000, aim: 1_500_000) }),
      ("1M-matches", { scan("name MATCHES[cd] '.*lon.*don.*'", must: 150_000, aim: 500_000) }),
      ("1M-save", save), ("1M-import", { bulk }), ("1M-cascade", cascade),
      ("1M-all", { everything }), ("1M-complete-name", completeName),
      ("1M-complete-value", completeValue), ("1M-complete-scan", completeScan),
    ]
  }

  private var questions: [Scenario] {
    [
      question("1M-equality", "country == 'GB'", [], "country = 'GB'"),
      question(
        "1M-range", "population > 1000000", ["--sort", "population"],
        "population > 1000000 ORDER BY population"),
      question(
        "1M-prefix", "name BEGINSWITH 'Lon'", [], "name >= 'Lon' AND name < 'Loo'"),
      question(
        "1M-list", "tags CONTAINS 'GB'", [],
        "rowid IN (SELECT city FROM City_tags WHERE value = 'GB')"),
      question(
        "1M-token", "self CONTAINS 'san'", [],
        "rowid IN (SELECT rowid FROM City_words WHERE City_words MATCH 'san')"),
      question(
        "1M-two-conditions", "country == 'GB' AND population > 100000", ["--sort", "name"],
        "country = 'GB' AND population > 100000 ORDER BY name", by: "population"),
      question(
        "1M-other-sort", "population > 20000000", ["--sort", "-rank"],
        "population > 20000000 ORDER BY rank DESC", by: "population"),
      question(
        "1M-sort-walked", "population > 0", ["--sort", "-rank"],
        "population > 0 ORDER BY rank DESC", by: "rank"),
    ]
  }

  /// The first page of a query, against the same query by hand.
  private func question(
    _ name: String, _ predicate: String, _ options: [String], _ condition: String,
    by index: String? = nil, must: Double = 1.0, aim: Double = 0.8
  ) -> Scenario {
    let source = "City" + (index.map { " INDEXED BY City_\($0)" } ?? "")
    let sql = "SELECT * FROM \(source) WHERE \(condition) LIMIT 200"
    return Scenario(
      name: name, rival: "sqlite3", must: must, aim: aim, rounds: bench.isQuick ? 20 : 100,
      startsIn: work,
      rivalRun: { _ in ChildProcess(["sqlite3", "-json", database, sql]) },
      ownRun: { _ in page(predicate, options) })
  }

  private func page(
    _ predicate: String, _ options: [String] = [], of store: String = "million"
  ) -> ChildProcess {
    bench.own(
      store, ["query", "City", predicate, "--limit", "200", "--json", "-q"] + options)
  }

  private var circle: Scenario {
    Scenario(
      name: "1M-circle", rival: bench.ckdb, must: 3, aim: 1.5, rounds: bench.isQuick ? 20 : 100,
      rivalRun: { _ in page("country == 'GB'") },
      ownRun: { _ in page(Self.circle, ["--near", "place=51.5,-0.12"]) })
  }

  private func lastPage() throws -> Scenario {
    let cursor = "\(work)/cursor.txt"
    try ChildProcess([
      "sh", "-c",
      """
      '\(bench.ckdb)' --store '\(work)/million' query City --sort name --limit 999800 \
      --fields recordName -f raw 2>'\(cursor)' >/dev/null
      """,
    ]).run()
    let text = TextFile.read(cursor).split(separator: " ").last.map { $0.dropLast() } ?? ""
    return Scenario(
      name: "1M-last-page", rival: bench.ckdb, must: 1.3, aim: 1.1,
      rounds: bench.isQuick ? 20 : 100,
      rivalRun: { _ in page("TRUEPREDICATE", ["--sort", "name"]) },
      ownRun: { _ in
        bench.own(
          "million", ["query", "--cursor", String(text), "--limit", "200", "--json", "-q"])
      })
  }

  /// Selective queries, with ten times as many records.
  private var tenfold: Scenario {
    let questions = [
      "rank == 7919", "name == 'London'", "population BETWEEN {5000000, 5010000}",
      "self CONTAINS 'Londonderry'", "name == 'London' AND tags CONTAINS 'GB'",
    ]
    TextFile.write(
      "\(work)/selective.txt",
      questions.map { "query City \"\($0)\" --limit 200 --json -q\n" }.joined())
    return Scenario(
      name: "1M-to-100k", rival: bench.ckdb, must: 1.5, aim: 1.2,
      rounds: bench.isQuick ? 20 : 100,
      rivalRun: { _ in bench.own("tenth", [], input: "\(work)/selective.txt") },
      ownRun: { _ in bench.own("million", [], input: "\(work)/selective.txt") })
  }

  /// The first query that needs an index, against the same index made by hand on a copy of the
  /// store's file.
  private func firstIndex() throws -> Scenario {
    let equal = "\(work)/equal.db"
    try ChildProcess(["cp", file(of: "million"), equal]).run()
    return Scenario(
      name: "1M-first-index", rival: "sqlite3", must: 1.5, aim: 1.1, rounds: 5,
      rivalRun: { _ in
        try ChildProcess(["sqlite3", equal, "DROP INDEX IF EXISTS \"_index_City.rank\""]).run()
        return ChildProcess(
          ["sqlite3", equal, "CREATE INDEX \"_index_City.rank\" ON City(_zone, rank)"])
      },
      ownRun: { _ in
        try bench.own("million", ["store", "index", "drop", "City", "rank"]).run()
        return page("rank < 100")
      })
  }

  /// The file with a store's records.
  private func file(of store: String) -> String {
    "\(work)/\(store)/containers/iCloud.org.example.bench/development/records.sqlite"
  }

  private func scan(_ predicate: String, must: Double, aim: Double) -> Rate {
    Rate(
      name: predicate.contains("LIKE") ? "1M-like" : "1M-matches", count: 1_000_000, must: must,
      aim: aim, rounds: 5,
      run: bench.own("million", ["query", "City", predicate, "--count", "-q"]))
  }

  private var everything: Rate {
    Rate(
      name: "1M-all", count: 1_000_000, must: 100_000, aim: 300_000, rounds: 2,
      mostMegabytes: 50,
      run: bench.own("million", ["query", "City", "--all", "--json", "-q"]))
  }

  /// A save with all kinds of indexes, against one without.
  private func save() throws -> Scenario {
    let words = { (round: Int) in
      [
        "record", "save", "City", "--name", "new\(round)", "name=Newtown", "country=GB",
        "population:=\(round)", "timezone=Europe/London", "rank:=\(round)",
        "place:location=51.5,-0.\(round)", "tags:=[\"GB\", \"Europe\"]",
      ]
    }
    try copy("million", to: "bare")
    try bench.own("bare", ["store", "index", "drop"]).run()
    return Scenario(
      name: "1M-save", rival: bench.ckdb, must: 3, aim: 2, rounds: bench.isQuick ? 20 : 50,
      rivalRun: { bench.own("bare", words($0)) }, ownRun: { bench.own("million", words($0)) })
  }

  private func copy(_ store: String, to other: String) throws {
    try ChildProcess(["rm", "-rf", "\(work)/\(other)"]).run()
    try ChildProcess(["cp", "-a", "\(work)/\(store)", "\(work)/\(other)"]).run()
  }

  private var bulk: Scenario {
    TextFile.write("\(work)/million-import.sql", script(into: "City"))
    return Scenario(
      name: "1M-import", rival: "sqlite3", must: 1.0, aim: 0.6, rounds: 2,
      rivalRun: { _ in
        for suffix in ["", "-wal", "-shm"] { unlink("\(work)/cities.db\(suffix)") }
        return ChildProcess(
          ["sqlite3", "\(work)/cities.db"], input: "\(work)/million-import.sql")
      },
      ownRun: { _ in
        try bench.makeStore("cities")
        return bench.own("cities", Self.importWords(lines))
      })
  }

  /// Deletes a record on which 100,000 others depend: 400 groups refer to it, and 250 members to
  /// each (750 is the limit, R5.14). By hand, only the members are deleted, from a copy of the
  /// store's file, with an index of their references.
  private func cascade() throws -> Scenario {
    let words = "\(work)/members.jsonl"
    try ChildProcess(
      [
        "awk",
        """
        function record(name, type, number, owner) {
          printf "{\\"recordName\\":\\"%s\\",\\"recordType\\":\\"%s\\",", name, type
          printf "\\"fields\\":{\\"n\\":%d,\\"title\\":\\"number %d\\"", number, number
          if (owner != "")
            printf ",\\"owner\\":{\\"recordName\\":\\"%s\\",\\"action\\":\\"DELETE_SELF\\"}", owner
          print "}}"
        }
        BEGIN {
          record("club", "Club", 0, "")
          for (i = 0; i < 400; i++) record("g" i, "Group", i, "club")
          for (i = 0; i < 1000000; i++) record("m" i, "Member", i, i % 10 ? "" : "g" (i / 10) % 400)
        }
        """,
      ], output: words
    ).run()
    try bench.makeStore("clubs")
    try bench.own("clubs", ["import", words, "-q"]).run()
    try ChildProcess(["cp", file(of: "clubs"), "\(work)/clubs.db"]).run()
    try ChildProcess([
      "sqlite3", "\(work)/clubs.db",
      "CREATE INDEX Member_owner ON Member(owner); PRAGMA wal_checkpoint(TRUNCATE)",
    ]).run()
    return Scenario(
      name: "1M-cascade", rival: "sqlite3", must: 1.6, aim: 1.3, rounds: 5,
      rivalRun: { _ in
        try ChildProcess(["cp", "\(work)/clubs.db", "\(work)/gone.db"]).run()
        return ChildProcess(
          ["sqlite3", "\(work)/gone.db", "DELETE FROM Member WHERE owner IS NOT NULL"])
      },
      ownRun: { _ in
        try copy("clubs", to: "gone")
        return bench.own("gone", ["record", "delete", "club", "--yes"])
      })
  }
}
