internal import Basics
public import CloudModel
internal import FieldCodecs
internal import RecordStore

extension CloudDatabase {
  /// Saves and deletes records in one operation, each with its own outcome.
  ///
  /// In a zone with the atomic capability all items succeed or none does: the faulty ones keep
  /// their error, the others get `batchRequestFailed` (R4.4.6). Elsewhere each succeeds or fails on
  /// its own. Throws `CloudError` for errors of the whole operation.
  public func modify(_ request: ModifyRequest) throws(CloudError) -> ModifyResult {
    try requireActor()
    var request = request
    for index in request.items.indices where request.items[index].zone.owner != .current {
      request.items[index].zone = identity(request.items[index].zone)
    }
    try check(request)
    for item in request.items {
      try environment.request.checkInterrupt()
      try strike(item)
    }
    let lost = try strikeItems(of: &request)
    var result = try write { [request] transaction in
      var result = try RecordModifying(transaction, request).run()
      result.notices = transaction.notices
      if request.items.contains(where: \.concernsShare) { try renewRoots(of: request, &result) }
      return result
    }
    for (index, error) in lost where !result.outcomes[index].isFailure {
      result.outcomes[index] = .failed(error)
    }
    return result
  }

  /// Reads saved records again that a share of the same operation changed: its root (R10.1.9).
  private func renewRoots(of request: ModifyRequest, _ result: inout ModifyResult) throws {
    for (index, item) in request.items.enumerated() {
      guard case .saved(var saved) = result.outcomes[index],
        let zone = try zoneToRead(item.zone),
        let stored = try store.record(saved.record.name, in: zone)?.record
      else { continue }
      (saved.record.changeTag, saved.record.share) = (stored.changeTag, stored.share)
      result.outcomes[index] = .saved(saved)
    }
  }

  /// Makes injected faults for single records fail their items; returns the errors of those that
  /// fail after their change, by place.
  private func strikeItems(
    of request: inout ModifyRequest
  ) throws(CloudError) -> [Int: CloudError] {
    var lost: [Int: CloudError] = [:]
    guard try environment.owner.faults().contains(where: \.isForItems) else { return lost }
    for (index, item) in request.items.enumerated() {
      let operation: FaultRule.Operation
      let types: [RecordType]
      switch item.change {
      case .save(let save): (operation, types) = (.save, [save.type])
      case .delete(let name, _): (operation, types) = (.delete, try storedType(of: name, item.zone))
      case .refused: continue
      }
      guard
        let failure = try failure(of: item.name, index + 1, in: operation, types, in: item.zone)
      else { continue }
      if failure.isAfter {
        lost[index] = failure.error
      } else {
        request.items[index].change = .refused(failure.error)
      }
    }
    return lost
  }

  /// Deletes one record and its cascades. A missing name is success (R4.4.14). Throws the bare
  /// `CloudError` (R4.4.10).
  public func delete(
    _ name: RecordName, in zone: ZoneID, tag: ChangeTag? = nil, clientToken: String? = nil
  ) throws(CloudError) -> DeleteResult {
    try requireActor()
    try strikeDeletion(of: name, in: zone)
    try strike(record: name, in: .delete, storedType(of: name, zone), in: zone)
    return try write { transaction in
      let zone = try usersZone(holding: name, in: zone) ?? zoneToWrite(zone, transaction.writer)
      let isDeleted = try RecordDeleting(transaction, zone: zone).delete(name, tag: tag)
      if let clientToken { try store.setClientToken(clientToken, of: zone) }
      return DeleteResult(isDeleted: isDeleted, notices: transaction.notices)
    }
  }

  /// Throws the error of an injected fault that strikes an item; it ends the whole operation.
  private func strike(_ item: ModifyRequest.Item) throws(CloudError) {
    switch item.change {
    case .save(let request): try strike(request, in: item.zone)
    case .delete(let name, _): try strikeDeletion(of: name, in: item.zone)
    case .refused: return
    }
  }

