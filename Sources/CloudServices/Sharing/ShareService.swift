internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome

// Creating, changing and stopping shares (R10.1, R10.2).
extension CloudDatabase {
  /// Shares the hierarchy of a root record, or the whole zone (nil): saves a share together with
  /// its root (R10.1.3).
  ///
  /// Throws `badDatabase` in the public database, `invalidArguments` for the default zone (R10.1.7)
  /// and for a zone that has shared hierarchies, `serverRecordChanged` for a shared zone and
  /// `serverRejectedRequest` for a hierarchy there (R10.1.6), `unknownItem` for a missing root,
  /// `alreadyShared` if the root, or a record above or below it, is shared (R10.1.5), and as
  /// `edit`.
  public func createShare(
    of root: RecordName?, in id: ZoneID, _ edit: ShareEdit
  ) throws(CloudError) -> ShareResult {
    try requireActor()
    try strike(.share, [.share], in: id)
    guard scope != .public else { throw .sharesInPublic }
    guard scope == .private else {
      throw .notPermitted("CREATE", root ?? .zoneWideShare)
    }
    return try write { transaction in
      try requireSharing(id)
      let zone = try zoneToWrite(id, transaction.writer)
      let directory = try ShareDirectory(environment)
      var editing = try newShare(of: root, in: zone, edit, transaction, directory)
      try editing.apply(edit)
      return ShareResult(
        share: try directory.share(editing.found),
        notices: transaction.notices + (try environment.notices(of: edit.added)))
    }
  }

  /// Throws `invalidArguments` for a zone without the capability (R10.1.7).
  private func requireSharing(_ zone: ZoneID) throws(CloudError) {
    guard identity(zone).isDefault else { return }
    throw CloudError(
      .invalidArguments, "Records in the default zone cannot be shared", zone: zone,
      remedy: "shared records must be in a custom zone")
  }

  /// Saves a share without participants, within a write transaction. The share of a hierarchy gets
  /// a name; nil for a random one.
  func newShare(
    of root: RecordName?, in zone: StoredZone, named name: RecordName? = nil, _ edit: ShareEdit,
    _ transaction: WriteTransaction, _ directory: ShareDirectory
  ) throws -> ShareEditing {
    try requireSharing(zone.zone.id)
    let stored = try root.map { try rootToShare($0, in: zone) }
    if stored == nil { try requireUnshared(zone) }
    let share = try add(zone, root: stored, named: name, edit, transaction)
    return ShareEditing(try found(share, in: zone), directory)
  }

  /// Returns a record that may become the root of a share.
  private func rootToShare(_ name: RecordName, in zone: StoredZone) throws -> StoredRecord {
    guard try store.share(.zoneWideShare, in: zone) == nil else {
      throw CloudError(
        .serverRejectedRequest, "The zone is shared: its records cannot be shared separately",
        recordName: name.text, zone: zone.zone.id)
    }
    guard let stored = try store.record(name, in: zone) else {
      throw CloudError.recordNotFound(name)
    }
    guard stored.record.type != .share else {
      throw CloudError(
        .invalidArguments, "A share cannot be shared", recordName: name.text)
    }
    guard try store.cover(of: stored) == nil, try store.shares(inTreeOf: stored).isEmpty else {
      throw CloudError.alreadyShared(name)
    }
    return stored
  }

  private func requireUnshared(_ zone: StoredZone) throws {
    guard let share = try store.shares(in: zone).first else { return }
    guard share.root == nil, let server = try store.record(share.name, in: zone)?.record else {
      throw CloudError(
        .invalidArguments, "The zone has shared records: it cannot be shared as a whole",
        zone: zone.zone.id)
    }
    throw CloudError.recordExists(
      server: server, client: Record(name: share.name, type: .share, zone: zone.zone.id))
  }

  /// Saves the record of a new share, and lets it cover its hierarchy.
  private func add(
    _ zone: StoredZone, root: StoredRecord?, named given: RecordName?, _ edit: ShareEdit,
    _ transaction: WriteTransaction
  ) throws -> StoredShare {
    let name =
      root == nil ? .zoneWideShare : given ?? RecordName(ofShare: makeName(index: 0).text)
    let request = SaveRequest(
      name: name, type: .share, assignments: edit.assignments)
    let token = try shareToken(of: root?.record.name ?? .zoneWideShare, in: zone)
    _ = try RecordSaving(transaction, zone: zone).save(request, named: name)
    guard let record = try store.record(name, in: zone), let table = try store.table(.share) else {
      throw CloudError.recordNotFound(name)
    }
    let share = StoredShare(
      number: record.number, in: zone, name: name, root: root?.record.name, token: token,
      publicPermission: .none, allowsRequests: false)
    try store.set(share)
    try store.coverShare(share, type: table)
    if let root {
      try store.cover(root, by: share)
      try store.setShare(name, of: root)
    }
    return share
  }

