#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The parts that all pages share: the place in the header, the navigation, and the equivalent
  /// command in the footer.
  struct Frame {
    let title: String
    let base: String
    /// The browser; nil for a page that shows no place and no action.
    var visitor: Visitor?
    var isProduction = false
    /// Whether the page says when its records have changed.
    var isLive = false
    /// The path of the place, for the script.
    var placePath: String?
    /// The button that unlocks production, or locks it.
    var lock: HTML?
    /// What is not deployed yet, with a link to it.
    var undeployed: Link?
    /// The container, environment, database and zone.
    var places: [Chooser] = []
    /// The account and the device.
    var actors: [Chooser] = []
    /// The action of the place form, and the rest of the path at the new place; nil for a page
    /// without a place.
    var going: (address: String, rest: String)?
    var types: [Link] = []
    var sections: [Link] = []
    var command: String?
    /// The keys of the page, in addition to those of all pages.
    var keys: [(key: String, action: String)] = []

    /// A list to choose from.
    struct Chooser {
      let name: String
      let label: String
      let choices: [Choice]

      init(_ name: String, _ label: String, _ choices: [Choice]) {
        (self.name, self.label, self.choices) = (name, label, choices)
      }
    }

    /// An option of a list.
    struct Choice {
      let value: String
      let label: String
      let isChosen: Bool
    }

    /// A link of the navigation.
    struct Link {
      let text: String
      let address: String
      var isCurrent = false
      var count: String?
    }

    /// The frame of a page without a place.
    init(_ title: String, base: String) { (self.title, self.base) = (title, base) }

    /// A remark that is not an error.
    static func notice(_ text: String) -> HTML {
      "<div class=\"finding note\" role=\"status\"><span>\(text)</span></div>"
    }
  }

  extension Frame {
    /// The frame of a page of a place. `rest` is the path of its address after the place.
    init(_ title: String, _ page: OpenPlace, rest: [String]) throws {
      let place = page.place
      self.init(title, base: place.base)
      visitor = page.visitor
      isProduction = place.environment == .production
      placePath = place.path([])
      lock = Self.lock(page, rest)
      undeployed = try Self.undeployed(page)
      places = try Self.places(page)
      actors = try Self.actors(page)
      // Another place has other records.
      going = (
        place.base + "/go",
        ["record", "share", "access"].contains(rest.first)
          ? "records" : rest.joined(separator: "/")
      )
      let counts = try page.recordCounts()
      types = try page.types().map { type in
        Link(
          text: type.name.text, address: place.address(["records", type.name.text]),
          isCurrent: rest == ["records", type.name.text], count: counts[type.name]?.grouped)
      }
      sections = Self.sections.map { path, name in
        Link(text: name, address: place.address([path]), isCurrent: rest == [path])
      }
    }

    /// The pages of a place besides those of records.
    private static let sections = [
      ("schema", "Schema"), ("people", "People"), ("kvs", "Keys"), ("documents", "Documents"),
      ("live", "Live"), ("faults", "Faults"), ("snapshots", "Snapshots"), ("usage", "Usage"),
    ]

    private static func lock(_ page: OpenPlace, _ rest: [String]) -> HTML? {
      guard page.place.environment == .production, !page.visitor.isReadOnly else { return nil }
      let isUnlocked = page.session.isUnlocked(page.place.container)
      let fields = [("back", page.place.address(rest))] + (isUnlocked ? [] : [("unlock", "1")])
      return page.button(
        isUnlocked ? "Lock" : "Unlock", LockProduction.action, fields,
        " data-testid=\"lock\"")
    }

    /// The badge for what production does not have yet.
    private static func undeployed(_ page: OpenPlace) throws -> Link? {
      let address = page.place.address(["schema"]) + "#deployment"
      do throws(CloudError) {
        let count = try page.undeployed().count
        return count == 0 ? nil : Link(text: "\(count.grouped) not deployed", address: address)
      } catch {
        guard error.storage == nil else { throw error }
        return Link(text: "cannot be deployed", address: address)
      }
    }

    private static func places(_ page: OpenPlace) throws -> [Chooser] {
      let place = page.place
      let containers = try page.store.containers().map {
        Choice(value: $0.text, label: $0.text, isChosen: $0 == place.container)
      }
      let environments = Environment.allCases.map {
        Choice(value: $0.rawValue, label: $0.rawValue, isChosen: $0 == place.environment)
      }
      let scopes = DatabaseScope.allCases.map {
        Choice(value: $0.name, label: $0.name, isChosen: $0 == place.scope)
      }
      var zones = [Choice(value: "", label: "all zones", isChosen: place.zone == nil)]
      zones += page.zones.map {
        Choice(value: $0.id.text, label: $0.id.text, isChosen: $0.id == place.zone)
      }
      return [
        Chooser("container", "Container", containers),
        Chooser("environment", "Environment", environments),
        Chooser("database", "Database", scopes), Chooser("zone", "Zone", zones),
      ]
    }

    private static func actors(_ page: OpenPlace) throws -> [Chooser] {
      let place = page.place
      var accounts = Set(try page.store.accounts(for: page.request).map(\.name))
      accounts.formUnion([Place.usualAccount.name, place.account?.name].compactMap(\.self))
      var choices = accounts.sorted(by: utf8Precedes).map {
        Choice(value: $0, label: $0, isChosen: $0 == place.account?.name)
      }
      choices.append(
        Choice(value: Place.nobody, label: "nobody", isChosen: place.account == nil))
      var devices = Set(
        try page.store.devices(for: page.request)
          .filter { place.account == nil || $0.settings.account == place.account }
          .map(\.device.name))
      devices.formUnion([Device.cli.name, place.device.name])
      let names = devices.sorted(by: utf8Precedes).map {
        Choice(value: $0, label: $0, isChosen: $0 == place.device.name)
      }
      return [Chooser("as", "Account", choices), Chooser("device", "Device", names)]
    }
  }
#endif