  private func strikeDeletion(of name: RecordName, in zone: ZoneID) throws(CloudError) {
    try strike(.delete, in: zone)
    let types = try storedType(of: name, zone)
    if !types.isEmpty { try strike(.delete, types, in: zone) }
  }

  /// The type of a stored record, which is looked up only if a fault names a type.
  private func storedType(
    of name: RecordName, _ zone: ZoneID
  ) throws(CloudError) -> [RecordType] {
    guard try environment.owner.faults().contains(where: { $0.type != nil }) else { return [] }
    let stored = try environment.read {
      try zoneToRead(zone).flatMap { try store.record(name, in: $0) }
    }
    return stored.map { [$0.record.type] } ?? []
  }

  /// Checks the rules of the whole operation (R3.5, R4.2).
  private func check(_ request: ModifyRequest) throws(CloudError) {
    var met: [ZoneID: [RecordName: Int]] = [:]
    for item in request.items {
      try environment.request.checkInterrupt()
      guard let name = item.name else { continue }
      let deletions = if case .delete = item.change { 1 } else { 0 }
      if let others = met[item.zone, default: [:]].updateValue(deletions, forKey: name) {
        throw .sameRecordTwice(name, deletions: others + deletions)
      }
    }
    guard request.isLimited else { return }
    guard request.items.count <= Limits.operationItems else {
      throw .tooManyItems(request.items.count)
    }
    let size = request.items.reduce(0) { $0 + $1.size }
    guard size <= Limits.operationSize else { throw .operationTooLarge(size) }
  }
}

extension ModifyRequest.Item {
  /// Whether it may save or delete a share.
  fileprivate var concernsShare: Bool {
    switch change {
    case .save(let request): request.type == .share
    case .delete(let name, _): name.isOfShare
    case .refused: false
    }
  }

  /// Bytes that count towards the operation's size: names and values, without assets.
  fileprivate var size: Int {
    guard case .save(let request) = change else { return 0 }
    return request.assignments.reduce(0) {
      $0 + $1.name.text.utf8.count + ($1.value?.size ?? 0)
    }
  }
}

/// Runs one operation, within a write transaction.
private struct RecordModifying {
  let transaction: WriteTransaction
  let request: ModifyRequest
  private var database: CloudDatabase { transaction.database }
  private var store: EnvironmentStore { database.store }
  private typealias Outcome = ModifyResult.Outcome

  /// Gives up an atomic zone.
  private struct GivingUp: Error {}

  init(_ transaction: WriteTransaction, _ request: ModifyRequest) {
    self.transaction = transaction
    self.request = request
  }

  func run() throws -> ModifyResult {
    var outcomes: [Outcome?] = request.items.map { _ in nil }
    var zones: [ZoneID] = []
    for item in request.items where !zones.contains(item.zone) { zones.append(item.zone) }
    for id in zones {
      let places = request.items.indices.filter { request.items[$0].zone == id }
      do {
        let zone = try database.zoneToWrite(id, transaction.writer)
        try modify(places, zone, &outcomes)
        let hasChanged = places.contains { !(outcomes[$0]?.isFailure ?? true) }
        if let token = request.clientToken, hasChanged {
          try store.setClientToken(token, of: zone)
        }
      } catch let error as CloudError
        where error.code == .zoneNotFound || error.code == .userDeletedZone
      {
        for place in places { outcomes[place] = .failed(named(error, place)) }
      }
    }
    return ModifyResult(outcomes: outcomes.compactMap { $0 })
  }

  private func modify(
    _ places: [Int], _ zone: StoredZone, _ outcomes: inout [Outcome?]
  ) throws {
    guard request.isAtomic ?? zone.zone.isAtomic else {
      return _ = try perform(places, zone, &outcomes)
    }
    var tried = outcomes
    var orphans: Set<Int> = []
    do {
      try transaction.attempt {
        orphans = try perform(places, zone, &tried)
        for place in places { if case .failed? = tried[place] { throw GivingUp() } }
      }
      outcomes = tried
    } catch is GivingUp {
      for place in places {
        if case .failed? = tried[place], !orphans.contains(place) {
          outcomes[place] = tried[place]
        } else {
          outcomes[place] = .failed(named(.innocent, place))
        }
      }
    }
  }

