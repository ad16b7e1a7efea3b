#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// What users store, and the requests that they sent to this server, over time.
  struct UsagePage {
    private let open: OpenPlace
    private let usage: [DatabaseUsage]
    private let created: [CreationCount]
    private let traffic: [TrafficMinute]
    private let names: Names

    private static let dayMilliseconds: Int64 = 86_400_000
    /// The maximum number of bars with days, and the number of those with minutes.
    private static let (bars, minutes): (Int64, Int64) = (60, 60)

    init(_ open: OpenPlace) throws {
      self.open = open
      usage = try open.watched.environment.databaseUsage()
      created = try open.visitor.usage.creations(open)
      traffic = open.visitor.server.traffic
      names = try Names(open)
    }

    /// The page.
    func html() throws -> HTML {
      var frame = try Frame("Usage", open, rest: ["usage"])
      frame.command = open.place.schemaCommand(["store", "info"])
      return frame.page(
        """
        <div class="title"><h1>Usage</h1></div>
        <h2>Storage</h2>\(storage)
        <h2>Records by the day of their creation</h2>\(creations.html)\(creators)
        <h2>Requests to this server</h2>\(requests.html)\(callers)
        <h2>Slowest queries</h2>\(slowest)
        """)
    }

    // MARK: Storage

    private var storage: HTML {
      let rows = usage.map { database -> HTML in
        let share = database.quota.map { $0 > 0 ? Int(database.bytes * 100 / $0) : 100 }
        let chip = share.map { share -> HTML in
          "<span class=\"chip \(share >= 90 ? "bad" : "good")\">\(String(share)) %</span>"
        }
        return """
          <tr><th scope="row">\(database.account?.name ?? "public database")</th>\
          <td class="num">\(Int(database.records).grouped)</td>\
          <td class="num">\(Int(database.bytes).grouped)</td>\
          <td class="num">\(database.quota.map { "\(Int($0).grouped)" } ?? "none")</td>\
          <td>\(chip)</td></tr>
          """
      }
      return .table(
        "Storage", ["database", "records", "bytes", "quota", "used"], rows, id: "storage")
    }

    /// The records since the first one, each bar for as many days as needed.
    private var creations: BarChart {
      let last = open.request.now.milliseconds / Self.dayMilliseconds
      let first = min(created.first?.day ?? last, last - 6)
      let step = (last - first) / Self.bars + 1
      var counts: [Int64: [String: Int]] = [:]
      for creation in created where creation.day <= last {
        let who = names.name(of: creation.user)
        counts[(last - creation.day) / step, default: [:]][who, default: 0] += creation.records
      }
      let bars = (0...((last - first) / step)).reversed().map { place -> BarChart.Bar in
        let users = counts[place] ?? [:]
        return BarChart.Bar(
          label: Timestamp(milliseconds: (last - place * step) * Self.dayMilliseconds).dayText,
          number: users.values.reduce(0, +), users: users)
      }
      let series = step == 1 ? "records a day" : "records in \(step) days"
      return BarChart(name: "Records created", series: (series, nil), bars: bars)
    }

    /// The records by their creators, all days.
    private var creators: HTML {
      var counts: [String: Int] = [:]
      for creation in created {
        counts[names.name(of: creation.user), default: 0] += creation.records
      }
      let rows = counts.largestFirst.prefix(50).map { who, count -> HTML in
        "<tr><th scope=\"row\">\(who)</th><td class=\"num\">\(count.grouped)</td></tr>"
      }
      if rows.isEmpty { return "<p class=\"quiet\">No records yet.</p>" }
      return .table(
        "Creators", ["created by", "records that exist"], Array(rows), id: "creators", "narrow")
    }

    // MARK: Requests

    private var requests: BarChart {
      let last = Platform.wallClockMilliseconds / 60_000
      let known = Dictionary(traffic.map { ($0.at.milliseconds / 60_000, $0) }) { $1 }
      let bars = ((last - Self.minutes + 1)...last).map { minute -> BarChart.Bar in
        let callers = known[minute]?.callers ?? [:]
        let counts = callers.values
        return BarChart.Bar(
          label: String(Timestamp(milliseconds: minute * 60_000).clockText.prefix(5)),
          number: counts.reduce(0) { $0 + $1.requests }, part: counts.reduce(0) { $0 + $1.errors },
          users: callers.mapValues(\.requests))
      }
      return BarChart(
        name: "Requests of the last hour", series: ("requests a minute", "errors"), bars: bars)
    }

    private var callers: HTML {
      var (requests, errors): ([String: Int], [String: Int]) = ([:], [:])
      for (caller, count) in traffic.flatMap(\.callers) {
        requests[caller, default: 0] += count.requests
        errors[caller, default: 0] += count.errors
      }
      if requests.isEmpty {
        return "<p class=\"quiet\">No client has sent a request in the last hours.</p>"
      }
      let rows = requests.largestFirst.map { caller, count -> HTML in
        """
        <tr><th scope="row">\(caller)</th><td class="num">\(count.grouped)</td>\
        <td class="num">\((errors[caller] ?? 0).grouped)</td></tr>
        """
      }
      return .table(
        "Callers", ["caller", "requests", "errors"], rows, id: "callers", "narrow")
    }

    private var slowest: HTML {
      let rows = open.visitor.server.slowestQueries.map { query -> HTML in
        let address = open.place.address(["request", String(query.request.number)])
        let what = query.command ?? query.request.path
        return """
          <tr><td class="num">\(query.request.timeText)</td>\
          <td>\(query.request.caller ?? "")</td><td class="mono">\(what)</td>\
          <td><a href="\(address)" data-testid="explain">explain</a></td></tr>
          """
      }
      if rows.isEmpty { return "<p class=\"quiet\">No queries yet.</p>" }
      return .table("Slowest queries", ["time", "caller", "query", "plan"], rows, id: "slowest")
    }
  }

  extension Timestamp {
    /// The day in UTC: `2026-05-01`.
    fileprivate var dayText: String { String(text.prefix(10)) }
  }
#endif
