#if Server
  internal import Basics
  internal import CloudModel
  internal import Dashboard

  /// The requests of the last hours by minute and caller, and the slowest queries.
  final class TrafficCounter: Sendable {
    private let state = Locked(State())
    /// How many minutes are kept.
    private static let keptMinutes = 360
    /// How many callers a minute distinguishes; the others are counted together.
    private static let mostCallers = 50
    /// How many slow queries are kept.
    private static let mostQueries = 20

    private struct State: Sendable {
      var minutes: [TrafficMinute] = []
      /// Slowest first.
      var slowest: [SlowQuery] = []

      /// The place of a minute, which may be an earlier one than the last.
      mutating func place(of minute: Timestamp) -> Int {
        if let place = minutes.lastIndex(where: { $0.at <= minute }) {
          if minutes[place].at == minute { return place }
          minutes.insert(TrafficMinute(at: minute), at: place + 1)
        } else {
          minutes.insert(TrafficMinute(at: minute), at: 0)
        }
        if minutes.count > TrafficCounter.keptMinutes { minutes.removeFirst() }
        return minutes.lastIndex { $0.at == minute } ?? minutes.count - 1
      }
    }

    /// A query with its number. Two with the same key are of the same kind.
    struct SlowQuery: Sendable {
      let number: Int64
      let record: RequestRecord
      fileprivate let key: String
    }

    /// Counts a request to Web Services.
    func add(_ record: RequestRecord, _ number: Int64) {
      guard record.place != nil else { return }
      let minute = record.at.milliseconds / 60_000
      let isSlow = state.withLock { state in
        let last = state.place(of: Timestamp(milliseconds: minute * 60_000))
        var caller = record.caller ?? "unknown"
        if state.minutes[last].callers[caller] == nil,
          state.minutes[last].callers.count >= Self.mostCallers
        {
          caller = "others"
        }
        state.minutes[last].callers[caller, default: .init()].requests += 1
        if record.failure != nil { state.minutes[last].callers[caller]?.errors += 1 }
        return record.endpoint == "records/query" && record.request != nil
          && (state.slowest.count < Self.mostQueries
            || record.microseconds > state.slowest[Self.mostQueries - 1].record.microseconds)
      }
      // Few requests are among the slowest: making their keys takes time.
      if isSlow { addSlow(record, number) }
    }

    private func addSlow(_ record: RequestRecord, _ number: Int64) {
      guard let key = record.explanationKey else { return }
      state.withLock { state in
        if let place = state.slowest.firstIndex(where: { utf8Equal($0.key, key) }) {
          guard state.slowest[place].record.microseconds < record.microseconds else { return }
          state.slowest.remove(at: place)
        }
        state.slowest.append(SlowQuery(number: number, record: record, key: key))
        state.slowest.sort { $0.record.microseconds > $1.record.microseconds }
        if state.slowest.count > Self.mostQueries { state.slowest.removeLast() }
      }
    }

    /// The minutes that had requests, oldest first.
    var minutes: [TrafficMinute] { state.withLock { $0.minutes } }

    /// The slowest queries, slowest first.
    var slowest: [SlowQuery] { state.withLock { $0.slowest } }
  }
#endif
