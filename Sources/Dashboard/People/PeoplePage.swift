#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The accounts of the store with their devices, and who sees what others share.
  struct PeoplePage {
    private let open: OpenPlace
    private let accounts: [Account]
    private let accountCount: Int
    private let devices: [(device: Device, settings: NamedDevice)]
    private let shares: [SeenShare]
    private var place: Place { open.place }

    /// The maximum number of accounts on the page.
    static let most = 200

    init(_ open: OpenPlace) throws {
      self.open = open
      let all = try open.store.accounts(for: open.request)
      accounts = Array(all.prefix(Self.most))
      accountCount = all.count
      devices = try open.store.devices(for: open.request)
      shares = try SeenShare.all(open, accounts)
    }

    /// The page.
    func html() throws -> HTML {
      var frame = try Frame("People", open, rest: ["people"])
      frame.command = "ckdb account list"
      return frame.page(
        """
        <div class="title"><h1>People</h1><p>\(accountCount.counted("account"))</p></div>
        \(HTML.first(accounts.count, of: accountCount))\(try accountTable())\
        \(if: !isReadOnly, accountForm)
        <h2>Devices</h2>\(deviceTable)\(if: !isReadOnly, deviceForm)
        <h2>Shares</h2>\(zoneForm)\(SharePicture(shares, accounts, at: place).html)\(shareTable)
        """)
    }

    private var isReadOnly: Bool { open.visitor.isReadOnly }

    // MARK: Accounts

    private func accountTable() throws -> HTML {
      let rows = try accounts.map(row)
      if rows.isEmpty { return "<p class=\"quiet\">No account has written yet.</p>" }
      return .table(
        "Accounts",
        ["account", "person", "status", "records", "bytes", "quota", "devices"], rows,
        id: "accounts")
    }

    private func row(_ account: Account) throws -> HTML {
      let usage = try open.watched.environment.usage(of: account)
      let status = try open.store.status(of: account)
      let person = try open.store.person(of: account)
      let names = [person?.givenName, person?.familyName].compactMap(\.self)
      let addresses = person?.addresses.map(\.text) ?? []
      let quota = try open.store.quota(of: account)
      let own = devices.filter { $0.settings.account == account }.map(\.device.name)
      let records = place.seen(by: account).address(["records"])
      return """
        <tr><td><a href="\(records)" data-testid="account">\(account.name)</a></td>\
        <td>\((names + addresses).joined(separator: ", "))</td>\
        <td>\(statusForm(account, status))</td>\
        <td class="num">\(Int(usage?.records ?? 0).grouped)</td>\
        <td class="num">\(Int(usage?.bytes ?? 0).grouped)</td><td>\(quotaForm(account, quota))</td>\
        <td>\(own.joined(separator: ", "))</td></tr>
        """
    }

    private func statusForm(_ account: Account, _ status: AccountStatus) -> HTML {
      if isReadOnly { return "\(status.name)" }
      return form(
        PeopleActions.setStatus, account,
        .select(
          "status", "Status of \(account.name)",
          AccountStatus.allCases.map { ($0.name, $0.name) }, chosen: status.name),
        "Set", "status-\(account.name)")
    }

    private func quotaForm(_ account: Account, _ quota: Int64?) -> HTML {
      let text = quota.map { String($0) } ?? ""
      if isReadOnly { return "\(quota.map { "\(Int($0).grouped)" } ?? "none")" }
      return form(
        PeopleActions.setQuota, account,
        """
        <input class="num short" name="quota" value="\(text)" placeholder="none" \
        inputmode="numeric" aria-label="Quota of \(account.name) in bytes">
        """, "Set", "quota-\(account.name)")
    }

    /// A form with one button about an account.
    private func form(
      _ action: Action, _ account: Account, _ controls: HTML, _ label: String, _ id: String
    ) -> HTML {
      open.form(
        action, "\(controls)<button class=\"quiet\" data-testid=\"\(id)\">\(label)</button>",
        at: place.seen(by: account), back: address)
    }

    private var address: String { place.address(["people"]) }

    private var accountForm: HTML {
      open.form(
        PeopleActions.createAccount,
        """
        <input name="name" required placeholder="name" aria-label="Name of the new account">\
        <input name="email" placeholder="e-mail address" aria-label="E-mail address">\
        <button data-testid="account-create">Create account</button>
        """, "line", back: address)
    }

    // MARK: Devices

    private var deviceTable: HTML {
      let rows = devices.map { device, settings -> HTML in
        let seconds = "\(abs(Double(settings.clockOffset)) / 1000) s"
        let offset =
          settings.clockOffset == 0
          ? "no offset" : "\(seconds) \(settings.clockOffset > 0 ? "ahead" : "behind")"
        return """
          <tr><td>\(device.name)</td><td>\(settings.kind.rawValue)</td>\
          <td>\(settings.account?.name ?? "nobody")</td>\
          <td>\(offset)</td>\
          <td>\(settings.isOnline ? "online" : "offline") \(connection(device, settings))</td></tr>
          """
      }
      if rows.isEmpty { return "<p class=\"quiet\">No devices yet.</p>" }
      return .table(
        "Devices", ["device", "kind", "account", "clock", "network"], rows, id: "devices")
    }

    private func connection(_ device: Device, _ settings: NamedDevice) -> HTML? {
      if isReadOnly { return nil }
      let word = settings.isOnline ? "offline" : "online"
      return open.button(
        "Go \(word)", PeopleActions.connect,
        [("name", device.name), ("to", word), ("back", address)],
        " class=\"quiet\" data-testid=\"\(word)-\(device.name)\"")
    }

    private var deviceForm: HTML {
      let choices = accounts.map { ($0.name, $0.name) }
      let names = accounts.contains(Place.usualAccount) ? choices : [("me", "me")] + choices
      return open.form(
        PeopleActions.addDevice,
        """
        <input name="name" required placeholder="name" aria-label="Name of the new device">\
        \(HTML.select("kind", "Kind", [("ios", "ios"), ("mac", "mac")]))\
        \(HTML.select("account", "Account", names, chosen: place.account?.name))\
        <button data-testid="device-add">Add device</button>
        """, "line", back: address)
    }

    // MARK: Shares

    /// The form that shares the zone of the page; nil if it cannot be shared as a whole.
    private var zoneForm: HTML? {
      guard open.obstacle == nil, place.scope == .private, let zone = place.zone, !zone.isDefault
      else { return nil }
      return open.button(
        "Share the zone \(zone.text)", ShareActions.create, [("back", address)],
        " data-testid=\"share-zone\"")
    }

    /// The shares and the people, with the right of each.
    private var shareTable: HTML {
      if shares.isEmpty {
        return """
          <p class="quiet">Nothing is shared here. Records in a custom zone of a private database \
          can be shared, on the page of the record.</p>
          """
      }
      let people = accounts.filter { account in shares.contains { $0.right(of: account) != nil } }
      let rows = shares.map { share -> HTML in
        let cells = people.map { "<td>\(share.right(of: $0)?.html)</td>" as HTML }
        return """
          <tr><td><a href="\(share.address(at: place))" data-testid="share">\(share.title)</a></td>\
          <td>\(share.zone.text)</td><td>\(share.share.publicPermission.name)</td>\(cells)</tr>
          """
      }
      return .table(
        "Who sees what", ["share", "zone", "everyone"] + people.map(\.name), rows, id: "rights")
    }
  }
#endif
