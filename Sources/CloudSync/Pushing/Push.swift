public import Basics
public import CloudModel
public import CloudServices
internal import WireFormat

/// Sends what was changed in a database of this store to a server.
public final class Push {
  let remote: RemoteDatabase
  let copy: RemoteCopy
  private let zones: [ZoneID]?
  private let type: RecordType?
  private let meter: WorkMeter?
  var summary = Summary()
  private var uploads: AssetUploads
  let downloads: AssetDownloads
  private var refused: [ZoneID: Set<RecordName>] = [:]

  /// What a push did.
  public struct Summary: Sendable {
    /// Records that were created there.
    public var created = 0
    /// Records that were changed there.
    public var changed = 0
    /// Records that were deleted there.
    public var deleted = 0
    /// Zones that were created there.
    public var createdZones = 0
    /// Zones that were deleted there.
    public var deletedZones = 0
    /// Records whose version on the server was taken over.
    public var taken = 0
    /// Files that were uploaded.
    public var uploads = 0
    /// Records that were changed on both sides and left as they are.
    public var conflicts: [PullConflict] = []
    /// Records that the server refused.
    public var faults: [CloudError] = []
  }

  /// Prepares a push of zones (nil for all), and of a type (nil for all).
  public init(
    _ remote: RemoteDatabase, of copy: RemoteCopy, zones: [ZoneID]?, type: RecordType?,
    _ meter: WorkMeter? = nil
  ) {
    (self.remote, self.copy, self.zones, self.type) = (remote, copy, zones, type)
    self.meter = meter
    uploads = AssetUploads(remote, copy)
    downloads = AssetDownloads(remote.client, copy, isRehearsal: false)
  }

  /// What it would do. Throws `CloudError`.
  public func plan() throws(CloudError) -> [PushPlan] { try copy.plan(zones: zones, type: type) }

  /// Finds out what became of the last request, if its answer was lost.
  @discardableResult
  public func settle() throws -> PullResult {
    guard let (zone, names) = try copy.unanswered() else { return PullResult() }
    let result = try compare(names, in: zone)
    try copy.noteSending([], in: zone)
    return result
  }

  /// Sends what plans say, and decides on conflicts by `choose`; nil keeps them. `check` may refuse
  /// a plan. Throws `CloudError`, `RemoteError`, `RemoteFailure`, and what the closures throw; what
  /// was sent before stays.
  public func run(
    _ plans: [PushPlan], checking check: ([PushPlan]) throws -> Void,
    choosing choose: ((ConflictSides) throws -> ConflictChoice)?
  ) throws -> Summary {
    var kept: Set<PullConflict> = []
    var plans = plans
    // A conflict that was decided may be outrun again.
    for _ in 0..<Self.rounds {
      try check(plans)
      for plan in plans { try send(plan) }
      let open = try plan().flatMap(\.conflicts).filter { !kept.contains($0) }
      guard !open.isEmpty, let choose else { break }
      kept.formUnion(try decide(open, choose))
      plans = try plan().map(withoutRefused)
      if plans.allSatisfy({ $0.saves.isEmpty && $0.deletions.isEmpty }) { break }
    }
    summary.conflicts = try plan().flatMap(\.conflicts)
    summary.uploads = uploads.count
    downloads.finish()
    return summary
  }

  private static let rounds = 5

  /// A plan without what the server refused before.
  private func withoutRefused(_ plan: PushPlan) -> PushPlan {
    var plan = plan
    let names = refused[plan.zone] ?? []
    plan.saves.removeAll { names.contains($0.name) }
    plan.deletions.removeAll { names.contains($0.name) }
    return plan
  }

  // MARK: Zones

  private func send(_ plan: PushPlan) throws {
    do { try sendOnce(plan) } catch let error as RemoteError
      where error.wireCode == .zoneNotFound && plan.isAllNew
    {
      // The zone was deleted there, and nothing that it had is expected to be there.
      try remote.modify(zone: plan.zone, delete: false)
      try sendOnce(plan)
    }
  }

