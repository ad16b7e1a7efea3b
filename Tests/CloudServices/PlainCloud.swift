internal import CloudModel
internal import CloudServices

/// A plain model of CloudKit: dictionaries, and the rules of R1.3, R2, R4, R5 and R11.4, restated
/// as briefly as possible.
struct PlainCloud: Equatable {
  /// A zone of a database in an environment: the user of a private one, nil for the public one.
  struct Place: Hashable {
    var environment: Environment
    var user: String?
    var zone: String
  }

  struct Item: Equatable {
    var type: String
    var number: Int64?
    var reference: String?
    var action = Reference.Action.none
    var parent: String?
    /// The contents of the asset.
    var contents: Int?
    var creator: String
    /// The devices that it was made and last saved on.
    var madeOn = ""
    var savedOn = ""
    /// Grows with each version.
    var version: Int
  }

  /// The version that a command names.
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
    var contents: Int?
    var policy: SavePolicy
    var tag: Tag
    var replaces: Bool

    /// The fields that it names.
    var fields: Set<String> {
      var fields: Set<String> = []
      if number != nil { fields.insert("n") }
      if reference != nil { fields.insert("r") }
      if contents != nil { fields.insert("f") }
      return fields
    }
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

  /// A user on a device.
  struct Actor {
    var user: String
    var device: String
  }

  private(set) var zones: [Place: [String: Item]] = [:]
  /// The fields of the types of each environment.
  private(set) var schema: [Environment: [String: Set<String>]] = [:]
  private var version = 0

  mutating func createZone(_ place: Place) {
    if zones[place] == nil { zones[place] = [:] }
  }

  /// Deletes a zone; returns the error, or nil.
  mutating func deleteZone(_ place: Place) -> Code? {
    zones.removeValue(forKey: place) == nil ? .zoneNotFound : nil
  }

  /// Brings the types and fields of development into production (R1.2.5).
  mutating func deploy() {
    for (type, fields) in schema[.development] ?? [:] {
      schema[.production, default: [:]][type, default: []].formUnion(fields)
    }
  }

  /// Empties development, which then has the schema of production (R1.2.8).
  mutating func reset() {
    zones = zones.filter { $0.key.environment == .production }
    schema[.development] = schema[.production]
  }

  /// The contents that records have.
  func contents(of environment: Environment) -> Set<Int> {
    Set(
      zones.filter { $0.key.environment == environment }.values.flatMap { records in
        records.values.compactMap(\.contents)
      })
  }

  /// The errors of the items; nil for an item that succeeds.
  mutating func modify(
    _ changes: [Change], at place: Place, by user: Actor, isBatch: Bool
  ) -> [Code?] {
    if place.zone == "_defaultZone" { createZone(place) }
    guard zones[place] != nil else { return changes.map { _ in .zoneNotFound } }
    let before = self
    var codes = [Code?](repeating: nil, count: changes.count)
    var left = Array(changes.indices)
    let beside = isBatch ? Set(changes.map(\.name)) : []
    while !left.isEmpty {
      var postponed: [Int] = []
      for index in left {
        codes[index] = perform(changes[index], at: place, by: user, beside)
        if codes[index] == .referenceViolation { postponed.append(index) }
      }
      if !isBatch { break }
      if postponed.count == left.count {
        together(left.map { ($0, changes[$0]) }, at: place, by: user, beside, &codes)
        break
      }
      left = postponed
    }
    let isAtomic = isBatch && place.zone != "_defaultZone"
    for index in orphans(changes, codes, at: place) {
      codes[index] = isAtomic ? .batchRequestFailed : .internalError
    }
    guard isAtomic, codes.contains(where: { $0 != nil }) else { return codes }
    (zones, schema) = (before.zones, before.schema)
    return codes.map { $0 ?? .batchRequestFailed }
  }

  /// The saves that failed for want of a target whose save failed (R5.8).
  private func orphans(_ changes: [Change], _ codes: [Code?], at place: Place) -> [Int] {
    let failed = Set(
      zip(changes, codes).compactMap { change, code in
        if case .save = change, code != nil { change.name } else { nil }
      })
    return changes.indices.filter { index in
      guard case .save(let save) = changes[index], codes[index] == .referenceViolation else {
        return false
      }
      let validated = save.reference.flatMap { $0.action == .validate ? $0.name : nil }
      return [save.parent, validated].contains { target in
        guard let target, target != save.name else { return false }
        return failed.contains(target) && zones[place]?[target] == nil
      }
    }
  }

