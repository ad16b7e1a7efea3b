#if Server
  internal import Basics
  internal import CloudModel

  /// The database and zone that a page shows, and the account and device that it acts as. All of it
  /// is in the address (cli.md §16), so that users can share addresses and tests can open them.
  ///
  /// `/CONTAINER/ENVIRONMENT/DATABASE/…?zone=ZONE&as=ACCOUNT&device=DEVICE`
  struct Place {
    var container: ContainerID
    var environment: Environment = .development
    var scope: DatabaseScope = .private
    /// The zone; nil for all zones of the database.
    var zone: ZoneID?
    /// The account; nil if no account is signed in.
    var account: Account? = Self.usualAccount
    var device: Device = .cli
    /// The prefix of all paths.
    let base: String

    static let usualAccount = Account(stored: "me")
    /// The value of `as` for no account, as in `-u none`.
    static let nobody = "none"

    /// The place of a container: the private database of the usual account.
    init(_ container: ContainerID, base: String) { (self.container, self.base) = (container, base) }

    /// Parses the place in an address; `rest` receives the rest of the path. Throws
    /// `invalidArguments` for names that are not valid.
    init(_ path: [String], _ query: FormFields, base: String, rest: inout [String]) throws {
      var parts = path[...]
      self.init(try ContainerID(parts.popFirst() ?? ""), base: base)
      if let text = parts.popFirst() {
        guard let known = Environment(rawValue: text) else {
          throw CloudError(.invalidArguments, "Unknown environment '\(text.visible)'")
        }
        environment = known
      }
      if let text = parts.popFirst() {
        guard let known = DatabaseScope.allCases.first(where: { $0.name == text }) else {
          throw CloudError(.invalidArguments, "Unknown database '\(text.visible)'")
        }
        scope = known
      }
      rest = Array(parts)
      try read(query)
    }

    /// Parses the account, the device and the zone. Throws `invalidArguments`.
    private mutating func read(_ query: FormFields) throws {
      if let text = query.text("as") {
        account = text == Self.nobody ? nil : try Account(text)
      }
      if let text = query.text("device") { device = try Device(text) }
      if let text = query.text("zone") {
        zone = try ZoneID(name: text, owner: query.text("owner"))
      }
    }

    /// The path of a page at this place, without its parameters.
    func path(_ rest: [String]) -> String {
      let parts = [container.text, environment.rawValue, scope.name] + rest
      return base + "/" + parts.map(\.addressPart).joined(separator: "/")
    }

    /// The address of a page at this place.
    func address(_ rest: [String], _ parameters: [(name: String, value: String?)] = []) -> String {
      let path = path(rest)
      let known = (own + parameters).compactMap { name, value in
        value.map { "\(name)=\($0.addressPart)" }
      }
      return known.isEmpty ? path : "\(path)?\(known.joined(separator: "&"))"
    }

    /// The parameters with the zone, the account and the device.
    var own: [(name: String, value: String?)] {
      var parameters: [(name: String, value: String?)] = [("zone", zone?.name.text)]
      if case .user(let owner)? = zone?.owner { parameters.append(("owner", owner.text)) }
      if account != Self.usualAccount {
        parameters.append(("as", account?.name ?? Self.nobody))
      }
      if device != .cli { parameters.append(("device", device.name)) }
      return parameters
    }

    /// A command line of words; operands may look like options.
    static func line(_ words: [String], _ operands: [String] = []) -> String {
      let areLast = operands.contains { $0.hasPrefix("-") }
      return (["ckdb"] + words + (areLast ? ["--"] : []) + operands).map(\.shellWord)
        .joined(separator: " ")
    }

    /// The same place as another account sees it: its own private database, or the shared one.
    func seen(by account: Account?, in scope: DatabaseScope? = nil, _ zone: ZoneID? = nil) -> Place
    {
      var place = self
      (place.account, place.device) = (account, .cli)
      (place.scope, place.zone) = (scope ?? self.scope, zone)
      return place
    }

    /// A command line about the environment's schema.
    func schemaCommand(_ words: [String]) -> String {
      var words = ["ckdb"] + words + ["-C", container.text]
      if environment != .development { words += ["-e", environment.rawValue] }
      return words.map(\.shellWord).joined(separator: " ")
    }

    /// A command line at this place: a verb with its operands and options. Operands that begin with
    /// a hyphen come last, after `--`.
    func command(
      _ verb: [String], _ operands: [String] = [], options: [String] = []
    ) -> String {
      let areLast = operands.contains { $0.hasPrefix("-") }
      var words = ["ckdb"] + verb + (areLast ? [] : operands) + options + ["-C", container.text]
      if environment != .development { words += ["-e", environment.rawValue] }
      words += ["-d", scope.name]
      if let zone { words += ["-z", zone.text] }
      words += ["-u", account?.name ?? Self.nobody]
      if device != .cli { words += ["--device", device.name] }
      if areLast { words += ["--"] + operands }
      return words.map(\.shellWord).joined(separator: " ")
    }
  }
#endif
