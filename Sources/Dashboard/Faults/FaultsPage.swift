#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The injected faults with what they struck, and the clock of the server.
  struct FaultsPage {
    private let open: OpenPlace
    private let faults: [FaultRule]
    private let struck: [ServedRequest]
    private var isReadOnly: Bool { open.visitor.isReadOnly }

    /// How many of the requests that a fault struck are linked.
    private static let most = 5

    init(_ open: OpenPlace) throws {
      self.open = open
      faults = try open.store.faults()
      struck = open.visitor.server.requests(after: 0).requests.filter { !$0.faults.isEmpty }
    }

    /// The page.
    func html() throws -> HTML {
      var frame = try Frame("Faults and clock", open, rest: ["faults"])
      frame.command = "ckdb fault list"
      return frame.page(
        """
        <div class="title"><h1>Faults</h1><p>Errors and delays for all clients of the store.</p>\
        \(if: !faults.isEmpty && !isReadOnly, clear)</div>
        \(table)\(past)\(if: !isReadOnly, form)
        <h2>Clock</h2>\(clock)
        """)
    }

    private var clear: HTML {
      let all = open.button(
        "Remove all", FaultActions.clear, [("back", address)], " data-testid=\"fault-clear\"")
      return "<div class=\"actions\">\(all)</div>"
    }

    private var address: String { open.place.address(["faults"]) }

    // MARK: Faults

    private var table: HTML {
      if faults.isEmpty { return "<p class=\"quiet\">No faults are switched on.</p>" }
      return .table(
        "Faults", ["fault", "operation", "reaction", "only for", "struck here", "remove"],
        faults.map(row), id: "faults", "wraps")
    }

    /// The requests that faults struck which are used up or removed; nil for none.
    private var past: HTML? {
      let known = Set(faults.map(\.id))
      let requests = struck.filter { !$0.faults.contains(where: known.contains) }
      if requests.isEmpty { return nil }
      let links = requests.suffix(Self.most).reversed().map(link)
      return """
        <p class="quiet" data-testid="struck-past">Faults that are no longer on struck \
        \(requests.count.counted("request")):<br>\(links)</p>
        """
    }

    private func link(_ request: ServedRequest) -> HTML {
      """
      <a href="\(open.place.address(["request", String(request.number)]))">\
      \(request.endpoint ?? request.path)</a>\(request.caller.map { " by \($0)" as HTML })<br>
      """
    }

    private func row(_ fault: FaultRule) -> HTML {
      let number = String(fault.id)
      let hits = struck.filter { $0.faults.contains(fault.id) }
      let links = hits.suffix(Self.most).reversed().map(link)
      let count = hits.isEmpty ? "nothing yet" : hits.count.counted("request")
      let remove = open.button(
        "Remove", FaultActions.clear, [("id", number), ("back", address)],
        " class=\"quiet\" data-testid=\"fault-remove-\(number)\"")
      return """
        <tr><td class="num">\(number)</td><td>\(fault.operation.rawValue)</td>\
        <td>\(fault.reaction)</td><td>\(fault.conditions)</td>\
        <td data-testid="struck-\(number)">\(count)<br>\(links)</td>\
        <td>\(if: !isReadOnly, remove)</td></tr>
        """
    }

    private var form: HTML {
      let operations = FaultRule.Operation.allCases.map { ($0.rawValue, $0.rawValue) }
      let codes =
        [("", "no error")]
        + CloudError.Code.allCases.map(\.name).sorted().map { ($0, $0) }
      let effects =
        [("", "not for pushes"), ("lost", "lost"), ("late", "late")]
        + [("duplicated", "duplicated"), ("reordered", "reordered")]
      return open.form(
        FaultActions.add,
        """
        <h2>New fault</h2>\
        <label>Operation \
        \(HTML.select("operation", nil, operations, chosen: "query"))</label>\
        <label>Error \(HTML.select("code", nil, codes, chosen: "networkFailure"))</label>\
        <label>Seconds later <input class="num short" name="latency" inputmode="decimal"></label>\
        <label>How many times <input class="num short" name="times" inputmode="numeric" \
        placeholder="always"></label>\
        <label>Probability <input class="num short" name="probability" inputmode="decimal" \
        placeholder="1"></label>\
        <label>Only type <input name="type"></label>\
        <label>Only zone <input name="zone"></label>\
        <label>Retry after <input class="num short" name="retryAfter" inputmode="decimal"></label>\
        <label>Notifications \(HTML.select("effect", nil, effects))</label>\
        <label><input type="checkbox" name="after"> change first, then fail</label>\
        <button class="primary" data-testid="fault-add">Switch on</button>
        """, "card grid", back: address)
    }

    // MARK: The clock

    private var clock: HTML {
      let stopped = open.visitor.server.stoppedClock
      let state: HTML =
        stopped.map { "stopped at <b data-testid=\"clock\">\($0.text)</b>" }
        ?? "runs: <b data-testid=\"clock\">\(open.request.now.shortText) UTC</b>"
      let steps = [("1 minute", "60000"), ("1 hour", "3600000"), ("1 day", "86400000")]
      let buttons = steps.map { label, step in
        open.button(
          "\(label) later", FaultActions.clock, [("step", step), ("back", address)],
          " data-testid=\"clock-\(step)\"")
      }
      let run = open.button(
        "Let it run", FaultActions.clock, [("run", "1"), ("back", address)],
        " data-testid=\"clock-run\"")
      let last = stopped == nil ? nil : run
      let set = open.form(
        FaultActions.clock,
        """
        <input name="now" required aria-label="Time" placeholder="2026-05-01T12:00:00Z">\
        <button data-testid="clock-set">Stop it there</button>
        """, back: address)
      return """
        <p>The clock of this server \(state).</p>\
        \(if: !isReadOnly, "<div class=\"actions\">\(set)\(buttons)\(last)</div>")
        """
    }
  }

  extension FaultRule {
    /// What happens to the operations.
    fileprivate var reaction: String {
      if let effect { return "notifications are \(effect.rawValue)" }
      let later = latency.map { "\($0) s later" }
      let error = code.map { "fails with \($0.name)" + (isAfter ? " after the change" : "") }
      return [error, later].compactMap(\.self).joined(separator: ", ")
    }

    /// Which operations it strikes.
    fileprivate var conditions: String {
      let parts = [
        type.map { "type \($0.text)" }, zone.map { "zone \($0.text)" },
        name.map { "record \($0.text)" }, every.map { "every \($0)th record" },
        rate.map { "above \($0.text)" }, times.map { "\($0.counted("more time"))" },
        probability.map { "probability \($0)" },
      ]
      let all = parts.compactMap(\.self)
      return all.isEmpty ? "all" : all.joined(separator: ", ")
    }
  }
#endif
