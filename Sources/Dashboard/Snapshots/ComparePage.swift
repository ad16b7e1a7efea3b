#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  /// The differences between two states of the store, record by record.
  struct ComparePage {
    private let open: OpenPlace
    private let names: (from: String, to: String?)
    private let found: Found
    private var changes: [Change] { found.changes }

    /// The maximum number of records on the page; the others are counted.
    private static let most = 200
    /// The maximum width of a value.
    private static let mostColumns = 200

    /// A record, zone or other entry that differs.
    private struct Change {
      let subject: RecordDifference
      let kind: Kind
      var parts: [RecordDifference] = []

      enum Kind: String { case added, changed, removed }
    }

    /// Compares a snapshot with another one, or with the store as it is now. Throws `unknownItem`
    /// for an unknown snapshot.
    init(_ open: OpenPlace, _ query: FormFields) throws {
      self.open = open
      names = (query["from"] ?? "", query.text("to"))
      let from = try Self.database(names.from, open)
      let to = try Self.database(names.to, open)
      let found = Found()
      try from.withoutNetwork().differences(
        from: to.withoutNetwork(), ignoring: IgnoredFields([]), found.add)
      self.found = found
    }

    /// The differences by records: the first ones, and how many there are.
    private final class Found {
      var changes: [Change] = []
      var counts: [Change.Kind: Int] = [:]
      private var last: (zone: ZoneID, record: RecordName)?

      func add(_ difference: RecordDifference) {
        let isPresence = difference.subject == .presence
        if !isPresence, let last, let record = difference.record, last.record == record,
          last.zone == difference.zone
        {
          if changes.last?.subject.record == record, changes.last?.subject.zone == last.zone {
            changes[changes.count - 1].parts.append(difference)
          }
          return
        }
        last = isPresence ? nil : difference.record.map { (difference.zone, $0) }
        let kind: Change.Kind =
          !isPresence ? .changed : difference.expected == nil ? .added : .removed
        counts[kind, default: 0] += 1
        guard changes.count < ComparePage.most else { return }
        changes.append(
          Change(subject: difference, kind: kind, parts: isPresence ? [] : [difference]))
      }
    }

    /// A snapshot, or the store as it is now. The databases of all accounts are compared, whoever
    /// the page acts as.
    private static func database(_ name: String?, _ open: OpenPlace) throws -> CloudDatabase {
      let store = try name.map { try open.store.snapshot(SnapshotName($0)) } ?? open.store
      let request = open.visitor.serving(Place.usualAccount, .cli)
      return try store.environment(open.place.container, open.place.environment, for: request)
        .database(.private)
    }

    /// The page.
    func html() throws -> HTML {
      var frame = try Frame("Compare", open, rest: ["snapshots"])
      let at = ["-C", open.place.container.text, "-e", open.place.environment.rawValue]
      frame.command = Place.line(
        ["snapshot", "diff"] + at, [names.from] + (names.to.map { [$0] } ?? []))
      let total = found.counts.values.reduce(0, +)
      let words = [Change.Kind.added, .changed, .removed].compactMap { kind in
        found.counts[kind].map { "\($0.grouped) \(kind.rawValue)" }
      }
      return frame.page(
        """
        <div class="title"><h1>From <span class="mono">\(names.from)</span> to \
        <span class="mono">\(names.to ?? "now")</span></h1>\
        <p data-testid="compared">\(total == 0 ? "no differences" : words.joined(separator: ", "))\
        </p><div class="actions"><a class="button" \
        href="\(open.place.address(["snapshots"]))">Snapshots</a></div></div>
        \(if: !changes.isEmpty, table)
        \(HTML.first(changes.count, of: total))
        """)
    }

    private var table: HTML {
      .table(
        "Differences", ["change", "record", "type", "field", "before", "after"],
        changes.flatMap(rows), id: "differences", "wraps")
    }

    private func rows(_ change: Change) -> [HTML] {
      let subject = change.subject
      let color: HTML =
        switch change.kind {
        case .added: "good"
        case .changed: "warn"
        case .removed: "bad"
        }
      let name = subject.record?.text ?? "zone"
      let head: HTML = """
        <td><span class="chip \(color)">\(change.kind.rawValue)</span></td>\
        <td><span class="mono">\(name)</span><br>\
        <span class="type">\(subject.scope.name), \(subject.zone.text)</span></td>\
        <td>\(subject.type?.text ?? "")</td>
        """
      guard !change.parts.isEmpty else {
        let (before, after) = (text(subject.expected), text(subject.found))
        return [
          "<tr data-testid=\"difference\">\(head)<td></td><td>\(before)</td><td>\(after)</td></tr>"
        ]
      }
      return change.parts.map { part in
        """
        <tr data-testid="difference">\(head)<td class="mono">\(part.subject.name ?? "")</td>\
        <td>\(text(part.expected))</td><td>\(text(part.found))</td></tr>
        """
      }
    }

    private func text(_ value: RecordDifference.Expectation?) -> HTML {
      guard let value else { return "<span class=\"null\">none</span>" }
      let text = value.text.truncated(toColumns: Self.mostColumns)
      return "<span class=\"mono\">\(text)</span>"
    }
  }
#endif