  private func sendOnce(_ plan: PushPlan) throws {
    if plan.isDeletedZone {
      guard try !copy.hasZone(plan.zone), try isUnchangedThere(plan) else { return }
      try remote.modify(zone: plan.zone, delete: true)
      try copy.note(zone: plan.zone, exists: false)
      summary.deletedZones += 1
      return
    }
    if plan.isNewZone {
      try remote.modify(zone: plan.zone, delete: false)
      try copy.note(zone: plan.zone, exists: true)
      summary.createdZones += 1
    }
    try send(plan.replacements, in: plan.zone)
    try send(plan.saves, in: plan.zone)
    try send(plan.deletions, in: plan.zone)
  }

  /// Returns whether a zone is unchanged on the server since the last pull; if not, adds a fault.
  private func isUnchangedThere(_ plan: PushPlan) throws -> Bool {
    let page: RemoteDatabase.Page
    do { page = try remote.changes(in: plan.zone, since: plan.zoneToken) } catch let error
      as RemoteError where error.wireCode == .zoneNotFound
    { return true }
    if plan.zoneToken == nil || page.records.isEmpty && page.isLast { return true }
    summary.faults.append(
      CloudError(
        .serverRecordChanged,
        "the zone \(plan.zone.text) was deleted here, and changed on the remote: pull first",
        zone: plan.zone))
    return false
  }

  // MARK: Saves

  private typealias Item = (save: PlannedSave, sent: SentRecord)
  private typealias Failure<Planned> = (item: Planned, error: RemoteError)

  private static let passes = 10

  private func send(_ saves: [PlannedSave], in zone: ZoneID) throws {
    try inPasses(saves, in: zone, name: \.name) { waiting in
      var failed: [Failure<PlannedSave>] = []
      var queue = waiting[...]
      while !queue.isEmpty {
        let batch = Array(queue.prefix(Limits.wireOperations))
        let (part, count) = try firstPart(of: batch, in: zone)
        queue = queue.dropFirst(count)
        if part.isEmpty { continue }
        try uploads.upload(part.map(\.sent), in: zone)
        failed += try send(part, in: zone)
      }
      return failed
    }
  }

  /// Sends items, and those that failed once more, as long as that helps: a record may refer to one
  /// that comes after it, or be busy. Notes the other failures.
  private func inPasses<Planned>(
    _ items: [Planned], in zone: ZoneID, name: KeyPath<Planned, RecordName>,
    _ send: ([Planned]) throws -> [Failure<Planned>]
  ) throws {
    var waiting = items
    for pass in 1...Self.passes where !waiting.isEmpty {
      let failed = try send(waiting)
      let isBusy = failed.contains { $0.error.isTemporary || $0.error.isOfReceipt }
      let isStuck = failed.count == waiting.count && !isBusy || pass == Self.passes
      let again = isStuck ? [] : failed.filter { $0.error.mayPass }
      let final = isStuck ? failed : failed.filter { !$0.error.mayPass }
      summary.faults += final.map { failure in
        var error = failure.error.cloudError
        error.zone = zone
        return error
      }
      refused[zone, default: []].formUnion(final.map { $0.item[keyPath: name] })
      if isBusy, !again.isEmpty {
        let least = failed.compactMap(\.error.retryAfter).max()
        try remote.client.wait(pass, atLeast: least, "the server is busy")
      }
      waiting = again.map(\.item)
    }
  }

  /// The bytes of operations in one request; the native API's limit is 2 MB.
  private static let mostBytes = 1_500_000
  /// The assets of one request: they are uploaded again if the command ends before it.
  private static let mostFiles = 50

  /// The first records of a batch, as many as one request takes, and how many saves they are.
  private func firstPart(
    of batch: [PlannedSave], in zone: ZoneID
  ) throws -> (part: [Item], count: Int) {
    let (records, looked) = try copy.records(batch, in: zone, bytes: Int64(Self.mostBytes))
    var (bytes, files, count) = (0, 0, 0)
    for item in records {
      let entries = item.sent.record.fields.entries
      bytes += entries.reduce(500) { $0 + $1.value.approximateSize }
      if !item.sent.hasKnownAssets { files += entries.reduce(0) { $0 + $1.value.assets.count } }
      if count > 0, bytes > Self.mostBytes || files > Self.mostFiles { break }
      count += 1
    }
    guard count < records.count else { return (records, looked) }
    let next = records[count].save.name
    return (Array(records.prefix(count)), batch.firstIndex { $0.name == next } ?? batch.count)
  }