  /// Applies items that no order makes valid: as many saves as possible, then as many deletions.
  private mutating func together(
    _ left: [(index: Int, change: Change)], at place: Place, by user: Actor,
    _ beside: Set<String>, _ codes: inout [Code?]
  ) {
    var saves = left.filter { if case .save = $0.change { true } else { false } }
    while !saves.isEmpty {
      let before = self
      let promised = Set(saves.map(\.change.name))
      let offender = saves.first { index, change in
        codes[index] = perform(change, at: place, by: user, beside, promised)
        return codes[index] != nil
      }
      guard let offender else { break }
      let code = codes[offender.index]
      for (index, _) in saves { codes[index] = .referenceViolation }
      codes[offender.index] = code
      (zones, schema) = (before.zones, before.schema)
      saves.removeAll { $0.index == offender.index }
    }
    var roots = left.filter { if case .delete = $0.change { true } else { false } }
    while true {
      let going = dependents(of: Set(roots.map(\.change.name)), at: place)
      let staying = roots.filter { root in
        isHeld(dependents(of: [root.change.name], at: place), besides: going, at: place)
      }
      if staying.isEmpty { break }
      roots.removeAll { root in staying.contains { $0.index == root.index } }
    }
    for name in dependents(of: Set(roots.map(\.change.name)), at: place) {
      zones[place]?[name] = nil
    }
    for (index, _) in roots { codes[index] = nil }
  }

  private mutating func perform(
    _ change: Change, at place: Place, by user: Actor, _ beside: Set<String>,
    _ promised: Set<String> = []
  ) -> Code? {
    switch change {
    case .save(let save): self.save(save, at: place, by: user, beside, promised)
    case .delete(let name, let tag): delete(name, tag, at: place, by: user.user)
    }
  }

  /// Whether the parents of a record lead to another, or it is that record.
  private func leads(_ name: String, to other: String, _ records: [String: Item]) -> Bool {
    name == other || records[name]?.parent.map { leads($0, to: other, records) } ?? false
  }

  private mutating func save(
    _ save: Save, at place: Place, by actor: Actor, _ beside: Set<String>,
    _ promised: Set<String>
  ) -> Code? {
    let user = actor.user
    if place.environment == .production,
      !(schema[.production]?[save.type]?.isSuperset(of: save.fields) ?? false)
    {
      return .invalidArguments
    }
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
    if old == nil { item.madeOn = actor.device }
    item.savedOn = actor.device
    if save.replaces {
      (item.number, item.reference, item.action, item.contents) = (nil, nil, .none, nil)
    }
    if let contents = save.contents { item.contents = contents }
    if let number = save.number { item.number = number }
    if let reference = save.reference { (item.reference, item.action) = reference }
    if save.parent != nil || save.replaces { item.parent = save.parent }
    let isThere: (String) -> Bool = {
      $0 == save.name || records[$0] != nil || promised.contains($0)
    }
    if let parent = item.parent, old?.parent != parent, !isThere(parent) {
      return .referenceViolation
    }
    if item.action == .validate, let target = item.reference,
      old?.reference != target || old?.action != .validate, !isThere(target)
    {
      return .referenceViolation
    }
    if let parent = item.parent, old?.parent != parent, leads(parent, to: save.name, records) {
      return .invalidArguments
    }
    version += 1
    item.version = version
    schema[place.environment, default: [:]][save.type, default: []].formUnion(save.fields)
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
    let doomed = dependents(of: [name], at: place)
    if isHeld(doomed, besides: doomed, at: place) { return .referenceViolation }
    for key in doomed { zones[place]?[key] = nil }
    return nil
  }

  /// Records, and those that are deleted with them.
  private func dependents(of names: Set<String>, at place: Place) -> Set<String> {
    let records = zones[place] ?? [:]
    var doomed = names.filter { records[$0] != nil }
    var isGrowing = true
    while isGrowing {
      let more = records.filter { entry in
        entry.value.action == .deleteSelf && doomed.contains(entry.value.reference ?? "")
          && !doomed.contains(entry.key)
      }
      doomed.formUnion(more.keys)
      isGrowing = !more.isEmpty
    }
    return doomed
  }

  /// Whether a record that stays has a doomed one as its parent, or validates it.
  private func isHeld(
    _ doomed: Set<String>, besides going: Set<String>, at place: Place
  ) -> Bool {
    (zones[place] ?? [:]).contains { key, item in
      !going.contains(key)
        && (doomed.contains(item.parent ?? "")
          || item.action == .validate && doomed.contains(item.reference ?? ""))
    }
  }
}
