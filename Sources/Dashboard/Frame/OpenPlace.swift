#if Server
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  /// A place with its open database, as the account of the page sees it, and the browser that shows
  /// it.
  struct OpenPlace {
    let place: Place
    let visitor: Visitor
    let request: Request
    /// The database, for what the user asks for.
    let database: CloudDatabase
    /// The database, for what pages show besides: injected faults do not strike it.
    let watched: CloudDatabase
    /// The zones that the account sees; empty if they could not be listed.
    let zones: [Zone]
    /// Why the zones could not be listed, for example because no account is signed in.
    let failure: CloudError?

    var store: CloudStore { visitor.store }
    var session: Session { visitor.session }

    /// Opens a place. Throws `badContainer`.
    init(_ place: Place, for visitor: Visitor) throws(CloudError) {
      (self.place, self.visitor) = (place, visitor)
      request = visitor.serving(place.account, place.device)
      database = try visitor.store.environment(place.container, place.environment, for: request)
        .database(place.scope)
      var watching = request
      watching.meetsFaults = false
      watched = try database.environment.acting(for: watching).database(place.scope)
      do {
        (zones, failure) = (try watched.zones(), nil)
      } catch { (zones, failure) = ([], error) }
    }

    // MARK: Changes

    /// Why nothing can be changed here; nil if it can.
    var obstacle: String? {
      if visitor.isReadOnly { return Visitor.readOnly }
      if place.environment == .production, !session.isUnlocked(place.container) {
        return Self.locked
      }
      return nil
    }

    static let locked = "Production is read-only until you unlock it."

    /// Throws `invalidArguments` if nothing can be changed here.
    func requireChangeable() throws(CloudError) {
      if let obstacle { throw CloudError(.invalidArguments, obstacle) }
    }

    /// A form that asks for an action, here or at another place. `back` is where to return to.
    func form(
      _ action: Action, _ controls: HTML, _ kind: HTML = "inline", at other: Place? = nil,
      back: String
    ) -> HTML {
      let address = (other ?? place).address(["do", action.name])
      return """
        <form method="post" class="\(kind)" action="\(address)">\(visitor.formToken)\
        \(HTML.hidden("back", back))\(controls)</form>
        """
    }

    /// A form with one button that asks for an action. `fields` are its hidden fields.
    func button(
      _ label: HTML, _ action: Action, _ fields: [(name: String, value: String)] = [],
      _ attributes: HTML = "", at other: Place? = nil
    ) -> HTML {
      let hidden = fields.map { HTML.hidden($0.name, $0.value) }
      let address = (other ?? place).address(["do", action.name])
      return """
        <form method="post" class="inline" action="\(address)">\
        \(visitor.formToken)\(hidden)<button\(attributes)>\(label)</button></form>
        """
    }

    // MARK: Schema and counts

    /// The record types of the app, in byte order.
    func types() throws(CloudError) -> [RecordTypeSchema] { try database.environment.appSchema() }

    /// The types of a record type's fields; empty for an unknown type.
    func typesByField(of type: RecordType) -> [FieldName: FieldType] {
      (try? database.environment.schema(of: type))?.typesByField ?? [:]
    }

    /// The steps that would deploy development's schema, without the grants of new types; none in
    /// production.
    func undeployed() throws(CloudError) -> [SchemaChange] {
      if place.environment == .production { return [] }
      let steps = try store.environment(place.container, .production, for: request)
        .planDeployment(from: database.environment)
      var new: Set<RecordType> = []
      return steps.filter { step in
        if case .addType(let type) = step { new.insert(type) }
        if case .changeGrants(let type, _, _, _) = step { return !new.contains(type) }
        return true
      }
    }

    /// The maximum number of zones for which a page counts records.
    private static let mostZones = 20

    /// The number of records of each type that the account sees; empty if there are too many zones.
    func recordCounts() throws(CloudError) -> [RecordType: Int] {
      let counted = zones.filter { place.zone == nil || $0.id == place.zone }
      guard counted.count <= Self.mostZones, failure == nil else { return [:] }
      var counts: [RecordType: Int] = [:]
      for zone in counted {
        // Another process may have deleted the zone meanwhile.
        for (type, count) in (try? visitor.counts.counts(of: zone, self)) ?? [] {
          counts[type, default: 0] += count
        }
      }
      return counts
    }
  }
#endif