  /// Tries each item on its own; then those that miss a target or are still referenced all
  /// together, because the order of a batch does not matter to references (R4.4.15, R5.10).
  /// Returns the records whose target failed.
  private func perform(
    _ places: [Int], _ zone: StoredZone, _ outcomes: inout [Outcome?]
  ) throws -> Set<Int> {
    if try deleteAtOnce(places, zone, &outcomes) { return [] }
    // Only saves look for others.
    let isSaving = places.contains {
      if case .save = request.items[$0].change { true } else { false }
    }
    let companions = isSaving ? Set(places.compactMap { request.items[$0].name?.text }) : []
    var postponed: [Int] = []
    for place in places {
      let outcome = try perform(place, zone, companions)
      outcomes[place] = outcome
      if case .failed(let error) = outcome, awaitsOthers(place, error, companions) {
        postponed.append(place)
      }
    }
    if postponed.isEmpty { return [] }
    try saveTogether(postponed, zone, companions, &outcomes)
    try deleteTogether(postponed, zone, &outcomes)
    return try nameCauses(postponed, zone, &outcomes)
  }

  /// Replaces the errors of records whose target failed in this operation.
  private func nameCauses(
    _ places: [Int], _ zone: StoredZone, _ outcomes: inout [Outcome?]
  ) throws -> Set<Int> {
    var failures: [String: CloudError] = [:]
    for case (.failed(let error)?, let item) in zip(outcomes, request.items)
    where item.zone == zone.zone.id {
      if case .save = item.change, let name = item.name { failures[name.text] = error }
    }
    var wanted: [String: [String]] = [:]
    for place in places {
      guard let name = request.items[place].name?.text,
        failures[name]?.code == .referenceViolation
      else { continue }
      wanted[name] = try waitingItem(request.items[place], zone).wanted
    }
    let errors = OrphanErrors(failures: failures, wanted: wanted).errors
    var orphans: Set<Int> = []
    for place in places {
      guard let name = request.items[place].name?.text, let error = errors[name] else { continue }
      outcomes[place] = .failed(error)
      orphans.insert(place)
    }
    return orphans
  }

  /// Whether an item may succeed together with others: it misses a target or is one, or its parent
  /// is among them and not in the share yet.
  private func awaitsOthers(_ place: Int, _ error: CloudError, _ companions: Set<String>) -> Bool {
    if error.code == .referenceViolation { return true }
    guard database.scope == .shared, error.code == .permissionFailure,
      case .save(let save) = request.items[place].change, let parent = save.parent
    else { return false }
    return companions.contains(parent.text)
  }

  /// Deletes unreferenced records all at once. Does nothing and returns false if some items are
  /// saves, a record cannot be deleted, or others depend on one.
  private func deleteAtOnce(
    _ places: [Int], _ zone: StoredZone, _ outcomes: inout [Outcome?]
  ) throws -> Bool {
    let deleting = RecordDeleting(transaction, zone: zone)
    var doomed = DoomedRecords(in: zone, of: store)
    var missing: Set<Int> = []
    for place in places {
      try store.checkInterrupt()
      let item = request.items[place]
      guard case .delete(let name, let tag) = item.change,
        database.usersZone(holding: name, in: item.zone) == nil
      else { return false }
      do {
        if let record = try deleting.record(name, tag: tag) {
          if database.scope == .shared, record.record.type == .share { return false }
          doomed.add(record)
        } else {
          missing.insert(place)
        }
      } catch let error as CloudError where error.storage == nil {
        return false
      }
    }
    if try doomed.areTargets() { return false }
    try doomed.delete()
    for place in places { outcomes[place] = .deleted(!missing.contains(place)) }
    return true
  }

