/// Completing words, against git listing the branches with a prefix, of 10,000.
extension Million {
  func completeName() throws -> Scenario {
    try completion("1M-complete-name", ["record", "fetch", "26437"])
  }

  /// Completes a text with an index.
  func completeValue() throws -> Scenario {
    try completion("1M-complete-value", ["query", "City", "name == 'Lond"])
  }

  /// Completes a text without an index, within the time that a user waits.
  func completeScan() throws -> Scenario {
    try completion("1M-complete-scan", ["query", "City", "timezone == 'Europe/L"])
  }

  private func completion(_ name: String, _ words: [String]) throws -> Scenario {
    let repository = "\(bench.work)/branches"
    try ChildProcess([
      "sh", "-c",
      """
      rm -rf '\(repository)' && git init -q '\(repository)' && cd '\(repository)' &&
      git -c user.name=a -c user.email=a commit -q --allow-empty -m one &&
      seq 10000 | sed "s|.*|create refs/heads/branch-& $(git rev-parse HEAD)|" |
      git update-ref --stdin && git pack-refs --all
      """,
    ]).run()
    return Scenario(
      name: name, rival: "git", must: 1.0, aim: 0.8, rounds: bench.isQuick ? 20 : 100,
      startsIn: bench.work,
      rivalRun: { _ in
        ChildProcess([
          "git", "-C", repository, "for-each-ref", "--format=%(refname:strip=2)",
          "refs/heads/branch-99*",
        ])
      },
      ownRun: { _ in bench.own("million", ["__complete", "--"] + words) })
  }
}