  /// Sends records in one request; if its answer is lost, finds out which the server has.
  private func send(_ part: [Item], in zone: ZoneID) throws -> [Failure<PlannedSave>] {
    var part = part
    for attempt in 1... {
      try copy.noteSending(part.map(\.save.name), in: zone)
      do {
        let outcomes = try remote.modify(body(of: part, zone), count: part.count, in: zone)
        return try note(outcomes, part, in: zone)
      } catch let error as RemoteError where error.isOfContents {
        // The service refuses a whole request for one value: which one?
        guard part.count > 1 else { return [(part[0].save, error.of(part[0].save.name))] }
        let middle = part.count / 2
        return try send(Array(part[..<middle]), in: zone)
          + send(Array(part[middle...]), in: zone)
      } catch let failure as RemoteFailure where failure.kind == .unknown && attempt < Self.passes {
        try remote.client.wait(attempt, atLeast: nil, failure.reason)
        let conflicts = Set(try settle().conflicts.map(\.name))
        let left = try copy.records(part.map(\.save), in: zone).items
        let names = Set(left.map(\.save.name)).union(conflicts)
        for item in part where !names.contains(item.save.name) { count(item.save) }
        if left.isEmpty { return [] }
        part = left
      }
    }
    return []
  }

  private func count(_ save: PlannedSave) {
    if save.tag == nil { summary.created += 1 } else { summary.changed += 1 }
    meter?.advance()
  }

  private func body(of part: [Item], _ zone: ZoneID) -> [UInt8] {
    var bytes: [UInt8] = []
    let (receipts, zone) = (uploads.receipts, zone.wire)
    bytes.append(jsonList: part, "[", "]") { bytes, item in
      let (save, sent) = item
      var operation = RemoteOperation(
        save.tag == nil ? .create : .update, sent.record, fields: sent.fields, tag: save.tag)
      if save.tag != nil { operation.removed = sent.absent }
      operation.omitsAssets = sent.hasKnownAssets
      bytes.append(operation, zone: zone) { field, asset in
        receipts[AssetUploads.Use(record: save.name, field: field, asset: asset)]
      }
    }
    return bytes
  }

  private func note(
    _ outcomes: [RemoteDatabase.Outcome], _ part: [Item], in zone: ZoneID
  ) throws -> [Failure<PlannedSave>] {
    var sent: [RemoteCopy.Sent] = []
    var outrun: [RecordName] = []
    var failed: [Failure<PlannedSave>] = []
    for (item, outcome) in zip(part, outcomes) {
      switch outcome {
      case .saved(let tag):
        sent.append(.saved(item.save.name, tag: tag, item.sent))
        count(item.save)
      case .deleted: break
      case .failed(let error) where error.isOutrun: outrun.append(item.save.name)
      case .failed(let error): failed.append((item.save, error))
      }
    }
    try copy.note(sent, in: zone)
    try compare(outrun, in: zone)
    // Some servers say so of each record.
    if failed.count == part.count, let error = failed.first?.error, error.wireCode == .zoneNotFound
    {
      throw error
    }
    return failed
  }

  // MARK: Deletions

  private func send(_ deletions: [PlannedDeletion], in zone: ZoneID) throws {
    try inPasses(deletions, in: zone, name: \.name) { waiting in
      var failed: [Failure<PlannedDeletion>] = []
      var queue = waiting[...]
      while !queue.isEmpty {
        let batch = Array(queue.prefix(Limits.wireOperations))
        queue = queue.dropFirst(batch.count)
        failed += try delete(batch, in: zone)
      }
      return failed
    }
  }

