#if Server
  internal import Basics
  internal import CloudModel
  public import CloudServices

  /// The dashboard shows a store in the browser. The server renders the pages, and they work
  /// without JavaScript. All operations are those of `CloudServices`, on behalf of the account of
  /// the page, with the same errors as elsewhere.
  public struct Dashboard: Sendable {
    private let store: CloudStore
    private let base: String
    private let sessions = Sessions()

    /// Creates the dashboard of a store; `base` is the prefix of all its paths.
    public init(_ store: CloudStore, base: String) {
      (self.store, self.base) = (store, base)
    }

    /// The path of a link that opens the dashboard once.
    public func openingPath() -> String { "\(base)/open?code=\(sessions.makeCode())" }

    /// Whether a path below the base belongs to the dashboard.
    public static func has(_ path: [String]) -> Bool {
      guard let first = path.first else { return true }
      if path.count == 1, ["", "open", "go", "dashboard.css", "dashboard.js"].contains(first) {
        return true
      }
      return first.hasPrefix("iCloud.")
    }

    /// Answers a request. Every error is a page.
    public func answer(_ request: DashboardRequest) -> DashboardAnswer {
      switch request.path.first ?? "" {
      case "dashboard.css": return .file(PackageResources.dashboard_css, "text/css")
      case "dashboard.js": return .file(PackageResources.dashboard_js, "text/javascript")
      case "open": return open(request)
      default: break
      }
      guard let cookie = request.cookie, sessions.contains(cookie) else {
        return closed(wasUsed: false)
      }
      do { return try page(request) } catch {
        return failed(error as? CloudError ?? CloudError(.internalError, "\(error)"))
      }
    }

    // MARK: Opening

    private func open(_ request: DashboardRequest) -> DashboardAnswer {
      guard request.isForm else {
        return .page(PlainPages.open(code: request.query["code"] ?? "", base: base))
      }
      guard let cookie = sessions.begin(with: request.form["code"] ?? "") else {
        return closed(wasUsed: true)
      }
      return .redirect(to: base + "/", cookie: cookie)
    }

    private func closed(wasUsed: Bool) -> DashboardAnswer {
      .page(PlainPages.closed(wasUsed: wasUsed, base: base), status: 401)
    }

    // MARK: Pages

    private func page(_ request: DashboardRequest) throws -> DashboardAnswer {
      switch request.path.first ?? "" {
      case "": return .page(try PlainPages.start(store, base: base))
      case "go": return .redirect(to: try going(request.query))
      default: break
      }
      var rest: [String] = []
      let place = try Place(request.path, request.query, base: base, rest: &rest)
      if rest.isEmpty { return .redirect(to: place.address(["records"])) }
      let open = try OpenPlace(place, in: store, for: request.serving(place.account, place.device))
      switch (rest[0], rest.count) {
      case ("records", 1): return .page(try PlainPages.types(open))
      case ("records", 2):
        return .page(try RecordsPage(open, RecordType(stored: rest[1]), request.query).html())
      case ("record", 2): return .page(try RecordPage.html(open, RecordName(stored: rest[1])))
      case ("schema", 1): return .page(try SchemaPage.html(open))
      default: return failed(CloudError(.unknownItem, "Page not found"))
      }
    }

    /// The address that the form in the header leads to.
    private func going(_ fields: FormFields) throws -> String {
      var place = Place(try ContainerID(fields["container"] ?? ""), base: base)
      var rest: [String] = []
      let path = [
        fields["container"], fields["environment"] ?? place.environment.rawValue,
        fields["database"] ?? place.scope.name,
      ].compactMap(\.self)
      place = try Place(path, fields, base: base, rest: &rest)
      let wanted = (fields.text("page") ?? "records").split(separator: "/", maxSplits: 1)
      return place.address(wanted.map(String.init))
    }

    private func failed(_ error: CloudError) -> DashboardAnswer {
      let isMissing = [.unknownItem, .badContainer, .zoneNotFound].contains(error.code)
      return .page(
        PlainPages.fault(error, base: base),
        status: isMissing ? 404 : error.storage == nil ? 400 : 500)
    }
  }
#endif
