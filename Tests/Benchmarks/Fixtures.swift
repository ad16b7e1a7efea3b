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
}
