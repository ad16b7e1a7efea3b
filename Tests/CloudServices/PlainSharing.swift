import CloudModel

/// A plain model of sharing: dictionaries, and the rules of R10, restated as briefly as possible.
struct PlainSharing {
  struct Place: Hashable {
    var owner: String
    var zone: String

    var text: String { "\(owner)/\(zone)" }
  }

  struct Item: Equatable {
    var parent: String?
    var number: Int64
  }

  enum Status {
    case pending
    case accepted
    case removed
  }

  struct Part {
    var mayWrite: Bool
    var status: Status
  }

  /// The change of a record's parent.
  enum Parent {
    case kept
    case removed
    case named(String)
  }

  struct Zone {
    var records: [String: Item] = [:]
    /// The parts of users in shares, by the names of the roots; `*` is the whole zone.
    var shares: [String: [String: Part]] = [:]

    /// The share that covers a record.
    func cover(of name: String?) -> String? {
      if shares["*"] != nil { return "*" }
      var next = name
      for _ in 0...records.count {
        guard let name = next, let item = records[name] else { return nil }
        if shares[name] != nil { return name }
        next = item.parent
      }
      return nil
    }

    /// A record and its descendants.
    func tree(of name: String) -> Set<String> {
      var tree: Set<String> = [name]
      while true {
        let more = records.filter { item in
          item.value.parent.map(tree.contains) ?? false && !tree.contains(item.key)
        }.keys
        if more.isEmpty { return tree }
        tree.formUnion(more)
      }
    }

    func part(of user: String, in share: String?) -> Part? {
      share.flatMap { shares[$0]?[user] }.flatMap { $0.status == .accepted ? $0 : nil }
    }

    func isSeen(by user: String) -> Bool {
      shares.values.contains { $0[user]?.status == .accepted }
    }

    /// What a user sees of the zone.
    func view(of user: String) -> [String: Item] {
      records.filter { part(of: user, in: cover(of: $0.key)) != nil }
    }
  }

  typealias Code = CloudError.Code

  private(set) var zones: [Place: Zone] = [:]

  static let types = ["Item", "Thing"]

  /// The type that records of a name have.
  static func type(of name: String) -> String { types[name < "r3" ? 0 : 1] }

  /// Drops a type with its records, unless one is the parent of a record that stays (R5.9).
  mutating func drop(_ type: String) -> Code? {
    let after = zones.mapValues { zone in
      var zone = zone
      for name in zone.records.keys where Self.type(of: name) == type {
        zone.records[name] = nil
        zone.shares[name] = nil
      }
      return zone
    }
    let isHeld = after.values.contains { zone in
      zone.records.values.contains { item in
        item.parent.map { zone.records[$0] == nil } ?? false
      }
    }
    if isHeld { return .referenceViolation }
    zones = after
    return nil
  }

  mutating func createZone(_ place: Place) { if zones[place] == nil { zones[place] = Zone() } }

  mutating func deleteZone(_ place: Place) -> Code? {
    zones.removeValue(forKey: place) == nil ? .zoneNotFound : nil
  }

  // MARK: Records

  mutating func save(
    _ name: String, _ number: Int64, _ parent: Parent, at place: Place, by user: String
  ) -> Code? {
    guard let zone = zone(place, for: user) else { return .zoneNotFound }
    let old = zone.records[name]
    var item = Item(parent: old?.parent, number: number)
    switch parent {
    case .kept: break
    case .removed: item.parent = nil
    case .named(let name): item.parent = name
    }
    let moves = item.parent != old?.parent
    if user != place.owner, let code = refusal(of: name, item, old, zone, user) { return code }
    if old != nil, moves, let target = zone.cover(of: item.parent), target != "*" {
      let roots = zone.tree(of: name).filter { zone.shares[$0] != nil }
      if roots.contains(where: { $0 != target }) { return .alreadyShared }
    }
    if moves, let parent = item.parent, parent != name, zone.records[parent] == nil {
      return .referenceViolation
    }
    if moves, let parent = item.parent, zone.tree(of: name).contains(parent) {
      return .invalidArguments
    }
    zones[place]?.records[name] = item
    return nil
  }

