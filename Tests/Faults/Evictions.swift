internal import Basics
internal import Glibc

/// Many `exec` at once with more fixtures than the cache keeps: it evicts stores that others are
/// copying, and each command still finds its whole fixture (M7.3).
enum Evictions {
  static let experiment = Experiment(name: "exec-cache", run: run)

  private static let (workers, each, fixtures) = (8, 100, 24)

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let wanted = try (0..<fixtures).map { try makeFixture($0, laboratory) }
    let failures = Locked<[String]>([])
    let (program, work) = (laboratory.ckdb, laboratory.work)
    // A delay after each opening of a file makes copies meet evictions.
    let variables = [
      "XDG_CACHE_HOME": "\(work)/cache", "TMPDIR": work, "PATH": "/usr/bin:/bin",
      "LD_PRELOAD": laboratory.shim, "FAULT_PATH": "\(work)/cache", "FAULT_DELAY": "200",
    ]
    Writers.together { worker in
      var random = SplitMix64(state: UInt64(worker))
      for _ in 0..<each {
        let number = Int(random.next() % UInt64(fixtures))
        do {
          let found = try answer(program, number, work, variables, worker)
          if found != wanted[number] {
            failures.withLock { $0.append("fixture \(number): \(found.prefix(300))") }
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
    }
    let wrong = Writers.report(failures, findings)
    let kept = try FileSystem.list("\(work)/cache/ckdb/fixtures").count
    return "\(workers) × \(each) commands with \(fixtures) fixtures: \(wrong) wrong, \(kept) kept"
  }

  /// Writes a fixture with an asset; returns the expected output of its command.
  private static func makeFixture(_ number: Int, _ laboratory: Laboratory) throws -> String {
    let contents = "contents of asset \(number)\n"
    _ = try laboratory.file("asset-\(number)", Array(contents.utf8))
    let record =
      #"{"recordName":"b","recordType":"Book","n":\#(number),"file":{"file":"asset-\#(number)"}}"#
    _ = try laboratory.file("fixture-\(number).jsonl", Array((record + "\n").utf8))
    return "\(number)\n\(contents)"
  }

  private static func answer(
    _ program: String, _ number: Int, _ work: String, _ variables: [String: String], _ worker: Int
  ) throws -> String {
    let path = "\(work)/answer-\(worker)"
    let output = try FileHandle(open: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    let end = try Child(
      [
        program, "exec", "--fixture", "\(work)/fixture-\(number).jsonl", "--keep", "never", "--",
        "/bin/sh", "-c",
        "ckdb record fetch b --fields n -f raw && ckdb asset get b file -o - && ckdb doctor -q --deep >&2",
      ], variables
    ).run(output: output.descriptor)
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    return end.code == 0 ? text : "exit \(end.code): \(end.errors)"
  }
}
