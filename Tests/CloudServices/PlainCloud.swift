internal import CloudModel
internal import CloudServices

/// A plain model of what CloudKit would say: dictionaries, and the rules of
/// `cloudkit-semantics.md` §1.3, §2, §4, §5 and §11.4 written down once more, as short as possible.
struct PlainCloud: Equatable {
  /// A database's zone: the user of a private one, nil for the public one.
  struct Place: Hashable {
    var user: String?
    var zone: String
  }

  struct Item: Equatable {
    var type: String
    var number: Int64?
    var reference: String?
    var action = Reference.Action.none
    var parent: String?
    var creator: String
    /// Grows with each version.
    var version: Int
  }

  /// Which version a command names.
  enum Tag {
    case none
    case current
    case stale
  }

  struct Save {
    var name: String
    var type: String
    var number: Int64?
    var reference: (name: String, action: Reference.Action)?
    var parent: String?
    var policy: SavePolicy
    var tag: Tag
    var replaces: Bool
  }

  enum Change {
    case save(Save)
    case delete(String, Tag)

    var name: String {
      switch self {
      case .save(let save): save.name
      case .delete(let name, _): name
      }
    }
  }

  typealias Code = CloudError.Code

  private(set) var zones: [Place: [String: Item]] = [:]
  private var version = 0

  mutating func createZone(_ place: Place) {
    if zones[place] == nil { zones[place] = [:] }
  }

  /// The error of the deletion, nil for none.
  mutating func deleteZone(_ place: Place) -> Code? {
    zones.removeValue(forKey: place) == nil ? .zoneNotFound : nil
  }

  /// The errors of the items, nil for those that are done.
  mutating func modify(
    _ changes: [Change], at place: Place, by user: String, isBatch: Bool
  ) -> [Code?] {
    if place.zone == "_defaultZone" { createZone(place) }
    guard zones[place] != nil else { return changes.map { _ in .zoneNotFound } }
    let before = self
    var codes = [Code?](repeating: nil, count: changes.count)
    var left = Array(changes.indices)
    while !left.isEmpty {
      var postponed: [Int] = []
      for index in left {
        let beside = isBatch ? Set(changes.map(\.name)) : []
        codes[index] = perform(changes[index], at: place, by: user, beside)
        if codes[index] == .referenceViolation { postponed.append(index) }
      }
      if postponed.count == left.count || !isBatch { break }
      left = postponed
    }
    let isAtomic = isBatch && place.zone != "_defaultZone"
    guard isAtomic, codes.contains(where: { $0 != nil }) else { return codes }
    zones = before.zones
    return codes.map { $0 ?? .batchRequestFailed }
  }

  private mutating func perform(
    _ change: Change, at place: Place, by user: String, _ beside: Set<String>
  ) -> Code? {
    switch change {
    case .save(let save): self.save(save, at: place, by: user, beside)
    case .delete(let name, let tag): delete(name, tag, at: place, by: user)
    }
  }

  private mutating func save(
    _ save: Save, at place: Place, by user: String, _ beside: Set<String>
  ) -> Code? {
    let records = zones[place] ?? [:]
    let old = records[save.name]
    if let old {
      let isInsertion = save.policy == .unchanged && save.tag == .none
      if !isInsertion, place.user == nil, old.creator != user { return .permissionFailure }
      if save.policy == .unchanged, save.tag != .current { return .serverRecordChanged }
      if old.type != save.type { return .invalidArguments }
    } else if save.policy == .unchanged, save.tag != .none {
      return .unknownItem
    }
    var item =
      old ?? Item(type: save.type, parent: nil, creator: user, version: 0)
    if save.replaces { (item.number, item.reference, item.action) = (nil, nil, .none) }
    if let number = save.number { item.number = number }
    if let reference = save.reference { (item.reference, item.action) = reference }
    if let parent = save.parent { item.parent = parent }
    let isThere: (String) -> Bool = { $0 == save.name || records[$0] != nil }
    if let parent = item.parent, old?.parent != parent, !isThere(parent) {
      return .referenceViolation
    }
    if item.action == .validate, let target = item.reference,
      old?.reference != target || old?.action != .validate, !isThere(target)
    {
      return .referenceViolation
    }
    version += 1
    item.version = version
    zones[place]?[save.name] = item
    if let parent = item.parent, !beside.contains(parent), zones[place]?[parent] != nil {
      version += 1
      zones[place]?[parent]?.version = version
    }
    return nil
  }

  private mutating func delete(
    _ name: String, _ tag: Tag, at place: Place, by user: String
  ) -> Code? {
    guard let records = zones[place], let old = records[name] else { return nil }
    if place.user == nil, old.creator != user { return .permissionFailure }
    if tag == .stale { return .serverRecordChanged }
    var doomed: Set = [name]
    var isGrowing = true
    while isGrowing {
      let more = records.filter { entry in
        entry.value.action == .deleteSelf && doomed.contains(entry.value.reference ?? "")
          && !doomed.contains(entry.key)
      }
      doomed.formUnion(more.keys)
      isGrowing = !more.isEmpty
    }
    for (key, item) in records where !doomed.contains(key) {
      if let parent = item.parent, doomed.contains(parent) { return .referenceViolation }
      if item.action == .validate, doomed.contains(item.reference ?? "") {
        return .referenceViolation
      }
    }
    for key in doomed { zones[place]?[key] = nil }
    return nil
  }
}