  /// Why a participant may not save a record.
  private func refusal(
    of name: String, _ item: Item, _ old: Item?, _ zone: Zone, _ user: String
  ) -> Code? {
    if let whole = zone.part(of: user, in: "*") { return whole.mayWrite ? nil : .permissionFailure }
    if old != nil {
      let cover = zone.cover(of: name)
      guard zone.part(of: user, in: cover)?.mayWrite == true else { return .permissionFailure }
      if item.parent == old?.parent { return nil }
      if cover == name { return .permissionFailure }
    }
    let target = zone.part(of: user, in: zone.cover(of: item.parent))
    return target?.mayWrite == true ? nil : .permissionFailure
  }

  mutating func delete(_ name: String, at place: Place, by user: String) -> Code? {
    guard let zone = zone(place, for: user) else { return .zoneNotFound }
    guard zone.records[name] != nil else { return nil }
    if user != place.owner {
      let cover = zone.cover(of: name)
      guard let part = zone.part(of: user, in: cover) else { return nil }
      guard part.mayWrite, cover != name else { return .permissionFailure }
    }
    let hasChildren = zone.records.contains { $0.value.parent == name && $0.key != name }
    if hasChildren { return .referenceViolation }
    zones[place]?.records[name] = nil
    zones[place]?.shares[name] = nil
    return nil
  }

  private func zone(_ place: Place, for user: String) -> Zone? {
    guard let zone = zones[place], user == place.owner || zone.isSeen(by: user) else { return nil }
    return zone
  }

  // MARK: Shares

  mutating func share(_ root: String, with users: [String: Bool], at place: Place) -> Code? {
    guard let zone = zones[place] else { return .zoneNotFound }
    if root == "*" {
      if zone.shares["*"] != nil { return .serverRecordChanged }
      if !zone.shares.isEmpty { return .invalidArguments }
    } else {
      if zone.shares["*"] != nil { return .serverRejectedRequest }
      guard zone.records[root] != nil else { return .unknownItem }
      guard zone.cover(of: root) == nil, zone.tree(of: root).allSatisfy({ zone.shares[$0] == nil })
      else { return .alreadyShared }
    }
    zones[place]?.shares[root] = users.mapValues { Part(mayWrite: $0, status: .pending) }
    return nil
  }

  /// Invites a user, or changes the user's permission.
  mutating func add(
    _ user: String, mayWrite: Bool, to root: String, at place: Place
  ) -> Code? {
    guard let share = zones[place]?.shares[root] else { return .unknownItem }
    let status = share[user]?.status ?? .removed
    zones[place]?.shares[root]?[user] = Part(
      mayWrite: mayWrite, status: status == .removed ? .pending : status)
    return nil
  }

  mutating func remove(_ user: String, from root: String, at place: Place) -> Code? {
    guard let part = zones[place]?.shares[root]?[user], part.status != .removed else {
      return .unknownItem
    }
    zones[place]?.shares[root]?[user]?.status = .removed
    return nil
  }

  mutating func accept(_ root: String, at place: Place, by user: String) -> Code? {
    guard let share = zones[place]?.shares[root] else { return .unknownItem }
    guard let part = share[user], part.status != .removed else { return .permissionFailure }
    zones[place]?.shares[root]?[user]?.status = .accepted
    return nil
  }

  mutating func leave(_ root: String, at place: Place, by user: String) -> Code? {
    guard zones[place]?.part(of: user, in: root) != nil else { return .unknownItem }
    zones[place]?.shares[root]?[user]?.status = .removed
    return nil
  }

  mutating func stop(_ root: String, at place: Place) -> Code? {
    zones[place]?.shares.removeValue(forKey: root) == nil ? .unknownItem : nil
  }
}
