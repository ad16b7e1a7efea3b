#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// Wakes requests that wait for a change to an environment, by this process or another one. While
  /// any wait, one thread watches the environment.
  final class CommitSignals: Sendable {
    private let watches = Locked<[String: Watch]>([:])

    /// The longest time to watch before the waiting requests look for themselves.
    private static let mostMilliseconds: Int64 = 200

    private struct Watch: Sendable {
      var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
      var number = 0
    }

    /// Waits for the next commit to the file, the time limit, or the end of the server.
    func wait(for file: String, upTo milliseconds: Int64, _ server: WebServer) async {
      let end = Platform.monotonicMilliseconds + milliseconds
      await withCheckedContinuation { continuation in
        let starts = watches.withLock { watches in
          let starts = watches[file] == nil
          watches[file, default: Watch()].number += 1
          let number = watches[file]?.number ?? 0
          watches[file]?.waiting[number] = continuation
          return starts
        }
        if starts {
          Task(executorPreference: server.slowThreads) { self.watch(file, until: end) }
        }
      }
    }

    /// Watches a file for a moment, then wakes all requests; those that find nothing wait again. So
    /// a commit from before the watch is found, too.
    private func watch(_ file: String, until end: Int64) {
      let left = max(1, min(end - Platform.monotonicMilliseconds, Self.mostMilliseconds))
      if let watch = try? FileWatch(file) {
        watch.wait(milliseconds: left)
      } else {
        Platform.sleep(milliseconds: min(left, 50))
      }
      let woken = watches.withLock { watches in
        watches.removeValue(forKey: file).map { Array($0.waiting.values) } ?? []
      }
      for continuation in woken { continuation.resume() }
    }
  }
#endif
