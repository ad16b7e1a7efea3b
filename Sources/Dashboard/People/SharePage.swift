#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// A share with everyone's side of it: who takes part, and what each person sees by which right.
  struct SharePage {
    private let open: OpenPlace
    private let share: Share
    private let owner: Account
    private let accounts: [Account]
    private var name: String { share.record.name.text }
    private var place: Place { open.place }

    /// The maximum number of records, and of people beside the owner, in the table.
    private static let (mostRecords, mostPeople) = (20, 12)

    /// Reads a share of the account of the page. Throws `unknownItem`.
    init(_ open: OpenPlace, _ name: RecordName) throws {
      var place = open.place
      // The owner finds the share in the private database, a participant in the shared one.
      if place.scope == .public { place.scope = .private }
      self.open = try OpenPlace(place, for: open.visitor)
      share = try self.open.watched.share(.name(name), in: place.zone)
      owner = share.participants.first?.account ?? place.account ?? Place.usualAccount
      accounts = Array(try open.store.accounts(for: open.request).prefix(PeoplePage.most))
    }

    /// The page.
    func html() throws -> HTML {
      let title = SeenShare(share: share, owner: owner).title
      var frame = try Frame(title, open, rest: ["share", name])
      frame.command = place.command(["share", "show"], [name])
      frame.isLive = true
      return frame.page(
        """
        <div class="title"><h1>\(title)</h1><p>\(subtitle)</p>\(if: manages, stop)</div>
        <p class="line"><label for="url">URL</label> <input id="url" class="mono" readonly \
        value="\(share.url.text)" data-testid="url"><button type="button" \
        class="quiet with-script-only" data-copy="url">Copy</button></p>
        <h2>Everyone’s side</h2>\(try sides())
        <h2>Participants</h2>\(participants)\(if: manages, invitation)
        \(if: manages, settings)
        """)
    }

    private var subtitle: HTML {
      let what = share.root.map { root -> HTML in
        """
        the record <a href="\(place.address(["record", root.text]))" class="mono">\(root.text)</a> \
        and those below it
        """
      }
      return "\(what ?? "the zone \(share.record.zone.text)"), owned by \(owner.name)"
    }

    /// Whether the account of the page can change the share here.
    private var manages: Bool {
      let own = share.current
      return open.obstacle == nil
        && (own?.role == .owner || own?.role == .administrator && own?.status == .accepted)
    }

    private var address: String { place.address(["share", name]) }

    // MARK: Everyone's side

    /// The place of the owner, who sees all of the share.
    private var ownerPlace: Place {
      place.seen(by: owner, in: .private, ZoneID(share.record.zone.name))
    }

    /// What each person sees: a row for each record, a column for each person.
    private func sides() throws -> HTML {
      let owned = try OpenPlace(ownerPlace, for: open.visitor)
      let people = people()
      let records: [Record]
      do { records = try sharedRecords(owned) } catch let error as CloudError {
        // The owner may not be signed in.
        return PageFault(error).html
      }
      let heads = people.map { head($0) }
      let rows = try records.prefix(Self.mostRecords).map { record -> HTML in
        let cells = try people.map { try cell($0, record, owned.watched) }
        return "<tr><th scope=\"row\" class=\"mono\">\(record.name.text)</th>\(cells)</tr>"
      }
      return """
        <div class="tablebox wraps" tabindex="0" role="region" aria-label="What each person sees">\
        <table data-testid="sides"><thead><tr><th scope="col">record</th>\(heads)</tr></thead>\
        <tbody>\(rows)</tbody></table></div>
        \(if: records.count > Self.mostRecords, more)\
        \(if: people.count == Self.mostPeople, Self.morePeople)
        """
    }

    private static let morePeople: HTML =
      "<p class=\"quiet\">The first \(String(mostPeople)) people are shown.</p>"

    private var more: HTML {
      "<p class=\"quiet\">The first \(String(Self.mostRecords)) records are shown.</p>"
    }

    /// The owner, the participants, and the other accounts of the store.
    private func people() -> [Account] {
      let own = (share.participants + share.requesters + share.blocked).compactMap(\.account)
      let others = accounts.filter { !own.contains($0) }
      return Array(([owner] + own.filter { $0 != owner } + others).prefix(Self.mostPeople))
    }

    private func participant(_ account: Account) -> ShareParticipant? {
      (share.participants + share.requesters + share.blocked).first { $0.account == account }
    }

    /// A person, and what the person can do about the share.
    private func head(_ account: Account) -> HTML {
      let right = participant(account).map { SeenShare.Right(participant: $0).html }
      return """
        <th scope="col" data-testid="side-\(account.name)">\(account.name)<br>\
        \(right ?? "<span class=\"null\">not invited</span>")<br>\(steps(account))</th>
        """
    }

    private func steps(_ account: Account) -> [HTML] {
      if account == owner || open.obstacle != nil { return [] }
      var steps: [(action: Action, label: HTML)] = []
      switch participant(account)?.status {
      case .accepted: steps = [(ShareActions.leave, "Leave")]
      case .pending: steps = [(ShareActions.accept, "Accept")]
      case .requested, .blocked: break
      case .removed, nil:
        if share.publicPermission != .none { steps.append((ShareActions.accept, "Accept")) }
        if share.allowsRequests { steps.append((ShareActions.request, "Ask for access")) }
      }
      let theirs = place.seen(by: account, in: .shared)
      return steps.map { step in
        open.button(
          step.label, step.action, [("url", share.url.text), ("back", address)],
          " data-testid=\"\(step.action.name)-\(account.name)\"", at: theirs)
      }
    }

    private func cell(
      _ account: Account, _ record: Record, _ database: CloudDatabase
    ) throws -> HTML {
      let access = try database.access(of: account, to: record.name, in: record.zone)
      return """
        <td data-testid="cell-\(account.name)">\(AccessPage.chip(access))\
        <br><span class="type">\(access.read.isAllowed ? access.change.rule : access.read.rule)\
        </span></td>
        """
    }

    /// The records that the share covers, the root first; one more than are shown.
    private func sharedRecords(_ owned: OpenPlace) throws -> [Record] {
      let zone = ownerPlace.zone ?? share.record.zone
      guard let root = share.root else {
        var records: [Record] = []
        try owned.watched.list(nil, in: zone) { record in
          if record.type != .share { records.append(record) }
          return records.count <= Self.mostRecords
        }
        return records
      }
      var names = [root]
      var place = 0
      while place < names.count, names.count <= Self.mostRecords {
        let sources = try owned.watched.sources(
          ofLinksTo: names[place], in: zone, atMost: Self.mostRecords)
        names += sources.filter { $0.kind == .child && !names.contains($0.name) }.map(\.name)
        place += 1
      }
      return try owned.watched.fetch(names, in: zone).compactMap { try? $0.get() }
    }

    // MARK: Participants

    private var participants: HTML {
      let all = share.participants + share.requesters + share.blocked
      return .table(
        "Participants", ["person", "role", "permission", "status", "new permission", "answer"],
        all.map(row),
        id: "participants")
    }

    private func row(_ participant: ShareParticipant) -> HTML {
      let who = word(participant)
      let isChangeable = manages && participant.role != .owner
      return """
        <tr><td>\(label(participant))</td><td>\(participant.role.name)</td>\
        <td>\(participant.permission.name)</td><td>\(participant.status.name)</td>\
        <td>\(if: isChangeable && participant.isMember, permissionForm(participant, who))</td>\
        <td>\(isChangeable ? answers(participant, who) : [])</td></tr>
        """
    }

    /// The word that names a participant in commands: the account, the address or the id.
    private func word(_ participant: ShareParticipant) -> String {
      participant.account?.name ?? participant.identity.address?.text ?? participant.id ?? ""
    }

    private func label(_ participant: ShareParticipant) -> String {
      let name = [participant.identity.givenName, participant.identity.familyName]
        .compactMap(\.self).joined(separator: " ")
      let known = word(participant)
      let address = participant.oneTimeURL?.text ?? ""
      return [known, name == known ? "" : name, address].filter { !$0.isEmpty }
        .joined(separator: " ")
    }

    private func permissionForm(_ participant: ShareParticipant, _ who: String) -> HTML {
      form(
        ShareActions.set,
        """
        \(HTML.hidden("who", who))\(permissions("Permission of \(who)", participant.permission))\
        <button class="quiet" data-testid="set-\(who)">Set</button>
        """)
    }

    private func permissions(_ label: String, _ chosen: SharePermission) -> HTML {
      .select(
        "permission", label, [("readOnly", "read"), ("readWrite", "read and write")],
        chosen: chosen.name)
    }

    private func answers(_ participant: ShareParticipant, _ who: String) -> [HTML] {
      let answers: [(word: String, label: String)] =
        switch participant.status {
        case .requested: [("approve", "Approve"), ("deny", "Deny"), ("block", "Block")]
        case .blocked: [("unblock", "Unblock")]
        case .pending, .accepted, .removed: []
        }
      if participant.isMember {
        return [
          open.button(
            "Remove", ShareActions.remove, [("share", name), ("who", who), ("back", address)],
            " class=\"quiet\" data-testid=\"remove-\(who)\"")
        ]
      }
      return answers.map { answer in
        open.button(
          "\(answer.label)", ShareActions.answer,
          [("share", name), ("who", who), ("answer", answer.word), ("back", address)],
          " data-testid=\"\(answer.word)-\(who)\"")
      }
    }

    // MARK: Changes

    private func form(_ action: Action, _ controls: HTML, _ kind: HTML = "inline") -> HTML {
      open.form(action, "\(HTML.hidden("share", name))\(controls)", kind, back: address)
    }

    private var invitation: HTML {
      form(
        ShareActions.invite,
        """
        <input name="who" required placeholder="account, e-mail address or phone number" \
        aria-label="Whom to invite">\(permissions("Permission of the new participant", .readOnly))\
        <label><input type="checkbox" name="administrator"> administrator</label>\
        <button data-testid="invite">Invite</button>
        """, "line")
    }

    private var settings: HTML {
      let choices = [("none", "nobody"), ("read", "to read"), ("write", "to read and write")]
      let chosen =
        share.publicPermission == .none
        ? "none" : share.publicPermission == .readOnly ? "read" : "write"
      let requests = share.allowsRequests
      return form(
        ShareActions.edit,
        """
        <label>Everyone with the URL may join: \
        \(HTML.select("public", nil, choices, chosen: chosen))</label>\
        <label><input type="checkbox" name="requests"\(if: requests, " checked")> others may ask \
        for access</label><button data-testid="share-settings">Set</button>
        """, "line")
    }

    private var stop: HTML {
      let stop = open.button(
        "Stop sharing", ShareActions.stop,
        [("share", name), ("back", place.address(["people"]))],
        " class=\"danger\" data-testid=\"stop\"")
      return "<div class=\"actions\">\(if: share.current?.role == .owner, stop)</div>"
    }
  }

  extension ShareParticipant {
    /// Whether the person is invited or has accepted.
    fileprivate var isMember: Bool { status == .pending || status == .accepted }
  }
#endif
