#if Server
  internal import Basics
  internal import CloudModel
  public import CloudServices
  internal import PredicateLanguage

  /// The dashboard shows and changes a store in the browser. The server renders the pages, and they
  /// work without JavaScript. All operations are those of `CloudServices`, on behalf of the account
  /// of the page, with the same errors as elsewhere.
  public struct Dashboard: Sendable {
    private let store: CloudStore
    private let base: String
    private let isReadOnly: Bool
    private let sessions = Sessions()
    private let counts = RecordCounts()
    private let usage = UsageCache()

    /// Creates the dashboard of a store; `base` is the prefix of all its paths. With `isReadOnly`
    /// it refuses all actions.
    public init(_ store: CloudStore, base: String, isReadOnly: Bool) {
      (self.store, self.base, self.isReadOnly) = (store, base, isReadOnly)
    }

    /// The path of a link that opens the dashboard once.
    public func openingPath() -> String { "\(base)/open?code=\(sessions.makeCode())" }

    /// Whether a path below the base belongs to the dashboard.
    public static func has(_ path: [String]) -> Bool {
      guard let first = path.first else { return true }
      if path.count == 1 { return pages.contains(first) || first.hasPrefix("iCloud.") }
      return first == "do" || first.hasPrefix("iCloud.")
    }

    /// The first parts of paths outside of places.
    private static let pages: Set<String> = [
      "", "open", "go", "keys", "dashboard.css", "dashboard.js", "sample.json",
    ]

    /// Answers a request. Every error is a page.
    public func answer(_ request: DashboardRequest) -> DashboardAnswer {
      switch request.path.first ?? "" {
      case "dashboard.css": return .file(PackageResources.dashboard_css, "text/css")
      case "dashboard.js": return .file(PackageResources.dashboard_js, "text/javascript")
      case "sample.json": return .file(PackageResources.sample_json, "application/json")
      case "open": return open(request)
      default: break
      }
      guard let session = request.cookie.flatMap({ sessions[$0] }) else {
        return closed(wasUsed: false)
      }
      let visitor = visitor(session, request)
      do {
        return try request.isForm ? act(request, visitor) : page(request, visitor)
      } catch let error as PredicateError {
        return failed(CloudError(.invalidArguments, error.message))
      } catch let refused as Refused {
        return .page(refused.page, status: 400)
      } catch {
        return failed(error as? CloudError ?? CloudError(.internalError, "\(error)"))
      }
    }

    /// Whether a cookie belongs to a session. Without one, a form is not even read.
    public func hasSession(_ cookie: String?) -> Bool {
      cookie.flatMap { sessions[$0] } != nil
    }

    private func visitor(_ session: Session, _ request: DashboardRequest) -> Visitor {
      // Other processes change accounts, devices and faults.
      store.noteChanges(of: nil, atOnce: true)
      let number = request.query["done"].flatMap { Int($0) }
      let done = number.flatMap { number in session.done(number).map { (number, $0) } }
      return Visitor(
        store: store, session: session, counts: counts, usage: usage, server: request.server,
        base: base, origin: request.origin, isReadOnly: isReadOnly, done: done,
        serving: request.serving)
    }

    /// The file whose changes are commits to the environment of a page, `/PLACE/commits`; nil for a
    /// request without a session or without a place.
    public func commitFile(_ request: DashboardRequest) -> String? {
      try? openPlace(request, ["commits"])?.database.environment.commitFile
    }

    /// The events of a live page, `/PLACE/live/events`; nil for a request without a session or
    /// without a place. Throws `CloudError`.
    public func liveFeed(_ request: DashboardRequest) throws -> LiveFeed? {
      try openPlace(request, ["live", "events"]).map { open in
        let position = request.lastEvent ?? request.query["since"]
        return try LiveFeed(
          open, LiveFilter(request.query), after: position.flatMap(LivePosition.init))
      }
    }

    private func openPlace(_ request: DashboardRequest, _ wanted: [String]) throws -> OpenPlace? {
      guard let session = request.cookie.flatMap({ sessions[$0] }) else { return nil }
      var rest: [String] = []
      let place = try Place(request.path, request.query, base: base, rest: &rest)
      return rest == wanted ? try OpenPlace(place, for: visitor(session, request)) : nil
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

    // MARK: Actions

    /// Does what a form asks for: `/do/ACTION`, or `/PLACE/do/ACTION`.
    private func act(_ request: DashboardRequest, _ visitor: Visitor) throws -> DashboardAnswer {
      guard utf8Equal(request.form["token"] ?? "", visitor.session.formToken) else {
        return .page(
          PlainPages.fault(CloudError.foreignForm, base: base), status: 403)
      }
      var rest = request.path
      var place: Place?
      if rest.first != "do" {
        place = try Place(request.path, request.query, base: base, rest: &rest)
      }
      guard rest.count == 2, rest[0] == "do",
        let action = Action.all.first(where: { utf8Equal($0.name, rest[1]) })
      else { return failed(.noPage) }
      let asked = ActionRequest(visitor: visitor, place: place, form: request.form)
      do {
        switch try action.run(asked) {
        case .done(let done, let address):
          let number = visitor.session.add(done)
          return .redirect(to: address.adding("done", String(number)))
        case .page(let html, let status): return .page(html, status: status)
        case .redirect(let address): return .redirect(to: address)
        }
      } catch let error as CloudError {
        // The page of a refused action is at its place, from which the user can go on.
        guard let place, let open = try? OpenPlace(place, for: visitor) else { throw error }
        return failed(error, try? PlainPages.fault(error, at: open, back: asked.back(or: "")))
      }
    }

    // MARK: Pages

    private func page(_ request: DashboardRequest, _ visitor: Visitor) throws -> DashboardAnswer {
      switch request.path.first ?? "" {
      case "": return .page(try StartPage.html(visitor))
      case "keys": return .page(KeysPage.html(visitor))
      case "go": return .redirect(to: try going(request.query))
      default: break
      }
      var rest: [String] = []
      let place = try Place(request.path, request.query, base: base, rest: &rest)
      if rest.isEmpty { return .redirect(to: place.address(["records"])) }
      let open = try OpenPlace(place, for: visitor)
      do { return try PlacePages(open, request.query).answer(rest) } catch let error as CloudError {
        return failed(error, try PlainPages.fault(error, at: open))
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

    /// A page with an error; without a place, unless one is given.
    private func failed(_ error: CloudError, _ page: HTML? = nil) -> DashboardAnswer {
      let isMissing = [.unknownItem, .badContainer, .zoneNotFound].contains(error.code)
      return .page(
        page ?? PlainPages.fault(error, base: base),
        status: isMissing ? 404 : error.storage == nil ? 400 : 500)
    }
  }

  extension CloudError {
    static let noPage = CloudError(.unknownItem, "Page not found")

    fileprivate static let foreignForm = CloudError(
      .permissionFailure, "The form is not one of this session",
      remedy: "go back, reload the page, and try again")
  }

  extension String {
    /// The address with a parameter, in place of an earlier one of its name.
    fileprivate func adding(_ name: String, _ value: String) -> String {
      let path = prefix { $0 != "?" }
      let query = dropFirst(path.count + 1)
      let kept = query.split(separator: "&").filter { !$0.hasPrefix("\(name)=") }
      return "\(path)?\((kept + ["\(name)=\(value)"]).joined(separator: "&"))"
    }
  }
#endif
