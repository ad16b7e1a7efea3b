#if Server
  internal import CloudModel
  internal import CloudServices

  /// A request to the server: who sent it, the rule that decided, its plan, its answer, and how to
  /// send it again.
  struct RequestPage {
    private let open: OpenPlace
    private let explained: ExplainedRequest
    private let repeated: RepeatedRequest?

    /// The page of a request. Throws `unknownItem` for one that the server has forgotten.
    init(_ open: OpenPlace, _ number: String, _ repeated: RepeatedRequest? = nil) throws {
      guard let number = Int64(number),
        let explained = open.visitor.server.explainedRequest(number)
      else {
        throw CloudError(
          .unknownItem, "The server does not remember this request",
          remedy: "it remembers the last requests since it was started")
      }
      (self.open, self.explained, self.repeated) = (open, explained, repeated)
    }

    /// The page.
    func html() throws -> HTML {
      let request = explained.request
      let what = request.endpoint ?? "\(request.method) \(request.path)"
      var frame = try Frame(what, open, rest: ["live"])
      frame.command = explained.command
      return frame.page(
        """
        <div class="title"><h1 class="mono">\(what)</h1>\
        <p><a href="\(open.place.address(["live"]))">live</a></p>\
        \(again)</div>
        \(repeated.map(answered))\
        <dl class="facts wide" data-testid="request">\(facts)</dl>
        \(lines("ckdb", explained.command))\(lines("curl", explained.curl))\
        \(lines("Swift", explained.swift))\
        \(text("Request", "body", explained.body))\(text("Answer", "answer", explained.answer))
        """)
    }

    private var again: HTML? {
      guard let place = explained.place else { return nil }
      let fields = [("number", String(explained.request.number))]
      let button = open.button(
        "Run it again", RepeatRequest.action, fields, " class=\"primary\" data-testid=\"again\"")
      guard explained.isWriting else { return "<div class=\"actions\">\(button)</div>" }
      if open.visitor.isReadOnly { return nil }
      let isLocked = place.1 == .production && !open.session.isUnlocked(place.0)
      return isLocked ? nil : "<div class=\"actions\">\(button)</div>"
    }

    private func answered(_ repeated: RepeatedRequest) -> HTML {
      let isGood = repeated.status < 400
      return """
        <div class="finding\(if: isGood, " note")" role="status" data-testid="repeated">\
        <span><b>\(String(repeated.status))</b> The request was sent again.</span></div>\
        <textarea class="whole" rows="8" readonly aria-label="The new answer" \
        data-testid="new-answer">
        \(repeated.answer)</textarea>
        """
    }

    private var facts: [HTML] {
      let request = explained.request
      let counts = explained.examined.flatMap { examined in
        explained.given.map { "\(Int(examined).grouped) records read, \(Int($0).grouped) returned" }
      }
      let known: [(String, HTML?)] = [
        ("When", "\(request.at.shortText) UTC, \(request.timeText)"),
        ("Caller", request.caller.map { "\($0)" }),
        ("Path", "<code>\(request.method) \(request.path)</code>"),
        ("Result", "\(String(request.status))\(request.failure.map { " <b>\($0)</b>" as HTML })"),
        ("Reason", request.reason.map { "\($0)" }),
        ("Rule", explained.rule.map { "<span data-testid=\"rule\">\($0)</span>" }),
        ("Faults", faults),
        ("Plan", list(explained.steps, "plan")), ("Indexes", list(explained.indexes, "indexes")),
        ("Records", counts.map { "\($0)" }),
        ("Findings", list(explained.findings, "findings")),
      ]
      return known.compactMap { name, value in
        value.map { "<div><dt>\(name)</dt><dd>\($0)</dd></div>" }
      }
    }

    private var faults: HTML? {
      if explained.request.faults.isEmpty { return nil }
      let numbers = explained.request.faults.map(String.init).joined(separator: ", ")
      return "<a href=\"\(open.place.address(["faults"]))\">struck by fault \(numbers)</a>"
    }

    private func list(_ texts: [String], _ id: String) -> HTML? {
      if texts.isEmpty { return nil }
      return """
        <ul class="list" data-testid="\(id)">\(texts.map { "<li>\($0)</li>" as HTML })</ul>
        """
    }

    private func lines(_ name: String, _ text: String?) -> HTML? {
      text.map { text in
        """
        <h2>\(name) <button type="button" class="quiet with-script-only" \
        data-copy="as-\(name)">Copy</button></h2>
        <pre id="as-\(name)" data-testid="as-\(name)" class="box">\(text)</pre>
        """
      }
    }

    private func text(_ title: String, _ id: String, _ text: String?) -> HTML? {
      text.map {
        """
        <h2><label for="\(id)">\(title)</label></h2><textarea id="\(id)" class="whole" rows="6" \
        readonly data-testid="\(id)">
        \($0)</textarea>
        """
      }
    }
  }

  /// Sends a request of a client again, as the same caller.
  enum RepeatRequest {
    static let action = Action(
      name: "request-again", summary: "Send a request to the server again", verb: "", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let open = try request.openToLook()
      let number = request.form["number"] ?? ""
      let server = open.visitor.server
      // A change of production needs the lock of this browser, whatever the page shows.
      if let found = Int64(number).flatMap(server.explainedRequest), found.isWriting,
        let (container, environment) = found.place, environment == .production,
        !open.session.isUnlocked(container)
      {
        throw CloudError(.invalidArguments, OpenPlace.locked)
      }
      let repeated = try server.repeatRequest(Int64(number) ?? 0)
      return .page(try RequestPage(open, number, repeated).html())
    }
  }
#endif
