internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles

// Maps the zones of a remote database to their copies. Zones of a private or public database keep
// their names. A zone of the shared database has another owner; its copy belongs to that user, who
// has no account here.
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

  /// Resolves a zone ID from the command line, which may name the owner by account.
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
  /// Returns the copy of a zone that another user shares, and creates it if needed. A read-only
  /// share of the whole zone shows it to the account here: only records that this account sees on
  /// the remote are copied.
  ///
  /// Throws `permissionFailure` if the owner has an account here, or if another account or another
  /// user of the remote already uses the copy.
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
    // The account has left the copy, or the address of the remote has changed.
    try store.deleteZone(zone, .private, of: store.place(of: zone).owner)
    return try addSharedZone(id)
  }

  /// Whether a pull from this remote has already stored a page of the zone.
  private func hasBegun(_ id: ZoneID) throws -> Bool {
    let row = try copy.row(of: id, in: remote)
    return try row.token != nil || !store.baseCounts(in: row).isEmpty
  }

  /// Prepares the copies for a pull. Copies that the account has left become visible again. If
  /// records are missing here, the feed restarts: otherwise it would only report later changes.
  func checkCopies() throws {
    for var row in try store.zones(of: remote) where row.type.isEmpty {
      let id = copy.zone(of: row)
      let zone = try ownCopy(id)
      if let zone, let share = try share(of: zone) { try join(share) }
      // The record count includes the share.
      let count = zone.map { $0.zone.recordCount - 1 } ?? 0
      let known = try store.baseCounts(in: row).reduce(0) { $0 + $1.count }
      guard row.token != nil, zone == nil || count < known else { continue }
      try store.removeBasesWithoutRecords(in: row, zone)
      (row.token, row.isPending) = (nil, true)
      row.round += 1
      try store.update(row)
    }
  }

  /// The copy of a zone if it belongs to this remote; nil otherwise.
  private func ownCopy(_ id: ZoneID) throws -> StoredZone? {
    guard let zone = try copy.storedZone(id), try share(of: zone)?.token == shareToken(of: id)
    else { return nil }
    return zone
  }

  /// Deletes the copy of a zone that is no longer shared with the user.
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

  /// The token of a copy's share, which identifies who uses the copy: the first half is a hash of
  /// the remote's user and the account here, the second half also includes the remote.
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

  /// Adds the account to the participants of a copy's share, unless it already takes part.
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
  /// The half of a copy's token that identifies the remote's user and the account here.
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
