internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles

// The zones of a remote database and their copies. Those of a private or public database have the
// same names here. A zone of the shared database is another user's; its copy belongs to that user,
// who has no account here.
extension RemoteCopy {
  /// The zone that a row is about.
  func zone(of row: StoredRemoteZone) -> ZoneID {
    let zone = ZoneID(row.name)
    return database.scope == .shared ? database.sharedIdentity(zone) : zone
  }

  /// The name of a zone in its row: with the owner, if it is another user's.
  private func rowName(of zone: ZoneID) -> ZoneName { ZoneName(stored: zone.text) }

  /// The row of a zone, or of a type in it, which is added if there is none.
  func row(
    of zone: ZoneID, _ type: RecordType? = nil, in remote: StoredRemote
  ) throws -> StoredRemoteZone {
    try store.zone(rowName(of: zone), type?.text ?? "", of: remote)
  }

  /// The row of a zone, or of a type in it; nil for none.
  func knownRow(
    of zone: ZoneID, _ type: RecordType? = nil, in remote: StoredRemote
  ) throws -> StoredRemoteZone? {
    try store.knownZone(rowName(of: zone), type?.text ?? "", of: remote)
  }

  /// The zone that a user means by an ID, which may name the owner by an account.
  public func identity(_ zone: ZoneID) -> ZoneID { database.identity(zone) }

  /// The zone here; nil if there is none.
  func storedZone(_ zone: ZoneID) throws -> StoredZone? {
    guard database.scope == .shared else { return try database.storedZone(zone) }
    guard case .user(let name) = zone.owner, let owner = try store.foreignUser(name) else {
      return nil
    }
    return try store.zone(zone, .private, of: owner)
  }
}

// Copies of zones of the shared database.
extension RemoteTransaction {
  /// The copy of a zone that another user shares, which is made if there is none. A share of the
  /// whole zone shows it to the account here, for reading only: what the account sees there is all
  /// that is copied.
  ///
  /// Throws `permissionFailure` if the owner has an account here, whose own zone it would be, and
  /// if it is the copy of what another user of the remote sees.
  func sharedZone(_ id: ZoneID) throws -> StoredZone {
    guard let zone = try copy.storedZone(id), let share = try share(of: zone) else {
      return try addSharedZone(id)
    }
    let token = shareToken(of: id)
    if share.token == token, try hasBegun(id) {
      try join(share)
      return zone
    }
    let reader = try store.participants(of: share).first { $0.status == .accepted }
    guard reader == nil || token.reader == share.token.reader else {
      let account = reader?.account ?? "me"
      throw CloudError.notCopied(
        id, "the copy here is of what the remote's user of \(account) sees",
        .giveUpCopy(id, account: account))
    }
    // It was left, or the remote had another address.
    try store.deleteZone(zone, .private, of: store.place(of: zone).owner)
    return try addSharedZone(id)
  }

  /// Whether this remote's pull of a zone has brought anything.
  private func hasBegun(_ id: ZoneID) throws -> Bool {
    let row = try copy.row(of: id, in: remote)
    return try row.token != nil || !store.baseCounts(in: row).isEmpty
  }

  /// Prepares the copies for a pull: shows those again that the account has left, and fetches anew
  /// what is missing here, as the feed goes on from where it was.
  func checkCopies() throws {
    for var row in try store.zones(of: remote) where row.type.isEmpty {
      let id = copy.zone(of: row)
      let zone = try ownCopy(id)
      if let zone, let share = try share(of: zone) { try join(share) }
      // The share is a record, too.
      let count = zone.map { $0.zone.recordCount - 1 } ?? 0
      let known = try store.baseCounts(in: row).reduce(0) { $0 + $1.count }
      guard row.token != nil, zone == nil || count < known else { continue }
      try store.removeBasesWithoutRecords(in: row, zone)
      (row.token, row.isPending) = (nil, true)
      row.round += 1
      try store.update(row)
    }
  }

  /// The copy of a zone that is this remote's; nil for none.
  private func ownCopy(_ id: ZoneID) throws -> StoredZone? {
    guard let zone = try copy.storedZone(id), try share(of: zone)?.token == shareToken(of: id)
    else { return nil }
    return zone
  }

  /// Deletes the copy of a zone that the user does not see any more.
  func deleteSharedZone(
    _ id: ZoneID, _ row: StoredRemoteZone, _ result: inout PullResult
  ) throws {
    guard let zone = try ownCopy(id) else { return }
    result.deleted += try store.unmet(by: .max, of: nil, in: row).count { !$0.tag.isEmpty }
    result.deletedZones += 1
    try store.deleteZone(zone, .private, of: store.place(of: zone).owner)
  }

  private func share(of zone: StoredZone) throws -> StoredShare? {
    try store.share(.zoneWideShare, in: zone)
  }

  /// The token of the share of a copy says whose copy it is: the first half that of which user and
  /// account, the second half that of which remote.
  private func shareToken(of id: ZoneID) -> String {
    let reader = [copy.caller?.text ?? "", base.writer.name.text, id.text]
    let halves = [reader, reader + [copy.identity]].map { parts in
      SHA256.hash(Array(parts.joined(separator: "\0").utf8)).prefix(8)
    }
    return Array(halves.joined()).hexadecimal
  }

  private func addSharedZone(_ id: ZoneID) throws -> StoredZone {
    guard case .user(let name) = id.owner else {
      throw CloudError(.invalidArguments, "the server names no owner of the zone", zone: id)
    }
    guard let owner = try store.foreignOwner(name) else {
      throw CloudError.notCopied(id, "its owner has an account here", .pullElsewhere)
    }
    let stamp = try copy.authors.stamp(base.request.now, by: name)
    let zone = try store.addZone(id, .private, of: owner)
    let table = try store.table(.share) ?? store.addType(.share)
    _ = try store.insert(
      Record(name: .zoneWideShare, type: .share, zone: id), table, in: zone,
      created: stamp, modified: stamp)
    guard let record = try store.record(.zoneWideShare, in: zone) else {
      throw CloudError.recordNotFound(.zoneWideShare)
    }
    let share = StoredShare(
      number: record.number, in: zone, name: .zoneWideShare, root: nil,
      token: shareToken(of: id), publicPermission: .none, allowsRequests: false)
    try store.set(share)
    try store.coverShare(share, type: table)
    try join(share)
    return zone
  }

  /// Makes the account a participant of a copy's share, if it is not, or has left it.
  private func join(_ share: StoredShare) throws {
    let user = base.writer.name
    let own = try store.participants(of: share).first { $0.user == user.text }
    if own?.status == .accepted { return }
    var row =
      own
      ?? StoredParticipant(
        id: copy.database.makeName(index: 0).text, user: user.text,
        account: copy.database.account?.name, address: nil, role: .privateUser,
        permission: .readOnly, status: .accepted, added: base.request.now)
    row.status = .accepted
    try store.set(row, of: share)
    try store.show(share, to: user)
  }
}

extension String {
  /// The half of a copy's token that says which user and account it is for.
  fileprivate var reader: Substring { prefix(16) }
}

extension CloudError {
  fileprivate static func notCopied(
    _ zone: ZoneID, _ reason: String, _ remedy: Remedy
  ) -> CloudError {
    CloudError(
      .permissionFailure, "the zone cannot be copied: \(reason)", zone: zone, remedy: remedy)
  }
}
