internal import CloudModel
internal import RecordStore

/// What references demand of saves and deletions in one zone (§5), within a write transaction.
struct ReferenceRules {
  let store: EnvironmentStore
  let zone: StoredZone
  /// The names of records that the same operation makes: they count as there.
  var promised: Set<String> = []

  init(store: EnvironmentStore, zone: StoredZone, promised: Set<String> = []) {
    self.store = store
    self.zone = zone
    self.promised = promised
  }

  /// Checks the targets of a record's new links. Throws `referenceViolation` for a parent
  /// (rule 5.8) or a validating reference (rule 5.1) that points nowhere, `limitExceeded` for a
  /// target that too many records would die with (rule 5.14).
  func checkTargets(of record: Record, over stored: StoredRecord?) throws {
    if let link = try missingTarget(of: record, over: stored) {
      throw CloudError.missingTarget(link.target, of: record.name, link.kind == .parent)
    }
    let old = stored?.record.links ?? []
    for link in record.links where link.kind == .deleteSelf && !old.contains(link) {
      guard try store.sourceCount(of: link.target, in: zone, .deleteSelf) < Limits.owners else {
        throw CloudError.tooManyOwners(of: link.target, record.name)
      }
    }
  }

  /// The targets that a new record wants and that are not there.
  func missingTargets(of record: Record) throws -> [RecordName] {
    try record.links.filter { link in
      try link.kind != .deleteSelf && link.target != record.name
        && !promised.contains(link.target.text) && !store.hasRecord(link.target, in: zone)
    }.map(\.target)
  }

  /// The first new link of a record that wants a target which is not there.
  func missingTarget(of record: Record, over stored: StoredRecord?) throws -> RecordLink? {
    let old = stored?.record.links ?? []
    return try record.links.first { link in
      try link.kind != .deleteSelf && link.target != record.name && !old.contains(link)
        && !promised.contains(link.target.text) && !store.hasRecord(link.target, in: zone)
    }
  }

  /// Deletes records and all that die with them (rules 5.4 to 5.6): those whose deleteSelf
  /// references lead to one of them.
  ///
  /// A record stays, and with it what would have died with it, when another that stays has one
  /// of these as its parent (rule 5.9) or validates it (rule 5.1). Returns the errors of those
  /// records, by their numbers; records of `type`, where one is given, all go.
  func delete(
    _ roots: [StoredRecord], withAllOf type: TypeTable? = nil
  ) throws -> [Int64: CloudError] {
    var errors: [Int64: CloudError] = [:]
    var left = roots
    while !left.isEmpty {
      let doomed = try Doomed(left, in: zone, store)
      let objections = try doomed.objections(type)
      if objections.isEmpty {
        try doomed.delete()
        break
      }
      let held = doomed.reaching(objections.keys)
      left.removeAll { root in
        guard let cause = held[root.number], let objection = objections[cause] else {
          return false
        }
        errors[root.number] = .stillReferenced(
          objection.target, by: objection.source, isParent: objection.isParent,
          root: root.record.name)
        return true
      }
    }
    return errors
  }
}

/// Records that are to be deleted, and all that would die with them.
private struct Doomed {
  let store: EnvironmentStore
  let zone: StoredZone
  /// The roots as they were read.
  private let roots: [Int64: StoredRecord]
  /// The names by number, each record once, targets before those that die with them.
  private var names: [(number: Int64, name: RecordName)] = []
  private var met: Set<Int64>
  /// Whose deletion kills a record.
  private var killers: [Int64: [Int64]] = [:]

  /// Why a record has to stay.
  struct Objection {
    let target: RecordName
    let source: RecordName?
    let isParent: Bool
  }

  init(_ roots: [StoredRecord], in zone: StoredZone, _ store: EnvironmentStore) throws {
    self.store = store
    self.zone = zone
    self.roots = Dictionary(roots.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    met = Set(roots.map(\.number))
    names = self.roots.values.map { ($0.number, $0.record.name) }.sorted { $0.0 < $1.0 }
    var next = 0
    while next < names.count {
      let (target, name) = names[next]
      next += 1
      for source in try store.sources(of: name, in: zone, .deleteSelf) {
        killers[source.number, default: []].append(target)
        guard met.insert(source.number).inserted, let name = try store.name(of: source) else {
          continue
        }
        names.append((source.number, name))
      }
    }
  }

  /// The records that others which stay have as their parent or validate, by their numbers.
  func objections(_ type: TypeTable?) throws -> [Int64: Objection] {
    var objections: [Int64: Objection] = [:]
    for (number, name) in names {
      for kind in [RecordLink.Kind.parent, .validate] where objections[number] == nil {
        let witness = try store.sources(of: name, in: zone, kind).first { source in
          !met.contains(source.number) && !(type.map(source.isRecord) ?? false)
        }
        guard let witness else { continue }
        objections[number] = Objection(
          target: name, source: try store.name(of: witness), isParent: kind == .parent)
      }
    }
    return objections
  }

  /// The records whose deletion would kill one of some others, each with that one.
  func reaching(_ others: some Sequence<Int64>) -> [Int64: Int64] {
    var causes: [Int64: Int64] = [:]
    var open: [Int64] = []
    for other in others.sorted() {
      causes[other] = other
      open.append(other)
    }
    while let number = open.popLast() {
      for killer in killers[number] ?? [] where causes[killer] == nil {
        causes[killer] = causes[number]
        open.append(killer)
      }
    }
    return causes
  }

  func delete() throws {
    for (number, name) in names {
      if let stored = try roots[number] ?? store.record(name, in: zone) {
        try store.delete(stored)
      }
    }
  }
}