  /// Saves all valid records together; a failed one fails those that need it.
  private func saveTogether(
    _ places: [Int], _ zone: StoredZone, _ companions: Set<String>, _ outcomes: inout [Outcome?]
  ) throws {
    var left = places.filter { if case .save = request.items[$0].change { true } else { false } }
    while true {
      let hopeless = try left.map { try waitingItem(request.items[$0], zone) }.hopeless()
      left = left.indices.filter { !hopeless.contains($0) }.map { left[$0] }
      if left.isEmpty { return }
      let promised = Set(left.compactMap { request.items[$0].name?.text })
      var tried = outcomes
      do {
        try transaction.attempt {
          for place in left {
            tried[place] = try perform(place, zone, companions, promised)
          }
          for place in left { try checkSaved(place, zone, &tried) }
          if left.contains(where: { tried[$0]?.isFailure == true }) { throw GivingUp() }
        }
        outcomes = tried
        return
      } catch is GivingUp {
        for place in left where tried[place]?.isFailure == true { outcomes[place] = tried[place] }
        left.removeAll { tried[$0]?.isFailure == true }
      }
    }
  }

  /// Checks a record again whose parent was to be saved as well.
  private func checkSaved(_ place: Int, _ zone: StoredZone, _ tried: inout [Outcome?]) throws {
    guard case .saved(let result)? = tried[place] else { return }
    do {
      try SharingRules(database: database, zone: zone).checkSaved(result.record.name)
    } catch let error as CloudError where error.storage == nil {
      tried[place] = .failed(named(error, place))
    }
  }

  /// The missing targets of a save.
  private func waitingItem(
    _ item: ModifyRequest.Item, _ zone: StoredZone
  ) throws -> WaitingItem<String> {
    guard case .save(let request) = item.change else { return WaitingItem(wanted: []) }
    var record = Record(
      name: request.name ?? RecordName(stored: ""), type: request.type, zone: item.zone,
      parent: request.parent)
    for assignment in request.assignments { record.fields[assignment.name] = assignment.value }
    let rules = ReferenceRules(
      database: database, zone: zone, promised: try database.users(among: record))
    var wanted = try rules.missingTargets(of: record).map(\.text)
    if let root = request.share?.root, try !store.hasRecord(root, in: zone) {
      wanted.append(root.text)
    }
    return WaitingItem(own: request.name?.text, wanted: wanted)
  }

  private func deleteTogether(
    _ places: [Int], _ zone: StoredZone, _ outcomes: inout [Outcome?]
  ) throws {
    let deleting = RecordDeleting(transaction, zone: zone)
    var roots: [(place: Int, record: StoredRecord)] = []
    for place in places {
      guard case .delete(let name, let tag) = request.items[place].change,
        let record = try deleting.record(name, tag: tag)
      else { continue }
      roots.append((place, record))
    }
    let rules = ReferenceRules(database: database, zone: zone)
    let errors = try rules.delete(roots.map(\.record))
    for (place, record) in roots {
      outcomes[place] = errors[record.number].map { .failed($0) } ?? .deleted(true)
    }
  }

  private func perform(
    _ place: Int, _ zone: StoredZone, _ companions: Set<String>, _ promised: Set<String> = []
  ) throws -> Outcome {
    try store.checkInterrupt()
    let item = request.items[place]
    let zone = database.usersZone(holding: item.name, in: item.zone) ?? zone
    do {
      return try transaction.attempt {
        switch item.change {
        case .save(let request):
          let saving = RecordSaving(
            transaction, zone: zone, companions: companions, promised: promised)
          return .saved(try saving.save(request))
        case .delete(let name, let tag):
          return .deleted(try RecordDeleting(transaction, zone: zone).delete(name, tag: tag))
        case .refused(let error): return .failed(named(error, place))
        }
      }
    } catch let error as CloudError where error.storage == nil {
      return .failed(named(error, place))
    }
  }

  /// An item's error, with the name of its record.
  private func named(_ error: CloudError, _ place: Int) -> CloudError {
    var error = error
    error.recordName = error.recordName ?? request.items[place].name?.text
    return error
  }
}
