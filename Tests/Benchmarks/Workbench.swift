#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The stores, databases and files of the scenarios, and the scenarios themselves.
struct Workbench {
  let ckdb: String
  let work: String
  let data: String
  let isQuick: Bool
  let collection: Collection

  init(ckdb: String, work: String, data: String, isQuick: Bool) throws {
    self.ckdb = ckdb
    self.work = work
    self.data = data
    self.isQuick = isQuick
    collection = try Collection(in: work, from: data)
    TextFile.write("\(work)/import.sql", collection.sqliteScript)
    try makeStore("full")
    try own("full", importWords).run()
    try ChildProcess(["sqlite3", "\(work)/full.db"], input: "\(work)/import.sql").run()
    try own("full", ["record", "save", "Photo", "--name", "photo", "n:=1"]).run()
    try makeTypes(1, "one")
    try makeTypes(60, "sixty")
    try ChildProcess([
      "sqlite3", "\(work)/note.db",
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE Note(name TEXT PRIMARY KEY, title TEXT, body TEXT, count INTEGER) STRICT
      """,
    ]).run()
  }

  /// Prints the versions of the programs, and the data.
  func printHead() {
    for words in [
      [ckdb, "--version"], ["sqlite3", "--version"], ["sqlite-utils", "--version"],
      ["openssl", "version"],
    ] where Scenario.isInstalled(words[0]) {
      print("# \(words[0].split(separator: "/").last ?? ""): \(ChildProcess.text(words))")
    }
    print("# data: \(collection.origin)")
    print("# size of ckdb: \(size(of: ckdb)) MB of 15, 10")
    print("scenario          rival          rival ms   ckdb ms     ratio      must       aim")
  }

  /// The size of a file, in millions of bytes.
  private func size(of file: String) -> String {
    var status = stat()
    return stat(file, &status) == 0
      ? String(Scenario.number(Double(status.st_size) / 1e6).drop { $0 == " " }) : "?"
  }

  // MARK: Preparation

  /// A ckdb command on one of the stores.
  func own(
    _ store: String, _ words: [String], input: String? = nil, output: String? = nil
  ) -> ChildProcess {
    ChildProcess([ckdb, "--store", "\(work)/\(store)"] + words, input: input, output: output)
  }

  func makeStore(_ name: String) throws {
    try ChildProcess(["rm", "-rf", "\(work)/\(name)"]).run()
    try own(name, ["init"]).run()
    try own(name, ["container", "create", "iCloud.org.example.bench"]).run()
  }

  private func makeTypes(_ count: Int, _ store: String) throws {
    try makeStore(store)
    let lines = (0..<count).map { type in
      let fields = (0..<12).map { "\"field\($0)\":\"value \($0)\"" }.joined(separator: ",")
      return "{\"recordName\":\"r\(type)\",\"recordType\":\"Type\(type)\",\"fields\":{\(fields)}}"
    }
    TextFile.write("\(work)/types.jsonl", lines.joined(separator: "\n") + "\n")
    try own(store, ["import", "\(work)/types.jsonl"]).run()
  }

  var importWords: [String] {
    [
      "import", "Artwork", collection.path, "--name-field", "acno", "--reference", "artists",
      "-q",
    ]
  }

  private func removeDatabase(_ name: String) {
    for suffix in ["", "-wal", "-shm"] { unlink("\(work)/\(name)\(suffix)") }
  }

  // MARK: Scenarios

  var scenarios: [Scenario] {
    [
      fetch, fetchAmongTypes, version, save, bulk, bulkUtils, batchFetch, batchSave, export, list,
      put,
    ]
  }

  private var fetch: Scenario {
    let name = collection.names[collection.names.count / 2]
    let query = "SELECT * FROM Artwork WHERE acno = '\(name)'"
    return Scenario(
      name: "fetch", rival: "sqlite3", must: 0.9, aim: 0.7, rounds: isQuick ? 20 : 200,
      startsIn: work,
      rivalRun: { _ in ChildProcess(["sqlite3", "-json", "\(work)/full.db", query]) },
      ownRun: { _ in own("full", ["record", "fetch", name, "--json"]) })
  }

  private var fetchAmongTypes: Scenario {
    Scenario(
      name: "fetch-60-types", rival: ckdb, must: 1.5, aim: 1.2, rounds: isQuick ? 20 : 200,
      startsIn: work,
      rivalRun: { _ in own("one", ["record", "fetch", "r0", "--json"]) },
      ownRun: { _ in own("sixty", ["record", "fetch", "r0", "--json"]) })
  }

  private var version: Scenario {
    Scenario(
      name: "version", rival: "sqlite3", must: 0.6, aim: 0.45, rounds: isQuick ? 20 : 200,
      startsIn: work,
      rivalRun: { _ in ChildProcess(["sqlite3", "--version"]) },
      ownRun: { _ in ChildProcess([ckdb, "--version"]) })
  }

  private var save: Scenario {
    Scenario(
      name: "save", rival: "sqlite3", must: 0.75, aim: 0.65, rounds: isQuick ? 20 : 100,
      startsIn: work,
      rivalRun: { round in
        let values = "('n\(round)', 'title', 'body', \(round))"
        return ChildProcess([
          "sqlite3", "\(work)/note.db",
          "PRAGMA synchronous = FULL; INSERT INTO Note VALUES \(values)",
        ])
      },
      ownRun: { round in
        own(
          "full",
          [
            "record", "save", "Note", "--name", "n\(round)", "title=title", "body=body",
            "count:=\(round)",
          ])
      })
  }

  private var bulk: Scenario {
    Scenario(
      name: "import", rival: "sqlite3", must: 0.75, aim: 0.65, rounds: isQuick ? 3 : 7,
      rivalRun: { _ in
        removeDatabase("bulk.db")
        return ChildProcess(["sqlite3", "\(work)/bulk.db"], input: "\(work)/import.sql")
      },
      ownRun: { _ in
        try makeStore("bulk")
        return own("bulk", importWords)
      })
  }

  private var bulkUtils: Scenario {
    Scenario(
      name: "import-utils", rival: "sqlite-utils", must: 0.2, aim: 0.1, rounds: 1,
      rivalRun: { _ in
        removeDatabase("utils.db")
        return ChildProcess([
          "sqlite-utils", "insert", "\(work)/utils.db", "Artwork", collection.path, "--nl",
          "--alter", "--pk", "acno",
        ])
      },
      ownRun: { _ in
        try makeStore("bulk")
        return own("bulk", importWords)
      })
  }

  private var batchFetch: Scenario {
    let names = (0..<10_000).map { collection.names[$0 * 6 % collection.names.count] }
    return Scenario(
      name: "batch-fetch", rival: "sqlite3", must: 0.9, aim: 0.5, rounds: isQuick ? 3 : 7,
      rivalRun: { _ in
        TextFile.write(
          "\(work)/fetch.sql",
          names.map { "SELECT * FROM Artwork WHERE acno = '\($0)';\n" }.joined())
        return ChildProcess(["sqlite3", "-json", "\(work)/full.db"], input: "\(work)/fetch.sql")
      },
      ownRun: { _ in
        TextFile.write("\(work)/fetch.txt", names.map { "record fetch \($0) --json\n" }.joined())
        return own("full", [], input: "\(work)/fetch.txt")
      })
  }

  private var batchSave: Scenario {
    Scenario(
      name: "batch-save", rival: "sqlite3", must: 1.0, aim: 0.8, rounds: isQuick ? 2 : 9,
      rivalRun: { round in
        // New values in each round: SQLite does not write a page that stays the same.
        let lines = (0..<10_000).map { number in
          "INSERT INTO Note VALUES ('b\(number)', 'title', 'body', \(number + round * 7)) "
            + "ON CONFLICT(name) DO UPDATE SET title = excluded.title, count = excluded.count;\n"
        }
        TextFile.write("\(work)/save.sql", "PRAGMA synchronous = FULL;\n" + lines.joined())
        return ChildProcess(["sqlite3", "\(work)/note.db"], input: "\(work)/save.sql")
      },
      ownRun: { round in
        let lines = (0..<10_000).map { number in
          "record save Note --name b\(number) title=title body=body count:=\(number + round * 7) "
            + "--policy changed -q\n"
        }
        TextFile.write("\(work)/save.txt", lines.joined())
        return own("full", [], input: "\(work)/save.txt")
      })
  }

  private var export: Scenario {
    reading(
      "export", must: 0.55, aim: 0.4, "SELECT * FROM Artwork", ["export", "Artwork"])
  }

  private var list: Scenario {
    reading(
      "list", must: 2, aim: 1, "SELECT * FROM Artwork ORDER BY 1",
      ["record", "list", "Artwork", "-f", "jsonl"])
  }

  /// All records of a type as JSON.
  private func reading(
    _ name: String, must: Double, aim: Double, _ query: String, _ words: [String]
  ) -> Scenario {
    Scenario(
      name: name, rival: "sqlite3", must: must, aim: aim, rounds: isQuick ? 3 : 7,
      rivalRun: { _ in
        ChildProcess(
          ["sqlite3", "-json", "\(work)/full.db", query], output: "\(work)/\(name).json")
      },
      ownRun: { _ in own("full", words, output: "\(work)/\(name).jsonl") })
  }

  private var put: Scenario {
    let megabytes = isQuick ? 128 : 1024
    let file = "\(work)/contents"
    return Scenario(
      name: "asset-put", rival: "openssl", must: 1.4, aim: 1.1, rounds: 3,
      rivalRun: { _ in
        if access(file, F_OK) != 0 {
          try ChildProcess([
            "dd", "if=/dev/urandom", "of=\(file)", "bs=1048576", "count=\(megabytes)",
          ]).run()
          sync()
        }
        return ChildProcess(["openssl", "dgst", "-sha256", file])
      },
      ownRun: { round in
        // New contents each time, so that the store has none of them.
        let descriptor = open(file, O_WRONLY)
        var mark = UInt64(round + 1)
        _ = pwrite(descriptor, &mark, 8, 0)
        fsync(descriptor)
        close(descriptor)
        return own("full", ["asset", "put", "photo", "image", file])
      })
  }
}
