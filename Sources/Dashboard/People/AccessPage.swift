#if Server
  internal import CloudModel
  internal import CloudServices

  /// Who may do what with a record, with the rule that decides for each person.
  enum AccessPage {
    static func html(_ open: OpenPlace, _ name: RecordName) throws -> HTML {
      let record = try RecordPage.record(name, at: open, in: open.watched)
      var place = open.place
      place.zone = record.zone
      var people: [Account?] = try open.store.accounts(for: open.request)
      if let account = open.place.account, !people.contains(account) { people.append(account) }
      let count = people.count
      people = Array(people.prefix(PeoplePage.most)) + [nil]
      let rows = try people.map { person in
        try row(open.watched.access(of: person, to: name, in: record.zone))
      }
      let table = HTML.table(
        "Who may do what", ["account", "read", "change", "delete"], rows, id: "access", "wraps")
      var frame = try Frame("Access to \(name.text)", open, rest: ["access", name.text])
      frame.isLive = true
      return frame.page(
        """
        <div class="title"><h1>Access to <span class="mono">\(name.text)</span></h1><p>\
        <a href="\(place.address(["record", name.text]))">the record</a></p></div>
        \(table)\(HTML.first(people.count - 1, of: count))
        """)
    }

    private static func row(_ access: RecordAccess) -> HTML {
      """
      <tr><th scope="row">\(access.account?.name ?? "no account")</th>\(cell(access.read))\
      \(cell(access.change))\(cell(access.delete))</tr>
      """
    }

    private static func cell(_ decision: RecordAccess.Decision) -> HTML {
      let chip: HTML =
        decision.isAllowed
        ? "<span class=\"chip good\">yes</span>" : "<span class=\"chip bad\">no</span>"
      return "<td>\(chip) <span class=\"type\">\(decision.rule)</span></td>"
    }

    /// What a person may do, in a word.
    static func chip(_ access: RecordAccess) -> HTML {
      if !access.read.isAllowed { return "<span class=\"chip bad\">hidden</span>" }
      if !access.change.isAllowed { return "<span class=\"chip warn\">read</span>" }
      return "<span class=\"chip good\">read and write</span>"
    }
  }
#endif