  /// Returns the last part of a share's URL: the same whenever the same root is shared again
  /// (R10.1.8), but not computable by others.
  private func shareToken(of root: RecordName, in zone: StoredZone) throws -> String {
    let seeded = environment.request.randomness.number(purpose: ["share"])
    let secret = try seeded.map { String($0) } ?? String(store.incarnations().last?.identity ?? 0)
    let parts = [
      secret, environment.container.text, environment.environment.rawValue,
      user?.text ?? "", zone.zone.id.name.text, root.text,
    ]
    let digest = SHA256.hash(Array(parts.joined(separator: "\0").utf8))
    return Array(digest.prefix(16)).hexadecimal
  }

  /// Changes a share, in one operation. Throws `unknownItem` for a missing share or participant,
  /// `permissionFailure` if the user is neither owner nor administrator (R10.2.5),
  /// `invalidArguments` if private and public participants would be mixed (R10.2.4),
  /// `tooManyParticipants` (R10.2.8).
  public func edit(
    _ reference: ShareReference, in zone: ZoneID?, _ edit: ShareEdit
  ) throws(CloudError) -> ShareResult {
    var result = try changingShare(reference, in: zone, edit.assignments) { editing in
      try editing.apply(edit)
    }
    result.notices += try environment.read { try environment.notices(of: edit.added) }
    return result
  }

  /// Creates a URL that makes one person a participant (R10.2.10). Throws as `edit`.
  public func makeOneTimeURL(
    of reference: ShareReference, in zone: ZoneID?
  ) throws(CloudError) -> (url: ShareURL, notices: [Notice]) {
    var token: String?
    let result = try changingShare(reference, in: zone) { token = try $0.addByURL() }
    let url = ShareURL(
      environment.container, token: token ?? "", title: result.share.url.title)
    return (url, result.notices)
  }

  /// Saves a share with the changes that `work` makes.
  func changingShare(
    _ reference: ShareReference, in zone: ZoneID?, _ assignments: [FieldAssignment] = [],
    _ work: (inout ShareEditing) throws -> Void
  ) throws(CloudError) -> ShareResult {
    try requireActor()
    try strike(.share, [.share], in: zone ?? .defaultZone)
    return try write { transaction in
      let found = try find(reference, in: zone)
      let part = try transaction.part(in: found.database.scope)
      let directory = try ShareDirectory(environment)
      try directory.requireManager(of: found)
      var editing = try found.database.changedShare(
        found.stored, in: found.zone, assignments, part, directory)
      try work(&editing)
      return ShareResult(share: try directory.share(editing.found), notices: transaction.notices)
    }
  }

  /// Saves the record of a share, within a write transaction: the share and its root get new
  /// versions (R10.1.11).
  func changedShare(
    _ share: StoredShare, in zone: StoredZone, _ assignments: [FieldAssignment],
    _ transaction: WriteTransaction, _ directory: ShareDirectory
  ) throws -> ShareEditing {
    let request = SaveRequest(
      name: share.name, type: .share, assignments: assignments, policy: .changed)
    _ = try RecordSaving(transaction, zone: zone).save(request)
    if let root = try share.root.flatMap({ try store.record($0, in: zone) }) {
      try store.renewTag(of: root)
    }
    return ShareEditing(try found(share, in: zone), directory)
  }

  /// Stops a share, as deleting its record does (R10.3.11). Throws `unknownItem` for a missing
  /// share, `permissionFailure` for another user's.
  public func stopShare(
    _ reference: ShareReference, in zone: ZoneID?
  ) throws(CloudError) -> (name: RecordName, notices: [Notice]) {
    try requireActor()
    try strike(.share, [.share], in: zone ?? .defaultZone)
    return try write { transaction in
      let found = try find(reference, in: zone)
      guard found.isOwn else {
        var error = CloudError.notPermitted("WRITE", found.stored.name)
        error.remedy = .leaveShare
        throw error
      }
      let part = try transaction.part(in: .private)
      _ = try RecordDeleting(part, zone: found.zone).delete(found.stored.name, tag: nil)
      return (found.stored.name, transaction.notices)
    }
  }
}

extension ShareDirectory {
  /// Throws `permissionFailure` if the user may not change the participants (R10.2.5).
  func requireManager(of found: FoundShare) throws {
    if found.isOwn { return }
    let own = environment.request.account.flatMap { row(of: $0, in: found.rows) }
    guard own?.role == .administrator, own?.status == .accepted else {
      throw CloudError.notPermitted("WRITE", found.stored.name)
    }
    try environment.requireUnrestricted(found.place.account)
  }
}
