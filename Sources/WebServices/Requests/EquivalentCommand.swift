#if Server
  internal import Basics
  internal import CloudModel
  internal import PredicateLanguage
  internal import WireFormat

  extension Call {
    /// A shell command line that does the same as the endpoint; nil if there is none.
    func command(for endpoint: Endpoint) -> String? {
      guard let own = try? words(for: endpoint) else { return nil }
      var words = ["ckdb"] + own
      words += ["-C", container.text]
      if environment != .development { words += ["-e", environment.rawValue] }
      if scope != .private { words += ["-d", scope.name] }
      words += ["-u", caller.account?.name ?? "none"]
      let line = words.map(\.shellWord).joined(separator: " ")
      return own.contains("-") ? "printf %s \(bodyText.shellWord) | \(line)" : line
    }

    /// The request as a curl command line. Tokens are variables, to keep them out of logs.
    func curl(for endpoint: Endpoint) -> String? {
      if case .key = caller { return nil }
      var url = "\(base)/database/1/\(environmentPath)/\(scope.name)/\(endpoint.path)"
      url += "?ckAPIToken=$CKDB_API_TOKEN"
      if caller.account != nil { url += "&ckWebAuthToken=$CKDB_WEB_AUTH_TOKEN" }
      var line = "curl"
      if let socket = server.settings.socket { line += " --unix-socket \(socket.shellWord)" }
      // The certificate is the server's own.
      if server.settings.makesCertificate { line += " --insecure" }
      line += " \"\(url)\""
      return isGet ? line : "\(line) --data \(bodyText.shellWord)"
    }

    /// Whether the lines are short enough to be kept with a thousand others.
    var isShort: Bool { bodyBytes <= 4096 }

    private var bodyText: String { JSONValue.object(body.members).text }

    private func words(for endpoint: Endpoint) throws -> [String]? {
      switch endpoint.path {
      case "records/query": try queryWords()
      case "records/lookup":
        try ["record", "fetch"]
          + body.requiredObjects("records").map { try $0.requiredText("recordName") } + zoneWords()
      case "records/modify": try modifyWords()
      case "records/changes": try ["changes", "zone"] + zoneWords()
      case "changes/zone": try changesWords()
      case "changes/database", "zones/changes": ["changes", "database"]
      case "records/resolve": try shareWords("metadata")
      case "records/accept": try shareWords("accept")
      case "zones/list": ["zone", "list"]
      case "subscriptions/list": ["subscription", "list"]
      case "users/caller", "users/current": ["account", "show"]
      default: nil
      }
    }

    private func zoneWords() throws -> [String] {
      let zone = try zone()
      return zone.isDefault ? [] : ["-z", zone.text]
    }

    /// The command reads the body of the request, but has no forced updates.
    private func modifyWords() throws -> [String]? {
      let known = ["create", "update", "delete", "forceDelete"]
      let kinds = try body.requiredObjects("operations").map {
        try $0.requiredText("operationType")
      }
      guard kinds.allSatisfy({ known.contains($0) }) else { return nil }
      return try ["record", "save", "--from", "-"] + zoneWords()
        + [body.flag("atomic") ?? false ? "--atomic" : "--no-atomic"]
    }

    private func queryWords() throws -> [String] {
      let query = try WireQuery(body.requiredObject("query"))
      var words = ["query", query.type.text]
      let predicate = query.predicate.text
      if predicate != "TRUEPREDICATE" { words.append(predicate) }
      if !query.sort.isEmpty {
        let keys = query.sort.map { ($0.isAscending ? "" : "-") + $0.key }
        words += ["--sort", keys.joined(separator: ",")]
      }
      if try body["zoneID"] != nil || body.flag("zoneWide") != true {
        words += ["-z", try zone().text]
      }
      return words + ["--limit", String(try limit())]
    }

    private func changesWords() throws -> [String]? {
      let zones = try body.requiredObjects("zones")
      guard zones.count == 1, let zone = try zones[0].zoneID() else { return nil }
      return ["changes", "zone", "-z", zone.text]
    }

    private func shareWords(_ verb: String) throws -> [String] {
      try ["share", verb]
        + body.requiredObjects("shortGUIDs").map {
          try ShareURL(container, token: $0.requiredText("value"), title: nil).text
        }
    }
  }
#endif
