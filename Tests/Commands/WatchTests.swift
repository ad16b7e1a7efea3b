internal import Basics
internal import Glibc
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

  /// Ends a watcher by a signal as soon as it has printed a notification.
  private func ended(by signal: String, _ delivery: String) -> String {
    """
    ckdb record save Note --name n n:=1 -z Notes --device phone -q
    ckdb notification watch --since 0 \(delivery) > seen & watcher=$!
    until [ -s seen ] && [ -s begun ]; do sleep 0.01; done
    kill -\(signal) $watcher; wait $watcher
    """
  }

  @Test(
    "a signal ends a watcher while its command runs, and the command with all that it started",
    arguments: ["TERM", "INT", "HUP"])
  func signalDuringCommand(_ signal: String) throws {
    let program = try subscribed()
    let outcome = try program.shell(
      """
      true
      \(ended(by: signal, "--exec 'echo $$ > begun; sleep 30; touch finished'"))
      code=$?
      [ -e finished ] && echo finished
      tries=0
      while kill -0 -- -$(cat begun) 2> /dev/null && [ $tries -lt 100 ]; do
        sleep 0.1; tries=$((tries + 1))
      done
      [ $tries -lt 100 ] || echo running
      exit $code
      """)
    #expect(outcome.code == ["TERM": 143, "INT": 130, "HUP": 129][signal], "\(outcome.errors)")
    #expect(outcome.output == "")
  }

  @Test("a signal ends a watcher while a web server does not answer", arguments: ["TERM", "INT"])
  func signalDuringRequest(_ signal: String) throws {
    let (program, server) = (try subscribed(), try DeafServer())
    let outcome = try program.shell(
      "echo 1 > begun\n" + ended(by: signal, "--forward \(server.address)"))
    #expect(outcome.code == ["TERM": 143, "INT": 130][signal], "\(outcome.errors)")
  }

  @Test("a web server that does not answer ends a watcher, with the notification to continue at")
  func deafServer() throws {
    let (program, server) = (try subscribed(), try DeafServer())
    let outcome = try program.shell(
      """
      ckdb record save Note --name n n:=1 -z Notes --device phone -q
      ckdb notification watch --since 0 --forward \(server.address)
      """)
    #expect(outcome.code == 69)
    #expect(outcome.errors.contains("hint: continue with --since 0"))
  }

  @Test(
    "--timeout ends a request and a command, too",
    arguments: ["--exec 'sleep 30; touch finished'", "--forward ADDRESS"])
  func timeoutDuringDelivery(_ delivery: String) throws {
    let (program, server) = (try subscribed(), try DeafServer())
    let outcome = try program.shell(
      """
      ckdb record save Note --name n n:=1 -z Notes --device phone -q
      ckdb notification watch --since 0 --timeout 0.5 \
        \(delivery.replacing("ADDRESS", with: server.address))
      code=$?
      [ -e finished ] && echo finished
      exit $code
      """)
    #expect(outcome.code == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains("hint: continue with --since 0"))
    #expect(!outcome.output.contains("finished"))
  }

  /// The record names in lines of JSON, in order.
  private func names(_ lines: String) -> [String] {
    lines.matches(of: /"recordName":"([^"]+)"/).map { String($0.output.1) }
  }
}

/// A web server that takes connections and requests, but never answers.
private final class DeafServer {
  let address: String
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isListening = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    try #require(isListening)
    address = "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))/"
  }

  deinit { close(descriptor) }
}