  private func delete(
    _ batch: [PlannedDeletion], in zone: ZoneID
  ) throws -> [Failure<PlannedDeletion>] {
    var part = try copy.deletions(batch, in: zone)
    if part.isEmpty { return [] }
    for attempt in 1... {
      try copy.noteSending(part.map(\.name), in: zone)
      do {
        let outcomes = try remote.modify(body(of: part, zone), count: part.count, in: zone)
        return try note(outcomes, part, in: zone)
      } catch let failure as RemoteFailure where failure.kind == .unknown && attempt < Self.passes {
        try remote.client.wait(attempt, atLeast: nil, failure.reason)
        _ = try settle()
        let left = try copy.deletions(part, in: zone)
        summary.deleted += part.count - left.count
        if left.isEmpty { return [] }
        part = left
      }
    }
    return []
  }

  private func body(of part: [PlannedDeletion], _ zone: ZoneID) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(jsonList: part, "[", "]") { bytes, deletion in
      let record = Record(
        name: deletion.name, type: deletion.type ?? RecordType(stored: ""), zone: zone)
      bytes.append(RemoteOperation(.delete, record, tag: deletion.tag), zone: zone.wire)
    }
    return bytes
  }

  private func note(
    _ outcomes: [RemoteDatabase.Outcome], _ part: [PlannedDeletion], in zone: ZoneID
  ) throws -> [Failure<PlannedDeletion>] {
    var sent: [RemoteCopy.Sent] = []
    var outrun: [RecordName] = []
    var failed: [Failure<PlannedDeletion>] = []
    for (deletion, outcome) in zip(part, outcomes) {
      switch outcome {
      case .saved, .deleted: sent.append(.deleted(deletion.name))
      case .failed(let error) where error.wireCode == .notFound:
        sent.append(.deleted(deletion.name))
      case .failed(let error) where error.isOutrun: outrun.append(deletion.name)
      case .failed(let error): failed.append((deletion, error))
      }
    }
    try copy.note(sent, in: zone)
    try compare(outrun, in: zone)
    summary.deleted += sent.count
    meter?.advance(Int64(sent.count))
    return failed
  }

  // MARK: Conflicts

  /// Compares records with the server's: equal ones are in common then, others are noted as outrun.
  @discardableResult
  private func compare(_ names: [RecordName], in zone: ZoneID) throws -> PullResult {
    if names.isEmpty { return PullResult() }
    let page = try pageOfAll(names, in: zone)
    let result = try copy.take(page)
    downloads.forget(page)
    return result
  }

  func pageOfAll(_ names: [RecordName], in zone: ZoneID) throws -> PulledPage {
    try remote.lookup(names, in: zone).pulled(in: zone, downloads)
  }
}

extension RemoteError {
  /// Whether another version is on the server, or none.
  fileprivate var isOutrun: Bool {
    wireCode == .conflict || wireCode == .exists || wireCode == .notFound
  }

  /// Whether the server refuses the contents of a request.
  fileprivate var isOfContents: Bool {
    guard let wireCode, status != nil else { return false }
    return [.badRequest, .quotaExceeded].contains(wireCode)
  }

  /// The error as that of a record.
  fileprivate func of(_ name: RecordName) -> RemoteError {
    var error = self
    error.recordName = name.text
    return error
  }

  /// Whether the operation may succeed after others, or later.
  fileprivate var mayPass: Bool {
    wireCode == .validatingReferenceError || isTemporary || isOfReceipt
  }

  /// Whether the server has forgotten what was uploaded, which is then uploaded again.
  fileprivate var isOfReceipt: Bool { wireCode == .badRequest && reason.contains("receipt") }
}

extension FieldValue {
  /// About how many bytes it takes in a request.
  fileprivate var approximateSize: Int {
    switch self {
    case .string(let text): text.utf8.count + 40
    case .bytes(let bytes): bytes.count * 4 / 3 + 40
    case .list(let items): items.reduce(40) { $0 + $1.approximateSize }
    case .int64, .double, .timestamp, .location, .reference: 120
    case .asset: 400
    }
  }
}
