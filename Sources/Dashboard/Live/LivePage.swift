#if Server
  internal import CloudModel
  internal import CloudServices

  /// What happened last, newest first, and with JavaScript what happens meanwhile.
  struct LivePage {
    private let open: OpenPlace
    private let filter: LiveFilter

    init(_ open: OpenPlace, _ query: FormFields) {
      (self.open, filter) = (open, LiveFilter(query))
    }

    /// The maximum number of events of a kind on a new page.
    private static let most = 50

    /// The page.
    func html() throws -> HTML {
      let place = open.place
      var frame = try Frame("Live", open, rest: ["live"])
      frame.command = place.command(["notification", "watch"])
      frame.keys = [("/", "filter"), ("p", "pause")]
      var position = try LiveEvents(place, open.visitor, filter).now(open.watched)
      let rows = try lastEvents(&position).reversed().map(\.row)
      let address = place.address(
        ["live", "events"], filter.parameters + [("since", position.text)])
      return frame.page(
        """
        <div class="title"><h1>Live</h1><p>\(Self.explanation)</p><div class="actions">\
        <span role="status" class="chip with-script-only" id="live-state" \
        data-testid="live-state"></span><button type="button" class="with-script-only" id="pause" \
        data-testid="pause" aria-pressed="false">Pause</button></div></div>
        \(form)
        <p class="finding warn" id="omitted" data-testid="omitted" hidden><span><b>0</b> events \
        were left out, because more came than a page can show.</span></p>
        <div class="tablebox" tabindex="0" role="region" aria-label="Events"><table class="live">\
        <thead><tr><th scope="col">UTC</th><th scope="col">event</th><th scope="col">what</th>\
        <th scope="col">who</th><th scope="col">result</th><th scope="col">time</th></tr></thead>\
        <tbody id="live" data-testid="live" data-events="\(address)">\(rows)</tbody></table></div>
        \(if: rows.isEmpty, Self.nothing)
        """)
    }

    private static let explanation =
      "Changes and notifications by any process, and the requests to this server."
    private static let nothing: HTML =
      "<div class=\"empty\" id=\"nothing\"><p>Nothing has happened yet.</p></div>"

    private func lastEvents(_ position: inout LivePosition) throws -> [LiveEvent] {
      let events = LiveEvents(open.place, open.visitor, filter)
      var past = LivePosition(run: position.run, request: 0, change: 0, notification: 0)
      var found = events.requests(after: &past, most: Self.most)
      if open.failure == nil {
        found.add(
          try events.changes(
            open.watched, after: &past, most: Self.most, isFirst: true,
            names: { _ in try Names(open) }))
        found.add(try events.notifications(open.watched, after: &past, most: Self.most))
        (position.change, position.notification) = (
          past.change, past.notification
        )
      }
      position.request = max(past.request, position.request)
      return found.events
    }

    private var form: HTML {
      let boxes = LiveFilter.Kind.allCases.map { kind -> HTML in
        """
        <label><input type="checkbox" name="show" value="\(kind.rawValue)"\
        \(if: filter.kinds.contains(kind), " checked")> \(kind.label)</label>
        """
      }
      let kept = open.place.own.compactMap { name, value in value.map { HTML.hidden(name, $0) } }
      return """
        <form class="ask" role="search" action="\(open.place.address(["live"]))" \
        data-testid="live-filter">\(kept)<kbd aria-hidden="true">/</kbd>\
        <input id="predicate" name="text" value="\(filter.text)" aria-label="Text in the events" \
        placeholder="a type, a record, an endpoint, a caller" autocomplete="off" \
        autocapitalize="off">\(boxes)<label><input type="checkbox" name="errors"\
        \(if: filter.onlyErrors, " checked")> only errors</label>\
        <button class="quiet">Filter</button></form>
        """
    }
  }
#endif
