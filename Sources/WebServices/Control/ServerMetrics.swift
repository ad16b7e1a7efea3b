#if Server
  internal import Basics

  /// Counters of requests, as Prometheus reads them: by endpoint and status, with times.
  final class ServerMetrics: Sendable {
    private let counts = Locked<[Key: Count]>([:])
    private let began = Platform.monotonicMilliseconds
    /// The upper ends of the classes of times, in microseconds.
    private static let ends: [Int64] = [1000, 5000, 10_000, 50_000, 100_000, 500_000, 1_000_000]

    private struct Key: Hashable {
      let endpoint: String
      let status: Int
    }

    private struct Count: Sendable {
      var number = 0
      var microseconds: Int64 = 0
      /// The number of requests in each class, and above all of them.
      var classes = [Int](repeating: 0, count: ServerMetrics.ends.count + 1)

      mutating func add(_ time: Int64) {
        number += 1
        microseconds += time
        classes[ServerMetrics.ends.firstIndex { time <= $0 } ?? ServerMetrics.ends.count] += 1
      }
    }

    /// Counts a request.
    func add(_ record: RequestRecord) {
      let key = Key(endpoint: record.endpoint ?? "other", status: record.status)
      counts.withLock { $0[key, default: Count()].add(record.microseconds) }
    }

    /// The counters as text.
    var text: String {
      let all = counts.withLock { $0 }.sorted {
        $0.key.endpoint == $1.key.endpoint
          ? $0.key.status < $1.key.status : utf8Precedes($0.key.endpoint, $1.key.endpoint)
      }
      func seconds(_ microseconds: Int64) -> String { "\(Double(microseconds) / 1_000_000)" }
      var lines = ["# TYPE ckdb_requests_total counter"]
      for (key, count) in all {
        lines.append("ckdb_requests_total{\(Self.labels(key))} \(count.number)")
      }
      lines.append("# TYPE ckdb_request_seconds histogram")
      for (key, count) in all {
        let labels = Self.labels(key)
        var number = 0
        for (end, own) in zip(Self.ends, count.classes) {
          number += own
          lines.append("ckdb_request_seconds_bucket{\(labels),le=\"\(seconds(end))\"} \(number)")
        }
        lines.append("ckdb_request_seconds_bucket{\(labels),le=\"+Inf\"} \(count.number)")
        lines.append("ckdb_request_seconds_sum{\(labels)} \(seconds(count.microseconds))")
        lines.append("ckdb_request_seconds_count{\(labels)} \(count.number)")
      }
      let uptime = Platform.monotonicMilliseconds - began
      lines.append("# TYPE ckdb_uptime_seconds gauge")
      lines.append("ckdb_uptime_seconds \(Double(uptime) / 1000)")
      return lines.joined(separator: "\n") + "\n"
    }

    private static func labels(_ key: Key) -> String {
      "endpoint=\"\(key.endpoint)\",status=\"\(key.status)\""
    }
  }
#endif
