/// The waits of test runs: loading fixtures and restoring snapshots.
extension Workbench {
  var fixtureScenarios: [Scenario] { [fixtureLoad, snapshotRestore] }

  /// The first 10,000 artworks as JSON Lines of a fixture, and the same rows for the rival.
  private func makeFixture() throws -> (own: String, rival: String) {
    let (own, rival) = ("\(work)/Artwork.jsonl", "\(work)/artworks-10k.jsonl")
    try ChildProcess(["head", "-n", "10000", collection.path], output: rival).run()
    try ChildProcess(["sed", "s/^{\"acno\":/{\"recordName\":/", rival], output: own).run()
    return (own, rival)
  }

  private var fixtureLoad: Scenario {
    Scenario(
      name: "fixture-load", rival: "sqlite-utils", must: 0.2, aim: 0.1, rounds: isQuick ? 2 : 7,
      rivalRun: { _ in
        let files = try makeFixture()
        try ChildProcess(["rm", "-f", "\(work)/utils10k.db"]).run()
        return ChildProcess([
          "sqlite-utils", "insert", "\(work)/utils10k.db", "Artwork", files.rival, "--nl",
          "--alter", "--pk", "acno",
        ])
      },
      ownRun: { _ in
        try makeStore("fixture")
        return own("fixture", ["fixture", "load", "\(work)/Artwork.jsonl", "-q"])
      })
  }

  private var snapshotRestore: Scenario {
    Scenario(
      name: "snapshot-restore", rival: "cp", must: 1.5, aim: 1.0, rounds: isQuick ? 10 : 50,
      rivalRun: { round in
        if round == 0 {
          let files = try makeFixture()
          try makeStore("fixture")
          try own("fixture", ["fixture", "load", files.own, "-q"]).run()
          try own("fixture", ["snapshot", "save", "seeded", "-q"]).run()
        }
        let folder = "\(work)/fixture/containers/iCloud.org.example.bench/development"
        return ChildProcess(["cp", "\(folder)/records.sqlite", "\(work)/copy.sqlite"])
      },
      ownRun: { _ in own("fixture", ["snapshot", "restore", "seeded", "-q"]) })
  }

  /// A fixture of many shares, for which the cost of each must not depend on their number. The
  /// scenarios by name; each prepares its needs when it is made.
  var sharesFixtureScenarios: [(name: String, make: () throws -> any Measurable)] {
    let count = isQuick ? 200 : 2000
    let file = "\(work)/shares.json"
    return [("fixture-shares", ["fixture", "load"]), ("fixture-diff", ["diff"])].map { name, verb in
      (
        name,
        {
          try makeShares(count, in: file)
          return Rate(
            name: name, count: count, must: 1000, aim: 3000, rounds: isQuick ? 1 : 5,
            run: own("shares", verb + [file, "-q"]))
        }
      )
    }
  }

  /// Makes a store of `count` accounts, zones and shares from a fixture.
  private func makeShares(_ count: Int, in file: String) throws {
    func members(_ text: (Int) -> String) -> String {
      (0..<count).map(text).joined(separator: ",")
    }
    TextFile.write(
      file,
      """
      {"container":"iCloud.org.example.bench",
      "users":{\(members { #""u\#($0)":{"email":"u\#($0)@example.org"}"# })},
      "databases":{"private":{"zones":{\(members { #""z\#($0)":{"records":[]}"# })}}},
      "shares":[\(members { #"{"zone":"z\#($0)","participants":{"u\#($0)":{}}}"# })]}
      """)
    try makeStore("shares")
    try own("shares", ["fixture", "load", file, "-q"]).run()
  }
}
