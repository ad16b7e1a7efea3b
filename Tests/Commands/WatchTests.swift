internal import Basics
internal import TestSupport
internal import Testing

/// `notification watch` in a separate process: it neither loses nor repeats what other processes do
/// (cli.md §10).
@Suite struct WatchTests {
  /// A store with a subscription to the type Note.
  private func subscribed() throws -> RealProgram {
    let program = try RealProgram()
    let made = try program.shell(
      """
      ckdb init -q && ckdb container create iCloud.org.example.app -q \
      && ckdb zone create Notes -q \
      && ckdb record save Note --name first n:=0 -z Notes -q \
      && ckdb subscription create query Note --on create --desired-keys n -q
      """)
    try #require(made.code == 0, "\(made.errors)")
    return program
  }

  /// Lines of the prompt that save notes numbered by a range.
  private func saves(_ range: ClosedRange<Int>, _ prefix: String) -> String {
    range.map { number in
      "record save Note --name \(prefix)\(number) n:=\(number) -z Notes --device phone -q\n"
    }.joined()
  }

  @Test("a watcher sees all saves of another process, in order")
  func order() throws {
    let (program, count) = (try subscribed(), 2000)
    try program.file("saves", saves(1...count, "n"))
    let seen = try program.shell(
      """
      true
      ckdb notification watch --since 0 --count \(count) --timeout 120 > seen & watcher=$!
      ckdb run saves && wait $watcher && cat seen
      """)
    #expect(seen.code == 0, "\(seen.errors)")
    #expect(names(seen.output) == (1...count).map { "n\($0)" })
  }

  @Test("a watcher sees all saves of two processes, in the order of the change feed")
  func two() throws {
    let program = try subscribed()
    try program.file("a", saves(1...600, "a"))
    try program.file("b", saves(1...600, "b"))
    let seen = try program.shell(
      """
      true
      ckdb notification watch --since 0 --count 1200 --timeout 120 > seen & watcher=$!
      ckdb run a & ckdb run b && wait && cat seen
      """)
    let fed = try program.shell("ckdb changes zone -z Notes --jsonl")
    #expect(seen.code == 0, "\(seen.errors)")
    let order = names(fed.output).filter { $0 != "first" }
    #expect(names(seen.output) == order)
    #expect(order.count == 1200)
  }

  @Test("a killed watcher continues with --since, without loss or repetition")
  func killed() throws {
    let (program, count) = (try subscribed(), 3000)
    try program.file("saves", saves(1...count, "n"))
    let seen = try program.shell(
      """
      : > seen
      ckdb run saves & writer=$!
      kills=0
      while kill -0 $writer 2>/dev/null; do
        last=$(tail -n 1 seen | sed -n 's/.*"number":\\([0-9]*\\).*/\\1/p')
        ckdb notification watch --since ${last:-0} >> seen & watcher=$!
        sleep 0.05; kill -9 $watcher; wait $watcher 2>/dev/null
        # A line that the kill cut was not read.
        sed -i '/}$/!d' seen
        kills=$((kills + 1))
      done
      last=$(tail -n 1 seen | sed -n 's/.*"number":\\([0-9]*\\).*/\\1/p')
      ckdb notification list --since ${last:-0} --jsonl >> seen
      cat seen; echo $kills >&2
      """)
    #expect(names(seen.output) == (1...count).map { "n\($0)" })
    #expect((Int(seen.errors.split(separator: "\n").last ?? "") ?? 0) > 2, "\(seen.errors)")
  }

  /// The record names in lines of JSON, in order.
  private func names(_ lines: String) -> [String] {
    lines.matches(of: /"recordName":"([^"]+)"/).map { String($0.output.1) }
  }
}
