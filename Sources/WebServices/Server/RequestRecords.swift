#if Server
  internal import Basics
  internal import CloudModel
  internal import Dashboard

  /// What is known of an answered request, for the log and the counters.
  struct RequestRecord: Sendable {
    let id: RequestID
    let method: String
    /// The path, without tokens.
    let path: String
    /// The container and the environment that the path names; nil outside of Web Services.
    let place: (container: String, environment: String)?
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
    /// The body of the answer, if it is short JSON.
    let answer: [UInt8]?
    /// The numbers of the injected faults that struck it.
    let faults: [Int]
    let microseconds: Int64
    let at: Timestamp

    /// The most bytes of an answer that is kept with a request.
    static let keptBytes = 2048

    /// A shell command line that does the same; nil if there is none.
    var command: String? { line { $0.command(for: $1) } }

    /// The same request with curl.
    var curl: String? { line { $0.curl(for: $1) } }

    /// Swift code that does the same; nil if there is none.
    var swift: String? { line { $0.swift(for: $1) } }

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

  extension RequestRecord {
    /// The request for the dashboard.
    func served(_ number: Int64) -> ServedRequest {
      ServedRequest(
        number: number, at: at, method: method, path: path, place: place, endpoint: endpoint,
        status: status,
        failure: failure, reason: reason, caller: caller, microseconds: microseconds,
        faults: faults)
    }
  }

  /// The last requests, and the streams that follow them.
  final class RequestRecords: Sendable {
    private let state = Locked(State())
    /// How many requests are kept.
    private static let kept = 1000

    private struct State: Sendable {
      /// The requests are numbered from 1; this is how many there were.
      var count: Int64 = 0
      var last: [RequestRecord] = []
      var followers: [Int: AsyncStream<RequestRecord>.Continuation] = [:]
      var hasEnded = false
      var number = 0
    }

    /// Adds a request; returns its number.
    func add(_ record: RequestRecord) -> Int64 {
      let (number, followers) = state.withLock { state in
        state.last.append(record)
        state.count += 1
        if state.last.count > 2 * Self.kept { state.last.removeFirst(Self.kept) }
        return (state.count, state.followers.isEmpty ? [] : Array(state.followers.values))
      }
      for follower in followers { follower.yield(record) }
      return number
    }

    /// The last requests, oldest first.
    var last: [RequestRecord] { state.withLock { Array($0.last.suffix(Self.kept)) } }

    /// The requests after a number with their numbers, oldest first, as far as they are kept, and
    /// the number of the last one.
    func numbered(
      after number: Int64
    ) -> (records: [(number: Int64, record: RequestRecord)], last: Int64) {
      state.withLock { state in
        let new = Int(min(state.count - min(max(0, number), state.count), Int64(state.last.count)))
        let first = state.count - Int64(new) + 1
        let records = state.last.suffix(new).enumerated().map { (first + Int64($0), $1) }
        return (records, state.count)
      }
    }

    /// A request by its number; nil if it is not kept.
    subscript(number: Int64) -> RequestRecord? {
      state.withLock { state in
        guard number > 0, number <= state.count else { return nil }
        let place = state.last.count - 1 - Int(state.count - number)
        return place >= 0 ? state.last[place] : nil
      }
    }

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
