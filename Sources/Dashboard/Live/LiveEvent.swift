#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// Something that happened, as a row of a live page.
  struct LiveEvent {
    let at: Timestamp
    let row: HTML
    /// Whether it is a failure, which is kept when others are left out.
    var isFailure = false

    /// A request to the server.
    init(_ request: ServedRequest, at place: Place) {
      at = request.at
      isFailure = request.failure != nil
      let what = request.endpoint ?? "\(request.method) \(request.path)"
      row = Self.row(
        at, "request", isFailure ? "bad" : "",
        """
        <a href="\(place.address(["request", String(request.number)]))" class="mono" \
        data-testid="live-request">\(what)</a>
        """, request.caller ?? "",
        """
        \(String(request.status))\(request.failure.map { " \($0)" as HTML })\
        \(request.faults.map { " <span class=\"chip warn\">fault \(String($0))</span>" as HTML })
        """, request.timeText)
    }

    /// A change of a record. The store does not note when a record was deleted: `seen` is the time
    /// of the change before, or now.
    init(_ change: LatestChange, _ names: Names, at place: Place, seen: Timestamp) {
      at = change.stamp?.at ?? seen
      var own = place
      own.zone = change.zone
      let name = change.record.text
      let link: HTML =
        change.kind == .deleted
        ? "<span class=\"mono\">\(name)</span>"
        : "<a href=\"\(own.address(["record", name]))\" class=\"mono\">\(name)</a>"
      row = Self.row(
        at, change.kind.rawValue, "good",
        "<span data-testid=\"live-change\">\(change.type.text) \(link)</span>",
        change.stamp.map { names.name(of: $0.by) } ?? "",
        "\(change.zone.text)\(change.stamp.map { " on \($0.device.name)" as HTML })", "")
    }

    /// A push notification.
    init(_ push: PushNotification, to device: Device, at place: Place) {
      at = push.at
      var own = place
      own.scope = push.scope
      own.zone = push.zone ?? push.changedZone
      let record = push.record.map { name -> HTML in
        " <a href=\"\(own.address(["record", name.text]))\" class=\"mono\">\(name.text)</a>"
      }
      row = Self.row(
        at, "push", "warn",
        """
        <span data-testid="live-push">\(push.subscription.text)\(record)\
        \(push.reason.map { " \($0.name)" as HTML })</span>
        """, "to \(device.name)", "\(push.info.alertBody ?? push.kind.name)", "")
    }

    private static func row(
      _ at: Timestamp, _ kind: String, _ color: HTML, _ what: HTML, _ who: String, _ result: HTML,
      _ time: String
    ) -> HTML {
      """
      <tr><td class="mono">\(at.liveText)</td>\
      <td><span class="chip \(color)">\(kind)</span></td><td>\(what)</td><td>\(who)</td>\
      <td>\(result)</td><td class="num">\(time)</td></tr>
      """
    }
  }

  extension ServedRequest {
    /// The time that it took.
    var timeText: String {
      let (whole, tenth) = (microseconds / 1000, microseconds % 1000 / 100)
      return "\(whole).\(tenth) ms"
    }

    /// Whether it concerns an environment, or none.
    func concerns(_ place: Place) -> Bool {
      guard let own = self.place else { return endpoint != "dashboard" }
      return utf8Equal(own.container, place.container.text)
        && utf8Equal(own.environment, place.environment.rawValue)
    }
  }

  extension Timestamp {
    /// The time of the day in UTC, to the millisecond: `12:00:00.000`.
    var clockText: String { String(text.dropFirst(11).prefix(12)) }

    /// The time of the day for a time of today, else the day, too.
    fileprivate var liveText: String {
      let today = Timestamp(milliseconds: Platform.wallClockMilliseconds).text.prefix(10)
      return text.hasPrefix(today) ? clockText : shortText
    }
  }
#endif
