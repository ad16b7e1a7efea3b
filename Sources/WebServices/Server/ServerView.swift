#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import Dashboard
  internal import WireFormat

  /// What the dashboard shows of the server.
  struct ServerView: DashboardServer {
    let server: WebServer

    var runNumber: UInt64 { server.run }

    var stoppedClock: Timestamp? { server.clock.withLock { $0 } }

    func stopClock(at time: Timestamp?) { server.clock.withLock { $0 = time } }

    func restore(_ snapshot: SnapshotName) throws {
      server.environments.closeAll()
      try server.store.restore(snapshot, for: server.controlRequest)
    }

    func requests(after number: Int64) -> ServedRequests {
      let (records, last) = server.records.numbered(after: number)
      return ServedRequests(
        records.map { $1.served($0) },
        forgotten: max(0, Int(last - number) - records.count), last: last)
    }

    func explainedRequest(_ number: Int64) -> ExplainedRequest? {
      guard let record = remembered(number) else { return nil }
      var explained = ExplainedRequest(record.served(number))
      explained.answer = record.answer.map { String(decoding: $0, as: UTF8.self) }
      (explained.command, explained.curl) = (record.command, record.curl)
      explained.swift = record.swift
      for member in record.explanation { explained.add(member) }
      guard let call = record.request else { return explained }
      if !call.isGet { explained.body = JSONValue.object(call.body.members).text }
      guard let endpoint = Endpoint.byPath[record.endpoint ?? ""] else { return explained }
      explained.isWriting = endpoint.access == .writing
      explained.place = (call.container, call.environment)
      return explained
    }

    func repeatRequest(_ number: Int64) throws -> RepeatedRequest {
      guard let record = remembered(number), let call = record.request,
        let endpoint = Endpoint.byPath[record.endpoint ?? ""]
      else {
        throw CloudError(
          .unknownItem,
          "The server no longer remembers this request, or it is too long to send again")
      }
      if endpoint.access == .writing, server.settings.isReadOnly {
        throw CloudError(.invalidArguments, "The server only shows the store (--read-only).")
      }
      let request = server.request(for: call.request.account, device: call.request.device) {
        !server.stopsWork
      }
      let again = Call(call, for: request)
      do {
        try endpoint.require(call.scope, for: call.caller)
        let answer = try server.environments.with(call.container, call.environment, for: request) {
          try endpoint.run(again, try $0.database(call.scope))
        }
        return RepeatedRequest(answer)
      } catch let error where error is WireFailure || error is CloudError {
        return RepeatedRequest(WireFailure(any: error).answer(RequestID()))
      }
    }

    var slowestQueries: [(request: ServedRequest, command: String?)] {
      server.trafficCounter.slowest.map { ($0.record.served($0.number), $0.record.command) }
    }

    var traffic: [TrafficMinute] { server.trafficCounter.minutes }

    /// A request by its number. Slow queries are remembered longer than others.
    private func remembered(_ number: Int64) -> RequestRecord? {
      server.records[number] ?? server.trafficCounter.slowest.first { $0.number == number }?.record
    }
  }

  extension RepeatedRequest {
    fileprivate init(_ answer: Answer) {
      self.init(
        status: answer.status, answer: answer.json.map { String(decoding: $0, as: UTF8.self) } ?? ""
      )
    }
  }

  extension ExplainedRequest {
    /// Takes over a member of an explanation.
    fileprivate mutating func add(_ member: JSONMember) {
      func texts(_ value: JSONValue?) -> [String] { value?.array?.compactMap(\.string) ?? [] }
      switch member.name {
      case "rule": rule = member.value.string
      case "findings": findings = texts(member.value)
      case "plan":
        (steps, indexes) = (texts(member.value["steps"]), texts(member.value["indexes"]))
        if case .int(let count)? = member.value["examined"] { examined = count }
        if case .int(let count)? = member.value["given"] { given = count }
      default: break
      }
    }
  }
#endif
