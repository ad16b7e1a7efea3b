#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// Switching faults on and off, and setting the clock of the server.
  enum FaultActions {
    static let all = [add, clear, clock]

    static let add = Action(
      name: "fault-add", summary: "Make operations fail, or take longer", verb: "fault add"
    ) { request in
      let open = try request.openStore()
      let (rule, words) = try rule(request.form)
      let added = try open.store.add(rule, for: open.request)
      return request.done("Switched on fault \(added.id)", ["fault", "add"] + words)
    }

    static let clear = Action(
      name: "fault-clear", summary: "Remove faults", verb: "fault clear"
    ) { request in
      let open = try request.openStore()
      let words = request.form.all("id")
      let ids = words.compactMap { Int($0) }
      guard ids.count == words.count else { throw CloudError(.unknownItem, "Unknown fault") }
      let count = try open.store.clearFaults(Set(ids).sorted())
      return request.done(
        "Removed \(count.counted("fault"))", ["fault", "clear"] + ids.map(String.init))
    }

    static let clock = Action(
      name: "clock", summary: "Stop the clock of the server, or let it run", verb: ""
    ) { request in
      let open = try request.openStore()
      let server = open.visitor.server
      guard request.form["run"] == nil else {
        server.stopClock(at: nil)
        return request.done("The clock runs", line: line(open, "{}"))
      }
      var time = open.request.now
      if let step = request.form["step"].flatMap({ Int64($0) }) {
        let (sum, isTooLarge) = time.milliseconds.addingReportingOverflow(step)
        guard !isTooLarge, let later = Timestamp(given: sum) else {
          throw CloudError(.invalidArguments, "The time is too late")
        }
        time = later
      } else {
        let text = (request.form["now"] ?? "").trimmed
        guard let given = Timestamp(text) else {
          throw CloudError(
            .invalidArguments, "'\(text.visible)' is not a time",
            remedy: "write it as 2026-05-01T12:00:00Z")
        }
        time = given
      }
      server.stopClock(at: time)
      return request.done(
        "The clock is stopped at \(time.text)", line: line(open, "{\"now\":\"\(time.text)\"}"))
    }

    /// The command that sets the clock of the server.
    private static func line(_ open: OpenPlace, _ body: String) -> String {
      "curl -X POST -H \"Authorization: Bearer $CKDB_ADMIN_TOKEN\" -d \(body.shellWord) "
        + "\(open.visitor.origin)\(open.visitor.base)/ckdb/1/clock"
    }

    /// The rule of a form, and its options in commands. Throws `invalidArguments`.
    private static func rule(_ form: FormFields) throws -> (FaultRule, [String]) {
      guard let operation = FaultRule.Operation(rawValue: form["operation"] ?? "") else {
        throw CloudError(.invalidArguments, "Unknown operation")
      }
      var words = ["--operation", operation.rawValue]
      var rule: FaultRule
      if operation == .push {
        guard let effect = FaultRule.PushEffect(rawValue: form["effect"] ?? "") else {
          throw CloudError(
            .invalidArguments, "A fault of pushes needs what happens to the notifications")
        }
        rule = FaultRule(effect)
        words += ["--effect", effect.rawValue]
      } else {
        let code = form.text("code").flatMap { CloudError.Code(text: $0) }
        rule = FaultRule(code, of: operation)
        if let code { words += ["--code", code.name] }
        rule.latency = try number(form, "latency", 0...FaultRule.mostLatency)
        if let seconds = rule.latency { words += ["--latency", "\(seconds)"] }
        guard code != nil || rule.latency != nil else {
          throw CloudError(.invalidArguments, "A fault needs an error or a delay")
        }
        if code != nil, form["after"] != nil {
          rule.isAfter = true
          words.append("--after")
        }
        if code != nil, let seconds = try number(form, "retryAfter", 0...86_400) {
          rule.retryAfter = seconds
          words += ["--retry-after", "\(seconds)"]
        }
      }
      try add(form, to: &rule, &words)
      return (rule, words)
    }

    /// The conditions that all faults may have.
    private static func add(
      _ form: FormFields, to rule: inout FaultRule, _ words: inout [String]
    ) throws {
      if let times = try number(form, "times", 1...1_000_000_000) {
        guard times == times.rounded() else {
          throw CloudError(.invalidArguments, "times must be a whole number")
        }
        rule.times = Int(times)
        words += ["--times", "\(Int(times))"]
      }
      if let probability = try number(form, "probability", 0...1) {
        rule.probability = probability
        words += ["--probability", "\(probability)"]
      }
      // Keys and documents have neither types nor zones.
      guard ![.kvs, .document].contains(rule.operation) else { return }
      if let type = form.text("type") {
        rule.type = try RecordType(type.trimmed)
        words += ["--type", type.trimmed]
      }
      if let zone = form.text("zone") {
        rule.zone = try ZoneID(zone.trimmed)
        words += ["-z", zone.trimmed]
      }
    }

    /// A number of a form; nil for an empty field. Throws `invalidArguments`.
    private static func number(
      _ form: FormFields, _ name: String, _ range: ClosedRange<Double>
    ) throws(CloudError) -> Double? {
      guard let text = form.text(name)?.trimmed, !text.isEmpty else { return nil }
      guard let number = Double(text), range.contains(number) else {
        throw CloudError(
          .invalidArguments,
          "\(name): '\(text.visible)' is not a number from \(range.lowerBound) to "
            + "\(range.upperBound)")
      }
      return number
    }
  }
#endif
