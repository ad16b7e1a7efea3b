/// Change feeds: their cost must not grow with the zone.
struct Feeds {
  let bench: Workbench
  private var work: String { bench.work }

  private static let zone = ["-d", "private", "-z", "Feed"]

  /// The scenarios; call `prepare` first.
  var scenarios: [(name: String, make: () throws -> any Measurable)] {
    [("feed-none", nothing), ("feed-page", page), ("feed-all", everything), ("feed-save", save)]
  }

  /// Makes the stores `feed-large`, of three million records, and `feed-small`, of ten thousand,
  /// each with the indexes that its first page makes.
  func prepare() throws {
    for (store, count) in [("feed-small", 10_000), ("feed-large", 3_000_000)] {
      let lines = "\(work)/\(store).jsonl"
      try ChildProcess(
        [
          "awk", "-v", "count=\(count)",
          """
          BEGIN {
            for (i = 0; i < count; i++)
              printf "{\\"recordName\\":\\"r%07d\\",\\"n\\":%d,\\"title\\":\\"t%d\\"}\\n",
                i, i, i % 1000
          }
          """,
        ], output: lines
      ).run()
      try bench.makeStore(store)
      try bench.own(store, ["-d", "private", "zone", "create", "Feed"]).run()
      try bench.own(
        store, Self.zone + ["import", "Item", lines, "--name-field", "recordName", "-q"]
      ).run()
      // The other indexes, which the feed must not use.
      try bench.own(store, Self.zone + ["store", "index", "build", "Item", "n", "title"]).run()
      try bench.own(store, Self.zone + ["changes", "zone", "--limit", "1"]).run()
    }
  }

  private func changes(
    _ store: String, _ words: [String], to output: String? = nil
  ) -> ChildProcess {
    bench.own(store, Self.zone + ["changes", "zone"] + words, output: output)
  }

  /// The last token of a fetch.
  private func token(_ store: String, _ words: [String]) throws -> String {
    let output = "\(work)/changes.json"
    try changes(store, words, to: output).run()
    let end = TextFile.read(output).suffix(200)
    return end.split(separator: "\"token\":\"").last?.prefix { $0 != "\"" }.description ?? ""
  }

  private var rounds: Int { bench.isQuick ? 20 : 100 }

  /// A fetch with nothing new, against the fetch of a record.
  private func nothing() throws -> Scenario {
    let last = try token("feed-large", ["--fields", "n"])
    return Scenario(
      name: "feed-none", rival: bench.ckdb, must: 1.2, aim: 1.05, rounds: rounds,
      rivalRun: { _ in bench.own("feed-large", Self.zone + ["record", "fetch", "r0000500"]) },
      ownRun: { _ in changes("feed-large", ["--since", last]) })
  }

  /// A page of 200 from the middle of three million records, against one of ten thousand.
  private func page() throws -> Scenario {
    let (small, large) = (
      try token("feed-small", ["--limit", "5000"]), try token("feed-large", ["--limit", "5000"])
    )
    return Scenario(
      name: "feed-page", rival: bench.ckdb, must: 1.5, aim: 1.1, rounds: rounds,
      rivalRun: { _ in changes("feed-small", ["--since", small, "--limit", "200"]) },
      ownRun: { _ in changes("feed-large", ["--since", large, "--limit", "200"]) })
  }

  /// All pages of the zone, 10,000 changes each, against an export of it.
  private func everything() throws -> Scenario {
    let script = """
      token=
      while :; do
        '\(bench.ckdb)' --store '\(work)/feed-large' -d private -z Feed changes zone --limit 10000 \
          ${token:+--since "$token"} > '\(work)/page.json' || exit 1
        end=$(tail -c 200 '\(work)/page.json')
        token=${end##*'"token":"'} token=${token%%'"'*}
        case $end in *'"moreComing":false'*) exit 0;; esac
      done
      """
    return Scenario(
      name: "feed-all", rival: bench.ckdb, must: 2, aim: 1.5, rounds: 2,
      rivalRun: { _ in bench.own("feed-large", Self.zone + ["export"]) },
      ownRun: { _ in ChildProcess(["sh", "-c", script]) })
  }

  /// A save with the index of change tags, against one without it.
  private func save() throws -> Scenario {
    try ChildProcess(["cp", "-a", "\(work)/feed-small", "\(work)/feed-bare"]).run()
    try bench.own("feed-bare", ["store", "index", "drop", "Item", "recordChangeTag"]).run()
    let words = { (round: Int) in
      Self.zone + ["record", "save", "Item", "--name", "new\(round)", "n:=\(round)", "title=new"]
    }
    return Scenario(
      name: "feed-save", rival: bench.ckdb, must: 1.02, aim: 1.0,
      rounds: bench.isQuick ? 20 : 200, rivalRun: { bench.own("feed-bare", words($0)) },
      ownRun: { bench.own("feed-small", words($0)) })
  }
}
