#if Server
  internal import Basics
  internal import CloudModel

  /// What is known of an answered request, for the log and the counters.
  struct RequestRecord: Sendable {
    let id: RequestID
    let method: String
    /// The path, without tokens.
    let path: String
    /// The endpoint, for the counters; nil for an unknown one.
    let endpoint: String?
    let status: Int
    /// The code of an error; nil for success.
    let failure: String?
    /// The rule that refused the request, or its first item that failed; nil if nothing did.
    let reason: String?
    let caller: String?
    /// The request, if it reached an endpoint and is short.
    let request: Call?
    let microseconds: Int64
    let at: Timestamp

    /// A shell command line that does the same; nil if there is none.
    private var command: String? { line { $0.command(for: $1) } }

    /// The same request with curl.
    private var curl: String? { line { $0.curl(for: $1) } }

    private func line(_ make: (Call, Endpoint) -> String?) -> String? {
      guard let request, let found = Endpoint.byPath[endpoint ?? ""] else { return nil }
      return make(request, found)
    }

    /// A line of the text log.
    var text: String {
      var line = "\(at.text) \(method) \(path) \(status)"
      if let failure { line += " \(failure)" }
      line += " \(microseconds / 1000).\(String(1000 + microseconds % 1000).dropFirst()) ms"
      if let caller { line += " \(caller)" }
      if let command { line += "  # \(command)" }
      return line.visible
    }

    /// The rule and the plan of a request; empty for some.
    var explanation: [JSONMember] { request?.explanation(of: endpoint) ?? [] }

    /// Two records with the same key have the same explanation; nil for none.
    var explanationKey: String? { request?.explanationKey(of: endpoint) }

    /// The record as a JSON object, with the members of an explanation.
    func json(with explanation: [JSONMember]) -> JSONValue {
      let texts = [
        ("failure", failure), ("reason", reason), ("caller", caller), ("ckdb", command),
        ("curl", curl),
      ]
      return .object(
        [
          JSONMember("at", .string(at.text)), JSONMember("uuid", .string(id.text)),
          JSONMember("method", .string(method)), JSONMember("path", .string(path)),
          JSONMember("status", .int(Int64(status))),
          JSONMember("milliseconds", .double(Double(microseconds) / 1000)),
        ] + texts.compactMap { name, text in text.map { JSONMember(name, .string($0)) } }
          + explanation)
    }
  }

  /// The last requests, and the streams that follow them.
  final class RequestRecords: Sendable {
    private let state = Locked(State())
    /// How many requests are kept.
    private static let kept = 1000

    private struct State: Sendable {
      var last: [RequestRecord] = []
      var followers: [Int: AsyncStream<RequestRecord>.Continuation] = [:]
      var hasEnded = false
      var number = 0
    }

    /// Adds a request.
    func add(_ record: RequestRecord) {
      let followers = state.withLock { state in
        state.last.append(record)
        if state.last.count > 2 * Self.kept { state.last.removeFirst(Self.kept) }
        return state.followers.isEmpty ? [] : Array(state.followers.values)
      }
      for follower in followers { follower.yield(record) }
    }

    /// The last requests, oldest first.
    var last: [RequestRecord] { state.withLock { Array($0.last.suffix(Self.kept)) } }

    /// The requests that come; one that is too slow loses the oldest.
    func follow() -> AsyncStream<RequestRecord> {
      AsyncStream(bufferingPolicy: .bufferingNewest(Self.kept)) { continuation in
        let number = state.withLock { state -> Int? in
          if state.hasEnded { return nil }
          state.number += 1
          state.followers[state.number] = continuation
          return state.number
        }
        guard let number else { return continuation.finish() }
        continuation.onTermination = { _ in
          self.state.withLock { $0.followers[number] = nil }
        }
      }
    }

    /// Ends all streams, also later ones.
    func end() {
      let followers = state.withLock { state in
        state.hasEnded = true
        return Array(state.followers.values)
      }
      for follower in followers { follower.finish() }
    }
  }
#endif
